// Convolution as matrix multiplication: im2col writes every patch of an image as a column, so that
// one product with the weights gives all outputs; col2im is its transpose and adds columns back.
// The readable general path: any kernel, stride, padding, dilation, groups, two dimensions or
// three.
#pragma once

#include "core/array.h"
#include "core/isa.h"
#include "kernels/window.h"

namespace norch {
struct Patches {
  int64_t channels;
  Window d, h, w;  // depth, height, width; a two-dimensional image has a depth of one
  int64_t places() const { return d.kernel * h.kernel * w.kernel; }
  int64_t rows() const { return channels * places(); }
  int64_t cols() const { return d.out * h.out * w.out; }
  int64_t image() const { return channels * d.size * h.size * w.size; }
};

struct ConvTable {
  // image (channels, D, H, W) -> columns (channels KD KH KW, OD OH OW); places in the padding give
  // 0
  void (*im2col)(const Patches& p, DType dtype, const void* image, void* columns);
  // the other way round: image += columns
  void (*col2im)(const Patches& p, DType dtype, const void* columns, void* image);
};
}  // namespace norch
