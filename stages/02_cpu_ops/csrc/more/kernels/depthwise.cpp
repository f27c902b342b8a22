// Convolution of every channel for itself: a vector holds as many channels as it has lanes, all of
// one pixel, so any stride and dilation is as good as another. One block of channels of one image
// is turned, computed and turned back; that is also what threads share out.
#include <algorithm>
#include <vector>

#include "core/thread_pool.h"
#include "more/kernels/direct.h"
#include "more/kernels/pixels.h"

namespace norch {
namespace {
// Where things lie in the pixels of a block, in floats.
struct Plan {
  int64_t rows, cols, outputs, blocks;
  std::vector<int64_t> taps;  // each place of the kernel, from the pixel an output starts at

  explicit Plan(const DirectShape& s) {
    rows = (s.h.out - 1) * s.h.stride + (s.h.kernel - 1) * s.h.dilation + 1;
    cols = (s.w.out - 1) * s.w.stride + (s.w.kernel - 1) * s.w.dilation + 1;
    outputs = s.h.out * s.w.out;
    blocks = (s.in_channels + kL - 1) / kL;
    for (int64_t i = 0; i < s.h.kernel * s.w.kernel; ++i) {
      const int64_t h = i / s.w.kernel * s.h.dilation, w = i % s.w.kernel * s.w.dilation;
      taps.push_back((h * cols + w) * kL);
    }
  }
  int64_t size() const { return rows * cols * kL; }
};

// The channels in a block: the last may have fewer.
int64_t channels_of(const DirectShape& s, int64_t block) {
  return std::min<int64_t>(kL, s.in_channels - block * kL);
}

// The planes of a block -> pixels (rows, cols, kL); lanes without a channel hold zeros.
void load_block(const float* image, int64_t channels, const Window& h, const Window& w,
                int64_t rows, int64_t cols, float* pixels) {
  if (channels < kL) std::fill_n(pixels, rows * cols * kL, 0.f);
  load_pixels({image, channels, h.size, w.size}, -h.padding, -w.padding, rows, cols, pixels, kL);
}

// values (C, places) of a block -> one vector for each place
void load_lanes(const float* values, int64_t channels, int64_t places, float* lanes) {
  for (int64_t k = 0; k < places; ++k) {
    for (int64_t l = 0; l < kL; ++l) lanes[k * kL + l] = l < channels ? values[l * places + k] : 0;
  }
}

// f(first pixel of the place, output pixel) for every output
template <class F>
inline void for_each_output(const DirectShape& s, const Plan& plan, F f) {
  for (int64_t h = 0; h < s.h.out; ++h) {
    for (int64_t w = 0; w < s.w.out; ++w) {
      f((h * s.h.stride * plan.cols + w * s.w.stride) * kL, (h * s.w.out + w) * kL);
    }
  }
}

// The kernel of the depthwise convolution.
void convolve(const DirectShape& s, const float* x, const float* weight, const float* bias,
              float* out) {
  const Plan plan(s);
  const int64_t places = int64_t(plan.taps.size()), in = s.h.size * s.w.size;
  parallel_for(s.images * plan.blocks, 1, [&](int64_t begin, int64_t end) {
    const Buffer pixels(plan.size()), back(plan.outputs * kL), lanes(places * kL), start(kL);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t image = unit % s.images, block = unit / s.images, first = block * kL;
      const int64_t channels = channels_of(s, block);
      load_block(x + image * s.in_step + first * in, channels, s.h, s.w, plan.rows, plan.cols,
                 pixels.data());
      load_lanes(weight + first * places, channels, places, lanes.data());
      std::fill_n(start.data(), kL, 0.f);
      if (bias != nullptr) std::copy_n(bias + first, channels, start.data());
      for_each_output(s, plan, [&](int64_t from, int64_t to) {
        V sum = load(start.data());
        for (int64_t k = 0; k < places; ++k) {
          sum += load(pixels.data() + from + plan.taps[size_t(k)]) * load(lanes.data() + k * kL);
        }
        store(back.data() + to, sum);
      });
      store_pixels(back.data(), kL, plan.outputs, channels,
                   out + image * s.out_step + first * plan.outputs, plan.outputs);
    }
  });
}

// dx: every output's gradient goes to all places it looked at.
void input_gradient(const DirectShape& s, const float* grad, const float* weight, float* dx) {
  const Plan plan(s);
  const int64_t places = int64_t(plan.taps.size()), in = s.h.size * s.w.size;
  const Window h{s.h.out, 1, 1, 0, 1, s.h.out}, w{s.w.out, 1, 1, 0, 1, s.w.out};
  const int64_t rows = std::max(plan.rows, s.h.padding + s.h.size);
  const int64_t width = std::clamp<int64_t>(plan.cols - s.w.padding, 0, s.w.size);  // looked at
  parallel_for(s.images * plan.blocks, 1, [&](int64_t begin, int64_t end) {
    const Buffer pixels(rows * plan.cols * kL), grads(plan.outputs * kL);
    const Buffer lanes(places * kL);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t image = unit % s.images, block = unit / s.images, first = block * kL;
      const int64_t channels = channels_of(s, block);
      load_block(grad + image * s.out_step + first * plan.outputs, channels, h, w, s.h.out, s.w.out,
                 grads.data());
      load_lanes(weight + first * places, channels, places, lanes.data());
      std::fill_n(pixels.data(), rows * plan.cols * kL, 0.f);
      for_each_output(s, plan, [&](int64_t to, int64_t from) {
        const V g = load(grads.data() + from);
        for (int64_t k = 0; k < places; ++k) {
          float* place = pixels.data() + to + plan.taps[size_t(k)];
          store(place, load(place) + g * load(lanes.data() + k * kL));
        }
      });
      float* planes = dx + image * s.in_step + first * in;
      for (int64_t i = 0; i < s.h.size; ++i) {
        float* row = planes + i * s.w.size;
        store_pixels(pixels.data() + ((i + s.h.padding) * plan.cols + s.w.padding) * kL, kL, width,
                     channels, row, in);
        for (int64_t l = 0; l < channels; ++l) {  // columns that no output looks at
          std::fill(row + l * in + width, row + l * in + s.w.size, 0.f);
        }
      }
    }
  });
}

