// The loops of Winograd's convolution. Images are cut into tiles of outputs, tiles of one row
// into strips, strips into blocks. For each block: turn its pixels so that channels are neighbours,
// transform (winograd_transform.h), multiply 36 small matrices, transform back, turn back. A block
// is so large that what it needs stays in the second-level cache.
//
//   U (36, panels, in, kPanel)      transformed kernels, once per call
//   V (36, tiles, in)               transformed patches of a block
//   M (36, panels, tiles, kPanel)   their products, or the transformed gradient of the output
//
// A panel is kPanel = 2 kL output channels: what the inner loop of the product holds at once.
#include "more/kernels/winograd.h"

#include <algorithm>
#include <atomic>

#include "more/kernels/pixels.h"
#include "more/kernels/winograd_transform.h"

namespace norch {
namespace {
using namespace winograd;

constexpr int64_t kStrip = 32;             // most tiles in a strip
constexpr int64_t kRoom = 640 << 10;       // bytes of V and M of a block
constexpr int64_t kManyWeights = 1 << 18;  // numbers in U that leave the cache between two blocks

struct Cut {
  int64_t out;    // a tile has (out, out) outputs
  int64_t pitch;  // of a row of V: in_channels, rounded up, and no power of two
  int64_t panels;
  int64_t tile_rows, tile_cols;  // of an image
  int64_t width, per_row;        // tiles in a strip, strips in a row of tiles
  int64_t strips, per_block;     // in all, in a block

  explicit Cut(const WinogradShape& s) {
    out = kIn + 1 - s.kernel;
    pitch = ceil_div(s.in_channels, kL) * kL;
    if (pitch % 256 == 0) pitch += kL;  // rows at such steps would map to the same cache lines
    panels = ceil_div(s.out_channels, kPanel);
    tile_rows = ceil_div(s.out_height, out);
    tile_cols = ceil_div(s.out_width, out);
    per_row = ceil_div(tile_cols, kStrip);
    width = ceil_div(tile_cols, per_row);
    strips = s.images * tile_rows * per_row;
    const int64_t of_tile = kPlaces * int64_t(sizeof(float)) * (pitch + panels * kPanel);
    const bool many = kPlaces * s.in_channels * panels * kPanel > kManyWeights;
    const int64_t tiles = std::clamp<int64_t>(kRoom / of_tile, many ? 96 : 24, 192);
    per_block = std::clamp<int64_t>(tiles / width, 1, std::max<int64_t>(strips, 1));
  }
  int64_t tiles() const { return per_block * width; }  // room for a block
  int64_t pixels() const {
    return (width * out + kIn - out) * kIn * kL;
  }  // under a strip, kL channels
  int64_t blocks() const { return ceil_div(strips, per_block); }
  // From one of the 36 matrices to the next, in V and in M: an odd number of vectors, so that the
  // same row of all 36 does not fall into few sets of the cache.
  int64_t v_step() const { return (tiles() * pitch) | kL; }
  int64_t m_step() const { return (tiles() * panels * kPanel) | kL; }
  // Matrix k of M, or of its kind: panels in turn, places one after the other.
  float* matrix(float* m, int64_t k) const {
    return m + k / panels * m_step() + k % panels * tiles() * kPanel;
  }
};

struct Strip {
  int64_t image, top, left;  // its first output
  int64_t rows, cols;        // of outputs that lie inside the image

