// One direction of a window that slides over an image: convolution and pooling share it.
#pragma once

#include <cstdint>

namespace norch {
struct Window {
  int64_t size, kernel, stride, padding, dilation, out;

  int64_t start(int64_t o) const { return o * stride - padding; }  // input place of kernel place 0
};
}  // namespace norch
