#include "more/ops/fast_conv.h"

#include "more/kernels/direct.h"
#include "more/kernels/unpadded.h"
#include "more/kernels/winograd.h"

namespace norch {
namespace {

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

WinogradShape turned(const WinogradShape& s) {
  return {s.images, s.out_channels, s.in_channels, s.out_height, s.out_width, s.height,
          s.width,  2 - s.pad_h,    2 - s.pad_w,   s.out_step,   s.in_step};
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

// work(way, group) the way that is chosen, or false for columns. Depthwise takes all groups at
// once. Winograd's returns false when a result is not finite: then the next way computes it all.
template <class F>
bool run(const ConvGeometry& g, ConvPass pass, DType dtype, F work) {
  if (dtype != DType::kFloat32 || g.dims != 2) return false;
  ConvWay way = choose_way(g, pass, true);
  if (way == ConvWay::kDepthwise) return work(way, Group{0, 0, 0});
  const auto each = [&](const Group& k) { return work(way, k); };
  if (way == ConvWay::kWinograd) {
    if (for_each_group(g, each)) return true;
    way = choose_way(g, pass, false);
  }
  return way != ConvWay::kColumns && for_each_group(g, each);
}

}  // namespace

bool fast_conv2d(const ConvGeometry& g, const Array& x, const Array& weight, const Array* bias,
                 Array& out) {
  return run(g, ConvPass::kForward, x.dtype, [&](ConvWay way, const Group& k) {
    const float *from = x.data<float>() + k.in, *w = weight.data<float>() + k.weight;
    const float* added =
        bias == nullptr ? nullptr : bias->data<float>() + k.weight / g.patches.rows();
    float* to = out.data<float>() + k.out;
    if (way == ConvWay::kWinograd) {
      return kernels<WinogradTable>().convolve(winograd_shape(g), from, w, false, added, to);
    }
    if (way == ConvWay::kDepthwise) {
      kernels<DepthwiseTable>().convolve(depthwise_shape(g), from, w, added, to);
    } else if (way == ConvWay::kUnpadded) {
      kernels<UnpaddedTable>().convolve(direct_shape(g), from, w, added, to);
    } else {
      kernels<DirectTable>().convolve(direct_shape(g), from, w, false, added, to);
    }
    return true;
  });
}

bool fast_backward_input(const ConvGeometry& g, const Array& grad, const Array& weight, Array& dx) {
  return run(g, ConvPass::kToInput, grad.dtype, [&](ConvWay way, const Group& k) {
    const float *from = grad.data<float>() + k.out, *w = weight.data<float>() + k.weight;
    float* to = dx.data<float>() + k.in;
    if (way == ConvWay::kWinograd) {
      return kernels<WinogradTable>().convolve(turned(winograd_shape(g)), from, w, true, nullptr,
                                               to);
    }
    if (way == ConvWay::kDepthwise) {
      kernels<DepthwiseTable>().input_gradient(depthwise_shape(g), from, w, to);
    } else if (way == ConvWay::kUnpadded) {
      kernels<UnpaddedTable>().input_gradient(direct_shape(g), from, w, to);
    } else {
      kernels<DirectTable>().convolve(turned(direct_shape(g)), from, w, true, nullptr, to);
    }
    return true;
  });
}

bool fast_backward_weight(const ConvGeometry& g, const Array& grad, const Array& x,
                          Array& dweight) {
  return run(g, ConvPass::kToWeight, grad.dtype, [&](ConvWay way, const Group& k) {
    const float *dy = grad.data<float>() + k.out, *from = x.data<float>() + k.in;
    float* to = dweight.data<float>() + k.weight;
    if (way == ConvWay::kWinograd) {
      return kernels<WinogradTable>().weight_gradient(winograd_shape(g), from, dy, to);
    }
    if (way == ConvWay::kDepthwise) {
      kernels<DepthwiseTable>().weight_gradient(depthwise_shape(g), from, dy, to);
    } else if (way == ConvWay::kUnpadded) {
      kernels<UnpaddedTable>().weight_gradient(direct_shape(g), from, dy, to);
    } else {
      kernels<DirectTable>().weight_gradient(direct_shape(g), from, dy, to);
    }
    return true;
  });
}

}  // namespace norch