  Strip(const WinogradShape& s, const Cut& cut, int64_t number) {
    const int64_t part = number % cut.per_row, row = number / cut.per_row;
    image = row / cut.tile_rows;
    top = row % cut.tile_rows * cut.out;
    left = part * cut.width * cut.out;
    rows = std::min(cut.out, s.out_height - top);
    cols = std::min(cut.width * cut.out, s.out_width - left);
  }
};

// A tile of more's Winograd kernel: c (kCount, kPanel) (+)= a (kCount, depth) times a panel b
// (depth, kPanel).
template <int kCount>
void multiply_tile(int64_t depth, const float* a, int64_t row_step, int64_t depth_step,
                   const float* b, float* c, bool accumulate) {
  V sum[kCount][2] = {};
#pragma GCC unroll 4
  for (int64_t p = 0; p < depth; ++p, a += depth_step, b += kPanel) {
    const V b0 = load(b), b1 = load(b + kL);
#pragma GCC unroll 12
    for (int i = 0; i < kCount; ++i) {
      sum[i][0] += a[i * row_step] * b0;
      sum[i][1] += a[i * row_step] * b1;
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < kCount; ++i, c += kPanel) {
    store(c, accumulate ? load(c) + sum[i][0] : sum[i][0]);
    store(c + kL, accumulate ? load(c + kL) + sum[i][1] : sum[i][1]);
  }
}

// more's Winograd convolution for any number of rows, by tiles.
void multiply(int64_t rows, int64_t depth, const float* a, int64_t row_step, int64_t depth_step,
              const float* b, float* c, bool accumulate) {
  const auto take = [&](auto count) {
    constexpr int kCount = decltype(count)::value;
    for (; rows >= kCount; rows -= kCount, a += kCount * row_step, c += kCount * kPanel) {
      multiply_tile<kCount>(depth, a, row_step, depth_step, b, c, accumulate);
    }
  };
  take(std::integral_constant<int, kRows>{});
  take(std::integral_constant<int, 4>{});
  take(std::integral_constant<int, 2>{});
  take(std::integral_constant<int, 1>{});
}

// weight (O, C, K, K), or turned (C, O, K, K) -> U
template <int kKernel>
void transform_weights(const WinogradShape& s, const Cut& cut, const float* weight, bool turned,
                       float* u) {
  constexpr int64_t n = kKernel * kKernel;
  const int64_t in = s.in_channels, out = s.out_channels;
  parallel_for(in, 16, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t o = 0; o < cut.panels * kPanel; o += kL) {
        float lanes[n][kL] = {};
        for (int64_t l = 0; l < std::min<int64_t>(kL, out - o); ++l) {
          const float* kernel = weight + (turned ? c * out + o + l : (o + l) * in + c) * n;
          for (int64_t i = 0; i < n; ++i) lanes[i][l] = kernel[turned ? n - 1 - i : i];
        }
        V kernels[n], places[kPlaces];
        for (int64_t i = 0; i < n; ++i) kernels[i] = load(lanes[i]);
        transform_kernel<kKernel>(kernels, places);
        for (int k = 0; k < kPlaces; ++k) {
          store(u + ((k * cut.panels + o / kPanel) * in + c) * kPanel + o % kPanel, places[k]);
        }
      }
    }
  });
}

// The patches of strips first ... last - 1 -> v, whose rows are counted from `first`.
void transform_patches(const WinogradShape& s, const Cut& cut, const float* x, int64_t first,
                       int64_t last, float* pixels, float* v) {
  const int64_t cols = cut.width * cut.out + kIn - cut.out;
  for (int64_t number = first; number < last; ++number) {
    const Strip strip(s, cut, number);
    const Planes image{x + strip.image * s.in_step, s.in_channels, s.height, s.width};
    float* rows = v + (number - first) * cut.width * cut.pitch;
    for (int64_t c = 0; c < s.in_channels; c += kL) {
      load_pixels(image.lanes_from(c), strip.top - s.pad_h, strip.left - s.pad_w, kIn, cols, pixels,
                  kL);
      for (int64_t t = 0; t < cut.width; ++t) {
        transform_input(pixels + t * cut.out * kL, cols * kL, kL, rows + t * cut.pitch + c,
                        cut.v_step());
      }
    }
  }
}

