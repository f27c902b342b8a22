// Pooling, one direction after the other: the largest of a window is the largest of its rows'
// largest, and a sum of sums is a sum. So a plane is swept along its rows, then along its columns,
// then in depth; a window of k x k costs about 2 k steps, and every step runs over neighbours,
// which becomes vector code. What lies in the padding is skipped: for the maximum it can never win
// (a padding of zeros would beat negative numbers).
#include "kernels/pool.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include "core/thread_pool.h"
#include "kernels/taps.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 14;       // elements under windows
constexpr int64_t kPrefetched = 1 << 15;  // bytes of the largest plane that is fetched ahead

// planes(begin, end) covers all planes, in parallel.
template <class F>
void for_planes(int64_t planes, const Windows& w, F f) {
  const int64_t work = w.in() + w.out();
  parallel_for(planes, std::max<int64_t>(1, kGrain / (work + 1)), f);
}

// tap(input line, output line, is_first) for every output line and every place of the kernel
// inside, in order: how a sweep across lines of neighbours goes.
template <class Tap>
void for_each_line(const Window& w, Tap tap) {
  for (int64_t o = 0; o < w.out; ++o) {
    const Taps inside = taps_of(w, o);
    for (int64_t k = inside.first; k < inside.last; ++k) {
      tap(w.start(o) + k * w.dilation, o, k == inside.first);
    }
  }
}

// Whether rows follow each other so that one long row of outputs sees the same taps.
bool rows_join(const Window& w) {
  return w.padding == 0 && w.size == w.out * w.stride && (w.kernel - 1) * w.dilation < w.stride;
}

// Calls f with the stride as a constant where that makes better code.
template <class F>
void with_stride(int64_t stride, F f) {
  if (stride == 1) return f(std::integral_constant<int, 1>{});
  if (stride == 2) return f(std::integral_constant<int, 2>{});
  f(stride);
}

// A maximum and its place in the plane; P is an integer of the size of T, so that both fill vectors
// alike.
template <class T, class P>
struct Largest {
  T* value;
  P* place;
};

// to[o] = the larger of to[o] and from[o * stride], n times; of equals the first stays, and NaN
// always wins. The places are where[o * stride], or (without `where`) first + o * stride.
template <bool has_places, class T, class P, class Stride>
inline void take_larger(const T* __restrict from, const P* __restrict where, P first, Stride stride,
                        int64_t n, T* __restrict value, P* __restrict place) {
  for (int64_t o = 0; o < n; ++o) {
    const T candidate = from[o * stride], most = value[o];
    const P here = has_places ? where[o * stride] : P(first + P(o) * P(stride)), old = place[o];
    const bool stays = (candidate <= most) | ((most != most) & (candidate == candidate));
    value[o] = stays ? most : candidate;
    place[o] = stays ? old : here;
  }
}

template <class T>
constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::lowest();

// One row of maxima along rows of the plane: x (rows, size) -> to (rows, out).
template <class T, class P>
void max_along_rows(const T* x, int64_t rows, Window w, Largest<T, P> to) {
  if (rows_join(w)) {
    w.size *= rows;
    w.out *= rows;
    rows = 1;
  }
  const Taps reached = taps(w);
  with_stride(w.stride, [&](auto stride) {
    for (int64_t r = 0; r < rows; ++r, x += w.size) {
      T* value = to.value + r * w.out;
      P* place = to.place + r * w.out;
      if (w.padding > 0) {
        for (int64_t o = 0; o < w.out; ++o) {
          value[o] = kLowest<T>;
          place[o] = P(r * w.size + w.start(o) + taps_of(w, o).first * w.dilation);
        }
      }
      for (int64_t k = reached.first; k < reached.last; ++k) {
        const Inside range = inside(w, k);
        const T* from = x + range.start;
        const P first = P(r * w.size + range.start);
        T* v = value + range.first;
        P* p = place + range.first;
        const bool starts = k == 0 && w.padding == 0;
        for (int64_t o = 0; starts && o < range.last - range.first; ++o) {
          v[o] = from[o * stride];
          p[o] = first + P(o * stride);
        }
        if (!starts)
          take_larger<false, T, P>(from, nullptr, first, stride, range.last - range.first, v, p);
      }
    }
  });
}

