// Doors of adaptive pooling, interpolation, and columns of patches; images are (N, C, H, W) or
// (C, H, W).
#pragma once

#include <utility>

#include "core/array.h"
#include "ops/window.h"

namespace norch {
enum class Resample { kAdaptive, kNearest, kBilinear, kBilinearCorners };

// `scale`: steps in the input for one step of the output, for rows and columns; null: the quotient
// of the sizes. The inverse of PyTorch's scale factor. Adaptive pooling has none.
Array resample2d(const Array& x, Resample how, const Dims& output_size, const double* scale);
// input_size (H, W)
Array resample2d_backward(const Array& grad, Resample how, const Dims& input_size,
                          const double* scale);
std::pair<Array, Array> adaptive_max_pool2d(const Array& x, const Dims& output_size);

struct PatchOptions : WindowOptions {
  int64_t kernel[kDirections] = {1, 1, 1};
};

// (N, C, H, W) -> (N, C KH KW, L): every patch a column. C H W without N gives (C KH KW, L).
Array im2col(const Array& x, const PatchOptions& options);
// the other way round, adding up: (N, C KH KW, L) -> (N, C, *output_size)
Array col2im(const Array& columns, const Dims& output_size, const PatchOptions& options);
}  // namespace norch