// Products m -> the outputs of one strip. Returns 0, or NaN if one of them is not finite.
template <int kOut>
V transform_back(const WinogradShape& s, const Cut& cut, const Strip& strip, const float* m,
                 const float* bias, float* pixels, float* out) {
  const Planes image{out + strip.image * s.out_step, s.out_channels, s.out_height, s.out_width};
  const int64_t plane = s.out_height * s.out_width;
  float* first = out + strip.image * s.out_step + strip.top * s.out_width + strip.left;
  V trouble{};
  for (int64_t o = 0; o < s.out_channels; o += kL, first += kL * plane) {
    // Else most of the time would be spent waiting for memory: outputs come few to a plane.
    if (strip.left == 0) prefetch_rows(image.lanes_from(o), strip.top, strip.rows);
    const float* products = m + o / kPanel * cut.tiles() * kPanel + o % kPanel;
    const V added = load(bias + o);
    for (int64_t t = 0; t * kOut < strip.cols; ++t) {
      V values[kOut][kOut], sum{};
      transform_output<kOut>(products + t * kPanel, cut.m_step(), values);
      const int64_t cols = std::min<int64_t>(kOut, strip.cols - t * kOut);
      for (int64_t i = 0; i < strip.rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) {
          const V value = values[i][j] + added;
          sum += value;
          store(pixels + (i * strip.cols + t * kOut + j) * kL, value);
        }
      }
      trouble += sum - sum;
    }
    const bool is_whole = strip.cols == s.out_width;  // then its rows are one run of pixels
    for (int64_t i = 0; i < (is_whole ? 1 : strip.rows); ++i) {
      store_pixels(pixels + i * strip.cols * kL, kL,
                   is_whole ? strip.rows * strip.cols : strip.cols,
                   std::min<int64_t>(kL, s.out_channels - o), first + i * s.out_width, plane);
    }
  }
  return trouble;
}

// For more's Winograd kernel: whether no result was infinite or NaN, from their differences.
bool is_finite(V trouble) {
  return fold<float>(trouble, [](float a, float b) { return a + b; }) == 0;
}

// The kernel of Winograd's convolution: blocks of tiles in parallel.
bool convolve(const WinogradShape& s, const float* x, const float* weight, bool turned,
              const float* bias, float* out) {
  const Cut cut(s);
  const int64_t in = s.in_channels, channels = cut.panels * kPanel;
  const auto back = cut.out == 4 ? &transform_back<4> : &transform_back<2>;
  const Buffer u(kPlaces * channels * in), padded_bias(channels);
  const auto transform = s.kernel == 3 ? &transform_weights<3> : &transform_weights<5>;
  transform(s, cut, weight, turned, u.data());
  std::fill_n(padded_bias.data(), channels, 0.f);
  if (bias != nullptr) std::copy_n(bias, s.out_channels, padded_bias.data());
  std::atomic<bool> all_finite{true};
  parallel_for(cut.blocks(), 1, [&](int64_t begin, int64_t end) {
    const Buffer pixels(cut.pixels()), v(kPlaces * cut.v_step()), m(kPlaces * cut.m_step());
    V trouble{};
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * cut.per_block;
      const int64_t last = std::min(cut.strips, first + cut.per_block);
      transform_patches(s, cut, x, first, last, pixels.data(), v.data());
      for (int64_t k = 0; k < kPlaces * cut.panels; ++k) {
        multiply((last - first) * cut.width, in, v.data() + k / cut.panels * cut.v_step(),
                 cut.pitch, 1, u.data() + k * in * kPanel, cut.matrix(m.data(), k), false);
      }
      for (int64_t number = first; number < last; ++number) {
        trouble +=
            back(s, cut, Strip(s, cut, number), m.data() + (number - first) * cut.width * kPanel,
                 padded_bias.data(), pixels.data(), out);
      }
    }
    if (!is_finite(trouble)) all_finite = false;
  });
  return all_finite;
}