// Maxima across lines of `width` neighbours: from (size, width) -> to (out, width).
template <class T, class P>
void max_across(Largest<T, P> from, const Window& w, int64_t width, Largest<T, P> to) {
  for_each_line(w, [&](int64_t i, int64_t o, bool is_first) {
    const T* candidate = from.value + i * width;
    const P* where = from.place + i * width;
    T* value = to.value + o * width;
    P* place = to.place + o * width;
    if (is_first) {
      std::copy_n(candidate, width, value);
      std::copy_n(where, width, place);
      return;
    }
    take_larger<true, T, P>(candidate, where, 0, std::integral_constant<int, 1>{}, width, value,
                            place);
  });
}

// max_pool of some planes: along rows, then columns, then depth.
template <class T, class P>
void max_of_planes(const T* x, const Windows& w, T* out, int64_t* index, int64_t planes) {
  const int64_t lines = w.d.size * w.h.size, row = w.w.out, sheet = w.h.out * row;
  const Room<T> values(lines * row + w.d.size * sheet);
  const Room<P> places(lines * row + w.d.size * sheet + w.out());
  const Largest<T, P> rows{values.data(), places.data()};
  const Largest<T, P> sheets{values.data() + lines * row, places.data() + lines * row};
  P* found = places.data() + lines * row + w.d.size * sheet;
  for (int64_t k = 0; k < planes; ++k, x += w.in(), out += w.out(), index += w.out()) {
    max_along_rows(x, lines, w.w, rows);
    const bool is_flat = w.d.size == 1 && w.d.kernel == 1;
    const Largest<T, P> last{out, found}, to = is_flat ? last : sheets;
    for (int64_t d = 0; d < w.d.size; ++d) {
      max_across<T, P>({rows.value + d * w.h.size * row, rows.place + d * w.h.size * row}, w.h, row,
                       {to.value + d * sheet, to.place + d * sheet});
    }
    if (!is_flat) max_across<T, P>(sheets, w.d, sheet, last);
    for (int64_t i = 0; i < w.out(); ++i) index[i] = found[i];
  }
}

// The kernel of max_pool: planes in parallel.
void max_pool(const Array& x, const Windows& w, Array& out, Array& index) {
  if (out.numel == 0) return;
  const auto pool = [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Small = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    const bool is_small = w.in() <= std::numeric_limits<Small>::max();
    for_planes(out.numel / w.out(), w, [&](int64_t begin, int64_t end) {
      const auto run = is_small ? &max_of_planes<T, Small> : &max_of_planes<T, int64_t>;
      run(x.data<T>() + begin * w.in(), w, out.data<T>() + begin * w.out(),
          index.data<int64_t>() + begin * w.out(), end - begin);
    });
  };
  if (x.dtype == DType::kInt64) return pool(Tag<int64_t>{});
  visit_floating(x.dtype, "max_pool", pool);
}

// The kernel of max_pool's gradient: planes in parallel, each while it is in the cache.
bool max_pool_backward(const Array& grad, const Array& index, Array& dx, int64_t planes) {
  std::atomic<bool> all_inside{true};
  visit_floating(grad.dtype, "max_pool_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = dx.numel / planes, size = grad.numel / planes;
    parallel_for(planes, std::max<int64_t>(1, kGrain / (in + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {  // windows may overlap: each plane in order
        const T* g = grad.data<T>() + k * size;
        const int64_t* place = index.data<int64_t>() + k * size;
        T* out = dx.data<T>() + k * in;
        bool is_inside = true;
        for (int64_t i = 0; i < size; ++i) is_inside &= uint64_t(place[i]) < uint64_t(in);
        if (!is_inside) all_inside = false;
        constexpr int64_t kLine = kAlignment / sizeof(T);
        const bool has_next = k + 1 < end && in * int64_t(sizeof(T)) <= kPrefetched;
        for (int64_t i = in; has_next && i < 2 * in; i += kLine) __builtin_prefetch(out + i, 1);
        std::fill_n(out, in, T(0));
        for (int64_t i = 0; is_inside && i < size; ++i) out[place[i]] += g[i];
      }
    });
  });
  return all_inside;
}

// The places of window o that count; with ceil_mode the last may reach beyond the padding, and what
// lies there never does.
int64_t places(const Window& w, int64_t o, bool counts_padding) {
  const int64_t first = counts_padding ? w.start(o) : std::max<int64_t>(w.start(o), 0);
  return std::min(w.start(o) + w.kernel, w.size + (counts_padding ? w.padding : 0)) - first;
}

// values (out) / the places of each window
template <class T>
void divide(T* values, const Windows& w, const Divisor& divisor) {
  for (int64_t d = 0; d < w.d.out; ++d) {
    for (int64_t h = 0; h < w.h.out; ++h, values += w.w.out) {
      const int64_t lines =
          places(w.d, d, divisor.counts_padding) * places(w.h, h, divisor.counts_padding);
      for (int64_t o = 0; o < w.w.out; ++o) {
        const int64_t count = lines * places(w.w, o, divisor.counts_padding);
        values[o] /= T(divisor.fixed != 0 ? divisor.fixed : count);
      }
    }
  }
}

