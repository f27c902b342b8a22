// Direct convolution. An output pixel is a sum over the places of the kernel, and with channels as
// neighbours the places of one kernel row (where the dilation is 1) are one run of numbers in
// memory: KW C of them. So a tile of pixels times a panel of output channels is a short list of
// segments, each a plain matrix product, all added up in the same registers:
//
//   out (pixel, o) = sum over segments, p:   x[pixel + segment + p] * weight[segment, p, o]
//   dweight (segment, p, o) = sum over pixels:   x[pixel + segment + p] * grad[pixel, o]
//
// Copied are the pixels, when they are turned (those under two strips twice), the weights into
// panels, and the outputs or their gradients, as they turn back; no number is stored once for every
// window it lies under, as it is among columns.
#include "more/kernels/direct.h"

#include <algorithm>
#include <vector>

#include "more/kernels/products.h"

namespace norch {
namespace {
constexpr int64_t kRoom = 256 << 10;  // bytes of the pixels of a strip

// How a plane is cut into strips of output rows, and where things lie in the pixels of a strip.
struct Plan {
  int64_t pitch, panels, per_strip, per_image, strips, cols, length;
  std::vector<int64_t> segments;

  explicit Plan(const DirectShape& s) {
    const int64_t c = s.in_channels;
    pitch = pitch_of(c);
    panels = ceil_div(s.out_channels, kPanel);
    cols = (s.w.out - 1) * s.w.stride + (s.w.kernel - 1) * s.w.dilation + 1;
    const int64_t reach = (s.h.kernel - 1) * s.h.dilation + 1;
    const int64_t affordable = kRoom / (cols * pitch * int64_t(sizeof(float)));
    per_strip = std::clamp<int64_t>((affordable - reach) / s.h.stride + 1, 1, s.h.out);
    per_image = ceil_div(s.h.out, per_strip);
    per_strip = ceil_div(s.h.out, per_image);
    strips = s.images * per_image;
    const int64_t runs = s.w.dilation == 1 && pitch == c ? 1 : s.w.kernel;  // of a kernel row
    length = s.w.kernel / runs * c;
    for (int64_t i = 0; i < s.h.kernel * runs; ++i) {
      segments.push_back((i / runs * s.h.dilation * cols + i % runs * s.w.dilation) * pitch);
    }
  }
  int64_t count() const { return int64_t(segments.size()); }
  int64_t terms() const { return count() * length; }  // of one output: KH KW C
  int64_t rows_of_pixels(const DirectShape& s) const {
    return (per_strip - 1) * s.h.stride + (s.h.kernel - 1) * s.h.dilation + 1;
  }
  bool is_narrow(const DirectShape& s, int64_t panel) const {
    return s.out_channels - panel * kPanel <= kL;
  }
};

struct Strip {
  int64_t image, top, rows;

  Strip(const DirectShape& s, const Plan& plan, int64_t number) {
    image = number / plan.per_image;
    top = number % plan.per_image * plan.per_strip;
    rows = std::min(plan.per_strip, s.h.out - top);
  }
};

// The pixels under a strip of outputs, channels side by side.
void load_strip(const DirectShape& s, const Plan& plan, const Strip& strip, const float* x,
                float* pixels) {
  load_pixels({x + strip.image * s.in_step, s.in_channels, s.h.size, s.w.size},
              s.h.start(strip.top), -s.w.padding, plan.rows_of_pixels(s), plan.cols, pixels,
              plan.pitch);
}

// f(panel, channel, place, its row of kPanel numbers) for all weights (panels, KH KW C, kPanel), in
// an order that reads weight (O, C, KH, KW), too, from the cache.
template <class F>
void for_each_weight_row(const DirectShape& s, const Plan& plan, F f, float* weights) {
  parallel_for(plan.panels * s.in_channels, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = i / s.in_channels, c = i % s.in_channels;
      for (int64_t k = 0; k < s.h.kernel * s.w.kernel; ++k) {
        f(panel, c, k, weights + (panel * plan.terms() + k * s.in_channels + c) * kPanel);
      }
    }
  });
}

// weight (O, C, KH, KW), or turned (C, O, KH, KW) -> (panels, KH KW C, kPanel)
void pack_weights(const DirectShape& s, const Plan& plan, const float* weight, bool turned,
                  float* packed) {
  const int64_t c = s.in_channels, places = s.h.kernel * s.w.kernel;
  for_each_weight_row(
      s, plan,
      [&](int64_t panel, int64_t i, int64_t k, float* row) {
        for (int64_t l = 0; l < kPanel; ++l) {
          const int64_t o = panel * kPanel + l;
          const float* kernel = weight + (turned ? i * s.out_channels + o : o * c + i) * places;
          row[l] = o < s.out_channels ? kernel[turned ? places - 1 - k : k] : 0.f;
        }
      },
      packed);
}

