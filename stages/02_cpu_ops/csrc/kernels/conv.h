// Convolution as matrix multiplication: im2col writes every patch of an image as a column, so that
// one product with the weights gives all outputs; col2im is its transpose and adds columns back.
// The readable general path: any kernel, stride, padding, dilation, groups.
#pragma once

#include "core/array.h"
#include "core/isa.h"
#include "kernels/window.h"

namespace norch {

struct Patches {
  int64_t channels;
  Window h, w;
  int64_t rows() const { return channels * h.kernel * w.kernel; }
  int64_t cols() const { return h.out * w.out; }
};

struct ConvTable {
  // image (channels, H, W) -> columns (channels KH KW, OH OW); places in the padding give 0
  void (*im2col)(const Patches& p, DType dtype, const void* image, void* columns);
  // the other way round: image += columns
  void (*col2im)(const Patches& p, DType dtype, const void* columns, void* image);
};

}  // namespace norch