// to (rows, out) = sums along rows of x (rows, size), or, as `spreads`, x += what `to` holds.
template <bool spreads, class T>
void sum_along_rows(std::conditional_t<spreads, T, const T>* x, int64_t rows, Window w,
                    std::conditional_t<spreads, const T, T>* to) {
  if (rows_join(w)) {
    w.size *= rows;
    w.out *= rows;
    rows = 1;
  }
  const Taps reached = taps(w);
  with_stride(w.stride, [&](auto stride) {
    for (int64_t r = 0; r < rows; ++r, x += w.size, to += w.out) {
      for (int64_t k = reached.first; k < reached.last; ++k) {
        const Inside range = inside(w, k);
        auto* a = x + range.start;
        auto* b = to + range.first;
        for (int64_t o = 0; o < range.last - range.first; ++o) {
          if constexpr (spreads) {
            a[o * stride] += b[o];
          } else {
            b[o] += a[o * stride];
          }
        }
      }
    }
  });
}

// The same across lines of `width` neighbours.
template <bool spreads, class T>
void sum_across(std::conditional_t<spreads, T, const T>* x, const Window& w, int64_t width,
                std::conditional_t<spreads, const T, T>* to) {
  for_each_line(w, [&](int64_t i, int64_t o, bool) {
    auto* a = x + i * width;
    auto* b = to + o * width;
    for (int64_t j = 0; j < width; ++j) {
      if constexpr (spreads) {
        a[j] += b[j];
      } else {
        b[j] += a[j];
      }
    }
  });
}

// The kernel of avg_pool: planes in parallel.
void avg_pool(const Array& x, const Windows& w, const Divisor& divisor, Array& out) {
  if (out.numel == 0) return;
  visit_floating(x.dtype, "avg_pool", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t lines = w.d.size * w.h.size, row = w.w.out, sheet = w.h.out * row;
    for_planes(out.numel / w.out(), w, [&](int64_t begin, int64_t end) {
      const int64_t size = lines * row + w.d.size * sheet;
      const Room<T> room(size);
      T *rows = room.data(), *sheets = rows + lines * row;
      for (int64_t k = begin; k < end; ++k) {
        T* mean = out.data<T>() + k * w.out();
        std::fill_n(rows, size, T(0));
        std::fill_n(mean, w.out(), T(0));
        sum_along_rows<false, T>(x.data<T>() + k * w.in(), lines, w.w, rows);
        for (int64_t d = 0; d < w.d.size; ++d) {
          sum_across<false, T>(rows + d * w.h.size * row, w.h, row, sheets + d * sheet);
        }
        sum_across<false, T>(sheets, w.d, sheet, mean);
        divide(mean, w, divisor);
      }
    });
  });
}

// The sums in reverse: shares are spread in depth, down the columns, along the rows.
void avg_pool_backward(const Array& grad, const Windows& w, const Divisor& divisor, Array& dx) {
  if (dx.numel == 0) return;
  visit_floating(grad.dtype, "avg_pool_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t lines = w.d.size * w.h.size, row = w.w.out, sheet = w.h.out * row;
    for_planes(dx.numel / w.in(), w, [&](int64_t begin, int64_t end) {
      const int64_t size = lines * row + w.d.size * sheet;
      const Room<T> room(size + w.out());
      T *rows = room.data(), *sheets = rows + lines * row, *shares = rows + size;
      for (int64_t k = begin; k < end; ++k) {
        T* image = dx.data<T>() + k * w.in();
        std::fill_n(rows, size, T(0));
        std::fill_n(image, w.in(), T(0));
        std::copy_n(grad.data<T>() + k * w.out(), w.out(), shares);
        divide(shares, w, divisor);
        sum_across<true, T>(sheets, w.d, sheet, shares);
        for (int64_t d = 0; d < w.d.size; ++d) {
          sum_across<true, T>(rows + d * w.h.size * row, w.h, row, sheets + d * sheet);
        }
        sum_along_rows<true, T>(image, lines, w.w, rows);
      }
    });
  });
}
}  // namespace

template <>
const PoolTable& table<PoolTable, kIsa>() {
  static constexpr PoolTable t{&max_pool, &max_pool_backward, &avg_pool, &avg_pool_backward};
  return t;
}
}  // namespace norch
