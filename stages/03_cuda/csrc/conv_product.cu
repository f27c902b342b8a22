// conv_product: the convolution of conv.cu and its gradients as products of matrices of which one
// is never stored (implicit GEMM). T is float or double. With r = (c, k) for all channels of a
// group and places of the kernel, and p = (sample, place):
//
//   out[o, p] = sum over r of weight[o, r] x[r under p]
//   dx[c, p] = sum over (o, k) of weight[o, c, k] grad[(o, k) over p]
//   dweight[o, r] = sum over p of grad[o, p] x[r under p]
//
// A tile of x is all a block needs at a time: its threads find the elements when they fetch it.
// Arrays have five dimensions (N or O, C, D, H, W). Sizes fit into 32 bits: see conv.py.

#include "product.h"
#include "window.h"

constexpr int kEach = 4;
constexpr int kSide = Tile<kEach>::kSide;

struct Spot {
  int volume, d, h, w;
};

// Number i of (volume, depth, height, width), and the next one.
__device__ inline Spot spot_of(int i, int depth, int height, int width) {
  int row = i / width, plane = row / height;
  int volume = depth == 1 ? plane : plane / depth;
  return {volume, plane - volume * depth, row - plane * height, i - row * width};
}
__device__ inline void move_on(Spot& s, int depth, int height, int width) {
  if (++s.w < width) return;
  s.w = 0;
  if (++s.h < height) return;
  s.h = 0;
  if (++s.d < depth) return;
  s.d = 0, s.volume++;
}

// Where place k of the kernel lies when the window stands at `place`; kBack: the stop for which it
// lies at `place`. -1: nowhere.
template <bool kBack>
__device__ inline int other_place(const Window& v, int place, int k) {
  int stride = static_cast<int>(v.stride), moved = k * static_cast<int>(v.dilation);
  if (!kBack) {
    int p = place * stride - static_cast<int>(v.padding) + moved;
    return p < static_cast<int>(v.size) ? p : -1;
  }
  int p = place + static_cast<int>(v.padding) - moved, stop = stride == 1 ? p : p / stride;
  return p >= 0 && stop * stride == p && stop < static_cast<int>(v.out) ? stop : -1;
}

// The elements of x under a window, or of grad over a place.
template <bool kBack>
struct Gathered {
  const Windows& v;
  const Layout& layout;
  const T* group;  // its first channel

  __device__ Spot tap(int r) const {
    return spot_of(r, static_cast<int>(v.d.kernel), static_cast<int>(v.h.kernel),
                   static_cast<int>(v.w.kernel));
  }
  __device__ int depth() const { return static_cast<int>(kBack ? v.d.size : v.d.out); }
  __device__ int height() const { return static_cast<int>(kBack ? v.h.size : v.h.out); }
  __device__ int width() const { return static_cast<int>(kBack ? v.w.size : v.w.out); }
  __device__ Spot place(int p) const { return spot_of(p, depth(), height(), width()); }
  __device__ void next(Spot& s) const { move_on(s, depth(), height(), width()); }

  __device__ T at(const Spot& place, const Spot& tap) const {
    int d = other_place<kBack>(v.d, place.d, tap.d), h = other_place<kBack>(v.h, place.h, tap.h);
    int w = other_place<kBack>(v.w, place.w, tap.w);
    if (d < 0 || h < 0 || w < 0) return T(0);
    const i64* s = layout.strides;
    return group[place.volume * s[0] + tap.volume * s[1] + d * s[2] + h * s[3] + w * s[4]];
  }
};

// The weights of a group as the left matrix, by rows.
struct Weights {
  Part<kEach> part;
  const T* row;
  int side, depth;

  __device__ Weights(const T* first, int side_left, int depth_)
      : part(true),
        row(first + static_cast<i64>(part.s) * depth_),
        side(side_left),
        depth(depth_) {}
  __device__ Quad quad(int start) const {
    Quad quad;
    for (int i = 0; i < kQuad; i++) {
      int l = start + part.l + i;
      quad.of[i] = part.s < side && l < depth ? row[l] : T(0);
    }
    return quad;
  }
};

// Four neighbouring places, and one tap of each tile.
template <bool kBack>
struct Columns {
  Part<kEach> part;
  const Gathered<kBack>& from;
  Spot first;
  int side, depth;

  __device__ Columns(const Gathered<kBack>& from_, int left, int places, int depth_)
      : part(false), from(from_), depth(depth_) {
    first = from.place(left + part.s), side = places - left - part.s;
  }
  __device__ Quad quad(int start) const {
    Quad quad;
    Spot tap = from.tap(start + part.l), place = first;
    bool there = start + part.l < depth;
    for (int i = 0; i < kQuad; i++, from.next(place)) {
      quad.of[i] = there && i < side ? from.at(place, tap) : T(0);
    }
    return quad;
  }
};

