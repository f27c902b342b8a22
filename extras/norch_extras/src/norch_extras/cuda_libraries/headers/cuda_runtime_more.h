// What <cuda_runtime.h> includes at its end, if a shelf has it: more of the runtime API.
#pragma once
#include <norch/volumes.h>

#include <norch/graphs.h>
#include <norch/hints.h>
#include <norch/textures.h>
