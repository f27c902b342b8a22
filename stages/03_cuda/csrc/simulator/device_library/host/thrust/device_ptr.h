#pragma once
#include <thrust/vectors.h>