// dweight: what each place of the kernel was multiplied with, image after image.
void weight_gradient(const DirectShape& s, const float* x, const float* grad, float* dweight) {
  const Plan plan(s);
  const int64_t places = int64_t(plan.taps.size()), in = s.h.size * s.w.size;
  const Window h{s.h.out, 1, 1, 0, 1, s.h.out}, w{s.w.out, 1, 1, 0, 1, s.w.out};
  const Buffer sums(s.images * plan.blocks * places * kL);  // of every unit
  parallel_for(s.images * plan.blocks, 1, [&](int64_t begin, int64_t end) {
    const Buffer pixels(plan.size()), grads(plan.outputs * kL);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t image = unit % s.images, block = unit / s.images, first = block * kL;
      const int64_t channels = channels_of(s, block);
      load_block(x + image * s.in_step + first * in, channels, s.h, s.w, plan.rows, plan.cols,
                 pixels.data());
      load_block(grad + image * s.out_step + first * plan.outputs, channels, h, w, s.h.out, s.w.out,
                 grads.data());
      float* own = sums.data() + unit * places * kL;
      for (int64_t k = 0; k < places; ++k) {
        V sum[2] = {};  // two chains, so that one addition need not wait for the other
        for (int64_t i = 0; i < s.h.out; ++i) {
          const float* row = pixels.data() + plan.taps[size_t(k)] + i * s.h.stride * plan.cols * kL;
          const float* g = grads.data() + i * s.w.out * kL;
          int64_t j = 0;
          for (; j + 2 <= s.w.out; j += 2) {
            sum[0] += load(row + j * s.w.stride * kL) * load(g + j * kL);
            sum[1] += load(row + (j + 1) * s.w.stride * kL) * load(g + (j + 1) * kL);
          }
          if (j < s.w.out) sum[0] += load(row + j * s.w.stride * kL) * load(g + j * kL);
        }
        store(own + k * kL, sum[0] + sum[1]);
      }
    }
  });
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for (int64_t k = 0; k < places; ++k) {
      const float* sum = sums.data() + (c / kL * s.images * places + k) * kL + c % kL;
      float total = 0;
      for (int64_t image = 0; image < s.images; ++image) total += sum[image * places * kL];
      dweight[c * places + k] = total;
    }
  }
}
}  // namespace

template <>
const DepthwiseTable& table<DepthwiseTable, kIsa>() {
  static constexpr DepthwiseTable t{{&convolve, &input_gradient, &weight_gradient}};
  return t;
}
}  // namespace norch
