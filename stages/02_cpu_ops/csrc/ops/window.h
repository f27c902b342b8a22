// The options of a sliding window and the one check of them. Directions are depth, height, width; a
// two-dimensional window leaves the first as it is here.
#pragma once

#include <algorithm>

#include "core/array.h"
#include "kernels/window.h"

namespace norch {
constexpr int kDirections = 3;

struct WindowOptions {
  int64_t stride[kDirections] = {1, 1, 1}, padding[kDirections] = {0, 0, 0};
  int64_t dilation[kDirections] = {1, 1, 1};
  bool ceil_mode = false;  // whether a last window may begin inside and reach beyond the padding
};

// One integer for all directions of a window's stride, padding or dilation, or one for each:
// fills the last `count` of the directions depth, height, width.
inline void copy_sizes(const char* op, int count, const Dims& dims, int64_t* directions,
                       const char* what) {
  if (dims.n != 1 && dims.n != count) {
    raise<Error>("[", op, "] expected ", what, " as one or ", count == 2 ? "two" : "three",
                 " integers, got ", dims.n);
  }
  for (int i = 0; i < count; ++i) {
    directions[kDirections - count + i] = dims[dims.n == 1 ? 0 : i];
  }
}

// Of a window and of a line, so that no sum overflows.
constexpr int64_t kMostPlaces = int64_t{1} << 31, kLongestLine = int64_t{1} << 62;

// Direction i of a window of `kernel` places over `size` of them.
inline Window window_of(int64_t size, int64_t kernel, const WindowOptions& o, int i,
                        const char* op) {
  const int64_t most = std::max({o.stride[i], o.dilation[i], o.padding[i], kernel});
  if (o.stride[i] < 1 || o.dilation[i] < 1 || o.padding[i] < 0 || kernel < 1 ||
      most > kMostPlaces) {
    raise<Error>("[", op, "] expected kernel, stride and dilation of at least 1 and padding of at ",
                 "least 0, none above 2^31, got kernel ", kernel, ", stride ", o.stride[i],
                 ", dilation ", o.dilation[i], ", padding ", o.padding[i]);
  }
  if (size > kLongestLine) {
    raise<ShapeError>("[", op, "] an input of ", size, " is too long: expected at most 2^62");
  }
  const int64_t reach = (kernel - 1) * o.dilation[i] + 1, padded = size + 2 * o.padding[i];
  const int64_t room = padded - reach + (o.ceil_mode ? o.stride[i] - 1 : 0);
  if (room < 0) {
    raise<ShapeError>("[", op, "] a kernel that reaches over ", reach,
                      " does not fit into an input of ", padded, " (padding included)");
  }
  int64_t out = room / o.stride[i] + 1;
  if (o.ceil_mode && (out - 1) * o.stride[i] >= size + o.padding[i]) --out;
  return {size, kernel, o.stride[i], o.padding[i], o.dilation[i], out};
}

// Refuses a gradient that has not the shape of a convolution's or pooling's result.
inline void check_grad(const Array& grad, const Dims& expected, const char* op) {
  if (grad.ndim != expected.n || !std::equal(expected.begin(), expected.end(), grad.shape)) {
    raise<ShapeError>("[", op, "] expected grad of shape ", shape_text(expected.v, expected.n),
                      ", got ", grad.shape_text());
  }
}
}  // namespace norch
