// Decides whether a result is stored past the caches. Asked once a walk, by walk_converting, which
// then lets the row fill a buffer in the nearest cache and stores that; no kernel knows of it.
#pragma once

#include "core/plan.h"

namespace norch {
bool is_worth_streaming(const Plan& plan);
}  // namespace norch