// One block: a tile of out (or dx) of one group: `rows` channels by `places`. weight has the groups
// one after the other, each (rows, depth); out is contiguous.
template <bool kBack>
__device__ void multiply_columns(int groups, int rows, int places, int depth, const T* weight,
                                 i64 bias_step, const T* bias, const Layout& layout, const T* x,
                                 T* out, const Windows& v) {
  int across = (places + kSide - 1) / kSide, down = (rows + kSide - 1) / kSide;
  int group = blockIdx.x / across / down;
  int top = blockIdx.x / across % down * kSide, left = blockIdx.x % across * kSide;
  i64 taps = v.d.kernel * v.h.kernel * v.w.kernel;
  Gathered<kBack> from{v, layout, x + group * (depth / taps) * layout.strides[1]};
  Weights weights(weight + (static_cast<i64>(group) * rows + top) * depth, rows - top, depth);
  Columns<kBack> columns(from, left, places, depth);
  T sums[kEach][kEach] = {};
  multiply_tile<kEach>(0, depth, weights, columns, sums);
  int size = from.depth() * from.height() * from.width();  // of a channel
#pragma unroll
  for (int j = 0; j < kEach; j++) {
    int p = left + place_of(threadIdx.x, j), sample = p / size;
#pragma unroll
    for (int i = 0; i < kEach; i++) {
      int row = top + place_of(threadIdx.y, i);
      if (p >= places || row >= rows) continue;
      i64 channel = static_cast<i64>(group) * rows + row;
      T shift = bias == nullptr ? T(0) : bias[channel * bias_step];
      out[(static_cast<i64>(sample) * groups * rows + channel) * size + p - sample * size] =
          sums[i][j] + shift;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    conv_product_kernel(i64 groups, i64 rows, i64 places, i64 depth, const T* weight, i64 bias_step,
                        const T* bias, Layout layout, const T* x, T* out, Windows v) {
  multiply_columns<false>(groups, rows, places, depth, weight, bias_step, bias, layout, x, out, v);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    conv_product_backward_input_kernel(i64 groups, i64 rows, i64 places, i64 depth, const T* weight,
                                       Layout layout, const T* grad, T* dx, Windows v) {
  multiply_columns<true>(groups, rows, places, depth, weight, 0, nullptr, layout, grad, dx, v);
}

// The gradients of a group's outputs as the left matrix: four neighbouring places of one output.
struct Gradients {
  Part<kEach> part;
  const T* row;  // of this output in the first sample
  i64 sample_step;
  int side, size, end;

  __device__ Quad quad(int start) const {
    Quad quad;
    for (int i = 0; i < kQuad; i++) {
      int p = start + part.l + i, sample = p / size;
      quad.of[i] = part.s < side && p < end ? row[sample * sample_step + p - sample * size] : T(0);
    }
    return quad;
  }
};

// Four neighbouring taps, and one place of each tile.
struct Rows {
  Part<kEach> part;
  const Gathered<false>& from;
  Spot first;
  int side, end;

  __device__ Quad quad(int start) const {
    Quad quad;
    int p = start + part.l;
    Spot place = from.place(p), tap = first;
    for (int i = 0; i < kQuad; i++) {
      quad.of[i] = p < end && i < side ? from.at(place, tap) : T(0);
      move_on(tap, static_cast<int>(from.v.d.kernel), static_cast<int>(from.v.h.kernel),
              static_cast<int>(from.v.w.kernel));
    }
    return quad;
  }
};

// One block: a tile of dweight of one group, (outs, depth), summed over one of `chunks` parts of
// the places: dweight is (chunks, groups, outs, depth). grad is contiguous.
extern "C" __global__ void __launch_bounds__(256, 2)
    conv_product_backward_weight_kernel(i64 groups, i64 outs, i64 depth, i64 places, i64 chunk,
                                        const T* grad, Layout layout, const T* x, T* dweight,
                                        Windows v) {
  int across = (static_cast<int>(depth) + kSide - 1) / kSide;
  int down = (static_cast<int>(outs) + kSide - 1) / kSide;
  int part = blockIdx.x / across / down, group = part % static_cast<int>(groups);
  int top = blockIdx.x / across % down * kSide, left = blockIdx.x % across * kSide;
  int begin = part / static_cast<int>(groups) * static_cast<int>(chunk);
  int end = static_cast<int>(min(begin + chunk, places));
  i64 taps = v.d.kernel * v.h.kernel * v.w.kernel, size = v.d.out * v.h.out * v.w.out;
  Gathered<false> from{v, layout, x + group * (depth / taps) * layout.strides[1]};
  Part<kEach> of_a(true), of_b(false);
  Gradients gradients{of_a,
                      grad + (group * outs + top + of_a.s) * size,
                      groups * outs * size,
                      static_cast<int>(outs) - top,
                      static_cast<int>(size),
                      end};
  Rows rows{of_b, from, from.tap(left + of_b.s), static_cast<int>(depth) - left - of_b.s, end};
  T sums[kEach][kEach] = {};
  multiply_tile<kEach>(begin, end, gradients, rows, sums);
  for_each_quad(sums, static_cast<int>(outs) - top, static_cast<int>(depth) - left,
                [&](int i, int j, const Quad& quad) {
                  T* to = dweight + (part * outs + top + i) * depth + left + j;
                  for (int q = 0; q < kQuad; q++) {
                    if (left + j + q < depth) to[q] = quad.of[q];
                  }
                });
}
