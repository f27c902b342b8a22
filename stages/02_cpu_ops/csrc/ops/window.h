// The options of a sliding window and the one check of them.
#pragma once

#include "core/error.h"
#include "kernels/window.h"

namespace norch {

struct WindowOptions {
  int64_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
};

// Direction i (0: height, 1: width) of a window of `kernel` places over `size` of them.
inline Window window_of(int64_t size, int64_t kernel, const WindowOptions& o, int i,
                        const char* op) {
  if (o.stride[i] < 1 || o.dilation[i] < 1 || o.padding[i] < 0 || kernel < 1) {
    raise<Error>("[", op, "] expected kernel, stride and dilation of at least 1 and padding of at ",
                 "least 0, got kernel ", kernel, ", stride ", o.stride[i], ", dilation ",
                 o.dilation[i], ", padding ", o.padding[i]);
  }
  const int64_t reach = (kernel - 1) * o.dilation[i] + 1, padded = size + 2 * o.padding[i];
  if (reach > padded) {
    raise<ShapeError>("[", op, "] a kernel that reaches over ", reach,
                      " does not fit into an input of ", padded, " (padding included)");
  }
  const int64_t out = (padded - reach) / o.stride[i] + 1;
  return {size, kernel, o.stride[i], o.padding[i], o.dilation[i], out};
}

}  // namespace norch