// The direct convolution: strips in parallel; `turned`: weight is (C, O, KH, KW), every kernel
// turned by half a circle.
void convolve_strips(const DirectShape& s, const float* x, const float* weight, bool turned,
                     const float* bias, float* out) {
  const Plan plan(s);
  const int64_t outputs = plan.per_strip * s.w.out;
  const Buffer packed(plan.panels * plan.terms() * kPanel), start(plan.panels * kPanel);
  pack_weights(s, plan, weight, turned, packed.data());
  std::fill_n(start.data(), plan.panels * kPanel, 0.f);
  if (bias != nullptr) std::copy_n(bias, s.out_channels, start.data());
  std::vector<Run> runs;
  for (int64_t i = 0; i < plan.count(); ++i) {
    runs.push_back({plan.segments[size_t(i)], i * plan.length * kPanel, plan.length});
  }
  parallel_for(plan.strips, 1, [&](int64_t begin, int64_t end) {
    const Buffer pixels(plan.rows_of_pixels(s) * plan.cols * plan.pitch), back(outputs * kPanel);
    const auto row = [&](int64_t i) {
      const int64_t h = i / s.w.out * s.h.stride, w = i % s.w.out * s.w.stride;
      return TileRow{pixels.data() + (h * plan.cols + w) * plan.pitch, back.data() + i * kPanel};
    };
    for (int64_t number = begin; number < end; ++number) {
      const Strip strip(s, plan, number);
      load_strip(s, plan, strip, x, pixels.data());
      for (int64_t panel = 0; panel < plan.panels; ++panel) {
        const int64_t channels = std::min(kPanel, s.out_channels - panel * kPanel);
        float* plane = out + strip.image * s.out_step + panel * kPanel * s.h.out * s.w.out;
        prefetch_rows({plane, channels, s.h.out, s.w.out}, strip.top, strip.rows);
        multiply(strip.rows * s.w.out, row,
                 {runs, 1, kPanel, packed.data() + panel * plan.terms() * kPanel},
                 plan.is_narrow(s, panel), start.data() + panel * kPanel);
        store_pixels(back.data(), kPanel, strip.rows * s.w.out, channels,
                     plane + strip.top * s.w.out, s.h.out * s.w.out);
      }
    }
  });
}

// The kernel of the direct convolution.
void convolve(const DirectShape& s, const float* x, const float* weight, const float* bias,
              float* out) {
  convolve_strips(s, x, weight, false, bias, out);
}

// The kernel of the gradient of the direct convolution's input: the convolution that leads back.
void input_gradient(const DirectShape& s, const float* grad, const float* weight, float* dx) {
  convolve_strips(
      {s.images, s.out_channels, s.in_channels, turned(s.h), turned(s.w), s.out_step, s.in_step},
      grad, weight, true, nullptr, dx);
}

// sums (panels, KH KW C, kPanel) += the products of strips first ... last - 1
void add_products(const DirectShape& s, const Plan& plan, const float* x, const float* grad,
                  int64_t first, int64_t last, float* sums) {
  const int64_t outputs = plan.per_strip * s.w.out, plane = s.h.out * s.w.out;
  const Buffer pixels(plan.rows_of_pixels(s) * plan.cols * plan.pitch), grads(outputs * kPanel);
  for (; first < last; ++first) {
    const Strip strip(s, plan, first);
    load_strip(s, plan, strip, x, pixels.data());
    std::vector<Run> runs;  // lines of outputs
    for (int64_t i = 0; i < strip.rows; ++i) {
      runs.push_back({i * s.h.stride * plan.cols * plan.pitch, i * s.w.out * kPanel, s.w.out});
    }
    for (int64_t panel = 0; panel < plan.panels; ++panel) {
      const float* planes = grad + strip.image * s.out_step + panel * kPanel * plane;
      load_pixels({planes, std::min(kPanel, s.out_channels - panel * kPanel), s.h.out, s.w.out},
                  strip.top, 0, strip.rows, s.w.out, grads.data(), kPanel);
      float* own = sums + panel * plan.terms() * kPanel;
      const auto row = [&](int64_t i) {
        const int64_t segment = plan.segments[size_t(i / plan.length)];
        return TileRow{pixels.data() + segment + i % plan.length, own + i * kPanel};
      };
      multiply(plan.terms(), row, {runs, s.w.stride * plan.pitch, kPanel, grads.data()},
               plan.is_narrow(s, panel), nullptr);
    }
  }
}

// The kernel of the direct convolution's weight gradient.
void weight_gradient(const DirectShape& s, const float* x, const float* grad, float* dweight) {
  const Plan plan(s);
  const auto add = [&](int64_t first, int64_t last, float* sums) {
    add_products(s, plan, x, grad, first, last, sums);
  };
  const Buffer sums =
      sum_in_parts(plan.panels * plan.terms() * kPanel, plan.strips, plan.strips, add);
  const int64_t c = s.in_channels, places = s.h.kernel * s.w.kernel;
  const auto gather = [&](int64_t panel, int64_t i, int64_t k, const float* row) {
    for (int64_t l = 0; l < std::min(kPanel, s.out_channels - panel * kPanel); ++l) {
      dweight[((panel * kPanel + l) * c + i) * places + k] = row[l];
    }
  };
  for_each_weight_row(s, plan, gather, sums.data());
}
}  // namespace

template <>
const DirectTable& table<DirectTable, kIsa>() {
  static constexpr DirectTable t{&convolve, &input_gradient, &weight_gradient};
  return t;
}
}  // namespace norch
