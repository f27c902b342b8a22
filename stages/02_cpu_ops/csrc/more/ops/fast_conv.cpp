#include "more/ops/fast_conv.h"

#include <type_traits>

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

// The op fast_conv's convolution that leads back to the input, for Winograd's kernel.
WinogradShape turned(const WinogradShape& s) {
  const int64_t reach = s.kernel - 1;
  return {s.images, s.out_channels, s.in_channels,   s.kernel,        s.out_height, s.out_width,
          s.height, s.width,        reach - s.pad_h, reach - s.pad_w, s.out_step,   s.in_step};
}

using In = const float*;

// One pass of one of the direct ways over a group; depthwise takes all groups at once.
template <class Table>
bool directly(const ConvGeometry& g, ConvPass pass, In a, In b, In bias, float* out) {
  DirectShape s = direct_shape(g);
  if (std::is_same_v<Table, DepthwiseTable>) s.in_channels = s.out_channels = g.groups;
  const DirectTable& way = kernels<Table>();
  if (pass == ConvPass::kForward) way.convolve(s, a, b, bias, out);
  if (pass == ConvPass::kToInput) way.input_gradient(s, a, b, out);
  if (pass == ConvPass::kToWeight) way.weight_gradient(s, a, b, out);
  return true;
}

// One pass of Winograd's way over a group; whether all results are finite.
bool by_winograd(const ConvGeometry& g, ConvPass pass, In a, In b, In bias, float* out) {
  const WinogradShape s = winograd_shape(g);
  const WinogradTable& way = kernels<WinogradTable>();
  if (pass == ConvPass::kForward) return way.convolve(s, a, b, false, bias, out);
  if (pass == ConvPass::kToInput) return way.convolve(turned(s), a, b, true, bias, out);
  return way.weight_gradient(s, a, b, out);
}

// In the order of ConvWay.
constexpr decltype(&by_winograd) kWays[] = {&directly<DepthwiseTable>, &by_winograd,
                                            &directly<UnpaddedTable>, &directly<DirectTable>};

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
    const auto run = kWays[static_cast<int>(way)];
    const int64_t calls = way == ConvWay::kDepthwise ? 1 : g.groups;
    int64_t k = 0;
    while (k < calls && run(g, pass, a.data<float>() + k * step.a, b.data<float>() + k * step.b,
                            bias == nullptr ? nullptr : bias->data<float>() + k * g.out_channels,
                            out.data<float>() + k * step.out)) {
      ++k;
    }
    if (k == calls) return true;
  }
  return false;
}
}  // namespace norch
