#include "ops/winograd.h"

#include <algorithm>
#include <atomic>

#include "kernels/winograd.h"

namespace norch {
namespace {

std::atomic<bool> is_enabled{true};

// Fewer channels leave too few products to pay for the transforms of the pixels, fewer tiles too
// few for the transform of the weights (the sums of a large weight's gradient cost most). The error
// grows with the square root of the number of channels: 1.4e-5 of the largest result at 512.
constexpr int64_t kFewestChannels = 8, kFewestPairs = 128, kMostChannels = 2048;
constexpr int64_t kFewestTiles = 16, kManyPairs = 1 << 16, kTilesForMany = 64;

bool suits(const ConvGeometry& g, DType dtype, bool to_weight = false) {
  const auto moves_by_one = [](const Window& w) {
    return w.kernel == 3 && w.stride == 1 && w.dilation == 1;
  };
  const Window &h = g.patches.h, &w = g.patches.w;
  const int64_t c = g.patches.channels, o = g.out_channels;
  const int64_t tiles = g.images * ((h.out + 3) / 4) * ((w.out + 3) / 4);
  return is_enabled && dtype == DType::kFloat32 && g.dims == 2 && moves_by_one(h) &&
         moves_by_one(w) && std::min(c, o) >= kFewestChannels && std::max(c, o) <= kMostChannels &&
         c * o >= kFewestPairs &&
         tiles >= (to_weight && c * o > kManyPairs ? kTilesForMany : kFewestTiles);
}

WinogradShape shape_of(const ConvGeometry& g) {
  const Window &h = g.patches.h, &w = g.patches.w;
  return {g.images,
          g.patches.channels,
          g.out_channels,
          h.size,
          w.size,
          h.out,
          w.out,
          h.padding,
          w.padding,
          g.groups * g.patches.channels * h.size * w.size,
          g.groups * g.out_channels * h.out * w.out};
}

// The convolution that leads back: gradients come in, and two places less padding are missing.
WinogradShape turned(const WinogradShape& s) {
  return {s.images, s.out_channels, s.in_channels, s.out_height, s.out_width, s.height,
          s.width,  2 - s.pad_h,    2 - s.pad_w,   s.out_step,   s.in_step};
}

// f(group) for all groups, as long as it returns true.
template <class F>
bool for_each_group(const ConvGeometry& g, F f) {
  for (int64_t k = 0; k < g.groups; ++k) {
    if (!f(k)) return false;
  }
  return true;
}

}  // namespace

void set_winograd_enabled(bool on) { is_enabled = on; }

bool winograd_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                     Array& out) {
  if (!suits(g, x.dtype)) return false;
  const WinogradShape s = shape_of(g);
  return for_each_group(g, [&](int64_t k) {
    const float* added = bias == nullptr ? nullptr : bias->data<float>() + k * s.out_channels;
    return kernels<WinogradTable>().convolve(
        s, x.data<float>() + k * s.in_step / g.groups,
        weight.data<float>() + k * s.in_channels * s.out_channels * 9, false, added,
        out.data<float>() + k * s.out_step / g.groups);
  });
}

bool winograd_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight,
                             Array& dx) {
  if (!suits(g, grad.dtype)) return false;
  const WinogradShape s = turned(shape_of(g));
  return for_each_group(g, [&](int64_t k) {
    return kernels<WinogradTable>().convolve(
        s, grad.data<float>() + k * s.in_step / g.groups,
        weight.data<float>() + k * s.in_channels * s.out_channels * 9, true, nullptr,
        dx.data<float>() + k * s.out_step / g.groups);
  });
}

bool winograd_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x,
                              Array& dweight) {
  if (!suits(g, grad.dtype, true)) return false;
  const WinogradShape s = shape_of(g);
  return for_each_group(g, [&](int64_t k) {
    return kernels<WinogradTable>().weight_gradient(
        s, x.data<float>() + k * s.in_step / g.groups,
        grad.data<float>() + k * s.out_step / g.groups,
        dweight.data<float>() + k * s.in_channels * s.out_channels * 9);
  });
}

}  // namespace norch
