#include "ops/fast_conv.h"

#include <algorithm>
#include <atomic>

#include "kernels/direct.h"
#include "kernels/winograd.h"

namespace norch {
namespace {

std::atomic<bool> winograd_enabled{true}, direct_enabled{true};

bool is_candidate(const ConvGeometry& g, DType dtype) {
  return dtype == DType::kFloat32 && g.dims == 2;
}

// Fewer channels leave too few products to pay for the transforms of the pixels, fewer tiles too
// few for the transform of the weights (the sums of a large weight's gradient cost most). The error
// grows with the square root of the number of channels: 1.4e-5 of the largest result at 512.
constexpr int64_t kFewestChannels = 8, kFewestPairs = 128, kMostChannels = 2048;
constexpr int64_t kFewestTiles = 16, kManyPairs = 1 << 16, kTilesForMany = 64;

bool suits_winograd(const ConvGeometry& g, bool to_weight) {
  const auto moves_by_one = [](const Window& w) {
    return w.kernel == 3 && w.stride == 1 && w.dilation == 1;
  };
  const Window &h = g.patches.h, &w = g.patches.w;
  const int64_t c = g.patches.channels, o = g.out_channels;
  const int64_t tiles = g.images * ((h.out + 3) / 4) * ((w.out + 3) / 4);
  return winograd_enabled && moves_by_one(h) && moves_by_one(w) &&
         std::min(c, o) >= kFewestChannels && std::max(c, o) <= kMostChannels &&
         c * o >= kFewestPairs &&
         tiles >= (to_weight && c * o > kManyPairs ? kTilesForMany : kFewestTiles);
}

// The places of a padded line that the direct ways hold in memory: those under some window, and
// those before the end of the input.
int64_t extent(const Window& w) {
  const int64_t under_windows = (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  return std::max(under_windows, w.padding + w.size);
}

// Whether a padded plane is hardly larger than the planes it lies between. Much padding under a
// wide dilation makes a few pixels into a plane that no memory holds.
bool is_compact(const Window& h, const Window& w) {
  constexpr int64_t kMostSpread = 8, kSmall = 128;
  int64_t plane;
  return !__builtin_mul_overflow(extent(h), extent(w), &plane) &&
         plane / kMostSpread <= h.size * w.size + h.out * w.out + kSmall;
}

bool suits_depthwise(const ConvGeometry& g) {
  return direct_enabled && g.patches.channels == 1 && g.out_channels == 1 && g.groups >= 8 &&
         is_compact(g.patches.h, g.patches.w);
}

// Short runs of numbers and few outputs do not pay for turning pixels and weights around; the sums
// of a large weight's gradient would leave the cache with every strip.
constexpr int64_t kShortestRun = 8, kFewestOutputs = 64;
constexpr int64_t kManyWeights = 1 << 17, kTooManyWeights = 1 << 19;
constexpr int64_t kOutputsForMany = 256, kOutputsForSums = 1024;

bool suits_direct(const Window& h, const Window& w, int64_t in, int64_t out, int64_t outputs,
                  bool to_weight = false) {
  const int64_t weights = in * out * h.kernel * w.kernel;
  if (!direct_enabled || h.kernel * w.kernel == 1 || out < kFewestChannels ||
      in * w.kernel < kShortestRun || outputs < kFewestOutputs || !is_compact(h, w)) {
    return false;
  }
  if (weights <= kManyWeights) return true;
  return to_weight ? weights <= kTooManyWeights && outputs >= kOutputsForSums
                   : outputs >= kOutputsForMany;
}

int64_t outputs_of(const ConvGeometry& g) { return g.images * g.patches.cols(); }
int64_t inputs_of(const ConvGeometry& g) { return g.images * g.patches.h.size * g.patches.w.size; }

int64_t in_step(const ConvGeometry& g) { return g.groups * g.patches.image(); }
int64_t out_step(const ConvGeometry& g) { return g.groups * g.out_channels * g.patches.cols(); }

WinogradShape winograd_shape(const ConvGeometry& g) {
  const Window &h = g.patches.h, &w = g.patches.w;
  return {g.images, g.patches.channels, g.out_channels, h.size,     w.size,     h.out,
          w.out,    h.padding,          w.padding,      in_step(g), out_step(g)};
}

DirectShape direct_shape(const ConvGeometry& g) {
  return {g.images,    g.patches.channels, g.out_channels, g.patches.h,
          g.patches.w, in_step(g),         out_step(g)};
}

// All groups of a depthwise convolution at once.
DirectShape depthwise_shape(const ConvGeometry& g) {
  DirectShape s = direct_shape(g);
  s.in_channels = s.out_channels = g.groups;
  return s;
}

// The convolutions that lead back, at a stride of 1: gradients come in, and what the kernel reaches
// over is padded, less what was padded before.
WinogradShape turned(const WinogradShape& s) {
  return {s.images, s.out_channels, s.in_channels, s.out_height, s.out_width, s.height,
          s.width,  2 - s.pad_h,    2 - s.pad_w,   s.out_step,   s.in_step};
}

Window turned(const Window& w) {
  return {w.out, w.kernel, 1, (w.kernel - 1) * w.dilation - w.padding, w.dilation, w.size};
}

DirectShape turned(const DirectShape& s) {
  return {s.images, s.out_channels, s.in_channels, turned(s.h), turned(s.w), s.out_step, s.in_step};
}

// What belongs to group k: of x (images, groups, C, H, W), of the output, of the weight.
struct Group {
  int64_t in, out, weight;
};

// f(group) for all groups, as long as it returns true.
template <class F>
bool for_each_group(const ConvGeometry& g, F f) {
  for (int64_t k = 0; k < g.groups; ++k) {
    if (!f(Group{k * g.patches.image(), k * g.out_channels * g.patches.cols(),
                 k * g.out_channels * g.patches.rows()})) {
      return false;
    }
  }
  return true;
}

}  // namespace

void set_winograd_enabled(bool on) { winograd_enabled = on; }
void set_direct_enabled(bool on) { direct_enabled = on; }

bool fast_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                 Array& out) {
  if (!is_candidate(g, x.dtype)) return false;
  const float *from = x.data<float>(), *w = weight.data<float>();
  const float* added = bias == nullptr ? nullptr : bias->data<float>();
  float* to = out.data<float>();
  if (suits_depthwise(g)) {
    kernels<DepthwiseTable>().convolve(depthwise_shape(g), from, w, added, to);
    return true;
  }
  const auto bias_of = [&](const Group& k) {
    return added == nullptr ? nullptr : added + k.weight / g.patches.rows();
  };
  const auto by_winograd = [&](const Group& k) {
    return kernels<WinogradTable>().convolve(winograd_shape(g), from + k.in, w + k.weight, false,
                                             bias_of(k), to + k.out);
  };
  if (suits_winograd(g, false) && for_each_group(g, by_winograd)) return true;
  const Patches& p = g.patches;
  return suits_direct(p.h, p.w, p.channels, g.out_channels, outputs_of(g)) &&
         for_each_group(g, [&](const Group& k) {
           kernels<DirectTable>().convolve(direct_shape(g), from + k.in, w + k.weight, false,
                                           bias_of(k), to + k.out);
           return true;
         });
}

bool fast_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight, Array& dx) {
  if (!is_candidate(g, grad.dtype)) return false;
  const float *from = grad.data<float>(), *w = weight.data<float>();
  float* to = dx.data<float>();
  if (suits_depthwise(g)) {
    kernels<DepthwiseTable>().input_gradient(depthwise_shape(g), from, w, to);
    return true;
  }
  const auto by_winograd = [&](const Group& k) {
    return kernels<WinogradTable>().convolve(turned(winograd_shape(g)), from + k.out, w + k.weight,
                                             true, nullptr, to + k.in);
  };
  if (suits_winograd(g, false) && for_each_group(g, by_winograd)) return true;
  const Patches& p = g.patches;
  return p.h.stride == 1 && p.w.stride == 1 &&
         suits_direct(turned(p.h), turned(p.w), g.out_channels, p.channels, inputs_of(g)) &&
         for_each_group(g, [&](const Group& k) {
           kernels<DirectTable>().convolve(turned(direct_shape(g)), from + k.out, w + k.weight,
                                           true, nullptr, to + k.in);
           return true;
         });
}

bool fast_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x,
                          Array& dweight) {
  if (!is_candidate(g, grad.dtype)) return false;
  const float *dy = grad.data<float>(), *from = x.data<float>();
  float* to = dweight.data<float>();
  if (suits_depthwise(g)) {
    kernels<DepthwiseTable>().weight_gradient(depthwise_shape(g), from, dy, to);
    return true;
  }
  const auto by_winograd = [&](const Group& k) {
    return kernels<WinogradTable>().weight_gradient(winograd_shape(g), from + k.in, dy + k.out,
                                                    to + k.weight);
  };
  if (suits_winograd(g, true) && for_each_group(g, by_winograd)) return true;
  const Patches& p = g.patches;
  return suits_direct(p.h, p.w, p.channels, g.out_channels, outputs_of(g), true) &&
         for_each_group(g, [&](const Group& k) {
           kernels<DirectTable>().weight_gradient(direct_shape(g), from + k.in, dy + k.out,
                                                  to + k.weight);
           return true;
         });
}

}  // namespace norch
