// The four ways of a two-dimensional float32 convolution that need no matrix of columns, done group
// by group by fast_conv.cpp, and which of them is taken when: the borders were measured, and each
// stands in conv_way.cpp beside its reason. Where it names none, ops/conv.cpp multiplies columns.
#pragma once

#include "core/array.h"
#include "kernels/conv.h"

namespace norch {
// What a convolution looks like from here: `patches` and `out_channels` of one group.
struct ConvGeometry {
  Patches patches;
  int64_t images, groups, out_channels;
  int dims;  // 2 or 3
};

enum class ConvPass { kForward, kToInput, kToWeight };

enum class ConvWay {
  kDepthwise,  // every channel for itself, more/kernels/depthwise.cpp
  kWinograd,   // a quarter to a third of the products, more/kernels/winograd.h
  kUnpadded,   // no product with a zero, more/kernels/unpadded.cpp
  kDirect,     // straight from padded pixels, more/kernels/direct.h
  kColumns,    // matrices of columns, conv.cpp: any convolution, any dtype
};

// Of a two-dimensional convolution in float32. Winograd's way may turn out not to be possible.
ConvWay choose_way(const ConvGeometry& g, ConvPass pass, bool is_winograd_possible);

// Switches for lessons and tests: with false the convolutions go the next slower way.
void set_winograd_enabled(bool on);
void set_direct_enabled(bool on);

// Of contiguous arrays, checked: x, weight and bias make out; grad and weight make dx; x and grad
// make dweight. Returns false, and leaves the result half written, when the convolution has to be
// computed with columns.
bool fast_conv(const ConvGeometry& g, ConvPass pass, const Array& a, const Array& b,
               const Array* bias, Array& out);
}  // namespace norch
