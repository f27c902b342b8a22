// <helper_functions.h> of CUDA's samples: what their host code shares.
#pragma once
#include <helper_image.h>
#include <helper_string.h>
#include <helper_timer.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
