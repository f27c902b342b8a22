#include "more/ops/fast_conv.h"

#include "more/kernels/direct.h"
#include "more/kernels/winograd.h"

namespace norch {
namespace {
// For more's op fast_conv: elements from one image of x to the next.
int64_t in_step(const ConvGeometry& g) { return g.groups * g.patches.image(); }
// For more's op fast_conv: elements from one image of the result to the next.
int64_t out_step(const ConvGeometry& g) { return g.groups * g.out_channels * g.patches.cols(); }

// The op fast_conv's convolution as Winograd's kernel reads it.
WinogradShape winograd_shape(const ConvGeometry& g) {
  const Window &h = g.patches.h, &w = g.patches.w;
  return {g.images, g.patches.channels, g.out_channels, h.kernel,   h.size,     w.size, h.out,
          w.out,    h.padding,          w.padding,      in_step(g), out_step(g)};
}

// The op fast_conv's convolution as the direct kernels read it.
DirectShape direct_shape(const ConvGeometry& g) {
  return {g.images,    g.patches.channels, g.out_channels, g.patches.h,
          g.patches.w, in_step(g),         out_step(g)};
}

// The op fast_conv's depthwise convolution, all groups at once, as its kernel reads it.
DirectShape depthwise_shape(const ConvGeometry& g) {
  DirectShape s = direct_shape(g);
  s.in_channels = s.out_channels = g.groups;
  return s;
}

// The op fast_conv's convolution that leads back to the input, for Winograd's kernel.
WinogradShape turned(const WinogradShape& s) {
  const int64_t reach = s.kernel - 1;
  return {s.images, s.out_channels, s.in_channels,   s.kernel,        s.out_height, s.out_width,
          s.height, s.width,        reach - s.pad_h, reach - s.pad_w, s.out_step,   s.in_step};
}

// The op fast_conv's convolution that leads back to the input, for the direct kernel.
DirectShape turned(const DirectShape& s) {
  return {s.images, s.out_channels, s.in_channels, turned(s.h), turned(s.w), s.out_step, s.in_step};
}

using In = const float*;
using Pass = bool (*)(const ConvGeometry& g, In a, In b, In bias, float* out);

// A way's three passes over a group, in the order of ConvPass; the rows in the order of ConvWay.
// Winograd's return whether all results are finite, the others' always hold.
constexpr Pass kWays[][3] = {
    {[](const ConvGeometry& g, In x, In weight, In bias, float* out) {
       return kernels<DepthwiseTable>().convolve(depthwise_shape(g), x, weight, bias, out), true;
     },
     [](const ConvGeometry& g, In grad, In weight, In, float* dx) {
       return kernels<DepthwiseTable>().input_gradient(depthwise_shape(g), grad, weight, dx), true;
     },
     [](const ConvGeometry& g, In x, In grad, In, float* dweight) {
       return kernels<DepthwiseTable>().weight_gradient(depthwise_shape(g), x, grad, dweight), true;
     }},
    {[](const ConvGeometry& g, In x, In weight, In bias, float* out) {
       return kernels<WinogradTable>().convolve(winograd_shape(g), x, weight, false, bias, out);
     },
     [](const ConvGeometry& g, In grad, In weight, In none, float* dx) {
       return kernels<WinogradTable>().convolve(turned(winograd_shape(g)), grad, weight, true, none,
                                                dx);
     },
     [](const ConvGeometry& g, In x, In grad, In, float* dweight) {
       return kernels<WinogradTable>().weight_gradient(winograd_shape(g), x, grad, dweight);
     }},
    {[](const ConvGeometry& g, In x, In weight, In bias, float* out) {
       return kernels<UnpaddedTable>().convolve(direct_shape(g), x, weight, bias, out), true;
     },
     [](const ConvGeometry& g, In grad, In weight, In, float* dx) {
       return kernels<UnpaddedTable>().input_gradient(direct_shape(g), grad, weight, dx), true;
     },
     [](const ConvGeometry& g, In x, In grad, In, float* dweight) {
       return kernels<UnpaddedTable>().weight_gradient(direct_shape(g), x, grad, dweight), true;
     }},
    {[](const ConvGeometry& g, In x, In weight, In bias, float* out) {
       return kernels<DirectTable>().convolve(direct_shape(g), x, weight, false, bias, out), true;
     },
     [](const ConvGeometry& g, In grad, In weight, In none, float* dx) {
       const DirectShape back = turned(direct_shape(g));
       return kernels<DirectTable>().convolve(back, grad, weight, true, none, dx), true;
     },
     [](const ConvGeometry& g, In x, In grad, In, float* dweight) {
       return kernels<DirectTable>().weight_gradient(direct_shape(g), x, grad, dweight), true;
     }},
};

// From one group to the next: of the two operands and of the result.
struct Steps {
  int64_t a, b, out;
};

// For more's op fast_conv: from one group of a convolution to the next.
Steps steps_of(const ConvGeometry& g, ConvPass pass) {
  const int64_t x = g.patches.image(), y = g.out_channels * g.patches.cols(),
                weight = g.out_channels * g.patches.rows();
  if (pass == ConvPass::kForward) return {x, weight, y};
  return pass == ConvPass::kToInput ? Steps{y, weight, x} : Steps{x, y, weight};
}
}  // namespace

// Carries a convolution out by the way chosen for it; false where that is columns.
bool fast_conv(const ConvGeometry& g, ConvPass pass, const Array& a, const Array& b,
               const Array* bias, Array& out) {
  if (a.dtype != DType::kFloat32 || g.dims != 2) return false;
  const Steps step = steps_of(g, pass);
  // Where Winograd's way gives up, the next way computes all groups anew.
  for (const bool is_winograd_possible : {true, false}) {
    const ConvWay way = choose_way(g, pass, is_winograd_possible);
    if (way == ConvWay::kColumns) return false;
    const Pass run = kWays[static_cast<int>(way)][static_cast<int>(pass)];
    // Depthwise takes all groups at once.
    const int64_t calls = way == ConvWay::kDepthwise ? 1 : g.groups;
    int64_t k = 0;
    while (k < calls && run(g, a.data<float>() + k * step.a, b.data<float>() + k * step.b,
                            bias == nullptr ? nullptr : bias->data<float>() + k * g.out_channels,
                            out.data<float>() + k * step.out)) {
      ++k;
    }
    if (k == calls) return true;
  }
  return false;
}
}  // namespace norch