// The gradients of the outputs of strips first ... last - 1 -> y (36, panels, tiles, kPanel).
template <int kOut>
void transform_gradients(const WinogradShape& s, const Cut& cut, const float* grad, int64_t first,
                         int64_t last, float* pixels, float* y) {
  const int64_t cols = cut.width * kOut;
  for (int64_t number = first; number < last; ++number) {
    const Strip strip(s, cut, number);
    const Planes image{grad + strip.image * s.out_step, s.out_channels, s.out_height, s.out_width};
    for (int64_t o = 0; o < s.out_channels; o += kL) {
      load_pixels(image.lanes_from(o), strip.top, strip.left, kOut, cols, pixels, kL);
      float* rows = cut.matrix(y, o / kPanel) + (number - first) * cut.width * kPanel + o % kPanel;
      for (int64_t t = 0; t < cut.width; ++t) {
        transform_gradient<kOut>(pixels + t * kOut * kL, cols * kL, kL, rows + t * kPanel,
                                 cut.m_step());
      }
    }
  }
}

// sums (36, panels, in, kPanel) += over the tiles of strips first ... last - 1
void add_products(const WinogradShape& s, const Cut& cut, const float* x, const float* grad,
                  int64_t first, int64_t last, float* sums) {
  const int64_t in = s.in_channels;
  const auto transform = cut.out == 4 ? &transform_gradients<4> : &transform_gradients<2>;
  const Buffer pixels(cut.pixels()), v(kPlaces * cut.v_step()), y(kPlaces * cut.m_step());
  for (; first < last; first += cut.per_block) {
    const int64_t end = std::min(last, first + cut.per_block);
    transform_patches(s, cut, x, first, end, pixels.data(), v.data());
    transform(s, cut, grad, first, end, pixels.data(), y.data());
    for (int64_t k = 0; k < kPlaces * cut.panels; ++k) {
      multiply(in, (end - first) * cut.width, v.data() + k / cut.panels * cut.v_step(), 1,
               cut.pitch, cut.matrix(y.data(), k), sums + k * in * kPanel, true);
    }
  }
}

// sums -> dweight (O, C, K, K)
template <int kKernel>
bool weights_of(const WinogradShape& s, const Cut& cut, const float* sums, float* dweight) {
  constexpr int64_t n = kKernel * kKernel;
  const int64_t in = s.in_channels, out = s.out_channels;
  std::atomic<bool> all_finite{true};
  parallel_for(in, 16, [&](int64_t begin, int64_t end) {
    float trouble = 0;
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t o = 0; o < out; o += kL) {
        V kernel[n];
        transform_kernel_gradient<kKernel>(sums + (o / kPanel * in + c) * kPanel + o % kPanel,
                                           cut.panels * in * kPanel, kernel);
        for (int64_t l = 0; l < std::min<int64_t>(kL, out - o); ++l) {
          for (int64_t i = 0; i < n; ++i) {
            const float value = kernel[i][l];
            trouble += value - value;
            dweight[((o + l) * in + c) * n + i] = value;
          }
        }
      }
    }
    if (trouble != 0) all_finite = false;
  });
  return all_finite;
}

// The kernel of the weight gradient by Winograd's way.
bool weight_gradient(const WinogradShape& s, const float* x, const float* grad, float* dweight) {
  const Cut cut(s);
  const auto add = [&](int64_t first, int64_t last, float* sums) {
    add_products(s, cut, x, grad, first, last, sums);
  };
  const int64_t size = kPlaces * cut.panels * kPanel * s.in_channels;
  const auto turn_back = s.kernel == 3 ? &weights_of<3> : &weights_of<5>;
  return turn_back(s, cut, sum_in_parts(size, cut.strips, cut.blocks(), add).data(), dweight);
}
}  // namespace

template <>
const WinogradTable& table<WinogradTable, kIsa>() {
  static constexpr WinogradTable t{&convolve, &weight_gradient};
  return t;
}
}  // namespace norch
