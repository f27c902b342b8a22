// Pooling, one output at a time.  What lies in the padding is skipped: for the maximum it can never
// win (a padding of zeros would beat negative numbers).
#include "kernels/pool.h"

#include <algorithm>
#include <limits>

#include "core/thread_pool.h"

namespace norch {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements under windows

// The input places under one output, along one direction: first, first + dilation, ... below last.
struct Span {
  int64_t first, last;
};

Span span_of(const Window& w, int64_t o) {
  int64_t first = w.start(o);
  const int64_t last = std::min(w.size, first + (w.kernel - 1) * w.dilation + 1);
  if (first < 0) first += (-first + w.dilation - 1) / w.dilation * w.dilation;
  return {first, last};
}

// plane(number) for all planes, in parallel.
template <class F>
void for_each_plane(int64_t planes, int64_t work, F plane) {
  parallel_for(planes, std::max<int64_t>(1, kGrain / (work + 1)), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) plane(k);
  });
}

template <class T>
void max_of_plane(const T* x, const Window& h, const Window& w, T* out, int64_t* index) {
  for (int64_t oh = 0; oh < h.out; ++oh) {
    const Span rows = span_of(h, oh);
    for (int64_t ow = 0; ow < w.out; ++ow, ++out, ++index) {
      const Span cols = span_of(w, ow);
      T most = -std::numeric_limits<T>::infinity();
      int64_t place = rows.first * w.size + cols.first;
      for (int64_t i = rows.first; i < rows.last; i += h.dilation) {
        for (int64_t j = cols.first; j < cols.last; j += w.dilation) {
          const T value = x[i * w.size + j];
          if (value > most || value != value) {
            most = value;
            place = i * w.size + j;
          }
        }
      }
      *out = most;
      *index = place;
    }
  }
}

void max_pool2d(const Array& x, const Window& h, const Window& w, Array& out, Array& index) {
  visit_floating(x.dtype, "max_pool2d", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = h.size * w.size, size = h.out * w.out;
    if (out.numel == 0) return;
    for_each_plane(out.numel / size, size * h.kernel * w.kernel, [&](int64_t k) {
      max_of_plane(x.data<T>() + k * in, h, w, out.data<T>() + k * size,
                   index.data<int64_t>() + k * size);
    });
  });
}

void max_pool2d_backward(const Array& grad, const Array& index, Array& dx, int64_t planes) {
  if (grad.numel == 0) return;
  visit_floating(grad.dtype, "max_pool2d_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = dx.numel / planes, size = grad.numel / planes;
    for_each_plane(planes, size, [&](int64_t k) {  // windows may overlap: each plane in order
      const T* g = grad.data<T>() + k * size;
      const int64_t* place = index.data<int64_t>() + k * size;
      T* out = dx.data<T>() + k * in;
      for (int64_t i = 0; i < size; ++i) out[place[i]] += g[i];
    });
  });
}

// Places of window o with its padding; with ceil_mode the last may reach beyond, which never
// counts.
int64_t padded_places(const Window& w, int64_t o) {
  return std::min(w.kernel, w.size + w.padding - w.start(o));
}

int64_t places(const Window& h, const Window& w, int64_t oh, int64_t ow, const Divisor& divisor) {
  if (divisor.fixed != 0) return divisor.fixed;
  if (divisor.counts_padding) return padded_places(h, oh) * padded_places(w, ow);
  const Span rows = span_of(h, oh), cols = span_of(w, ow);
  return (rows.last - rows.first) * (cols.last - cols.first);
}

// f(window's rows, window's columns, output place, divisor) for every output of a plane.
template <class F>
void for_each_window(const Window& h, const Window& w, const Divisor& divisor, F f) {
  for (int64_t oh = 0; oh < h.out; ++oh) {
    for (int64_t ow = 0; ow < w.out; ++ow) {
      const int64_t count = places(h, w, oh, ow, divisor);
      f(span_of(h, oh), span_of(w, ow), oh * w.out + ow, count);
    }
  }
}

void avg_pool2d(const Array& x, const Window& h, const Window& w, const Divisor& divisor,
                Array& out) {
  visit_floating(x.dtype, "avg_pool2d", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = h.size * w.size, size = h.out * w.out;
    if (out.numel == 0) return;
    for_each_plane(out.numel / size, size * h.kernel * w.kernel, [&](int64_t k) {
      const T* plane = x.data<T>() + k * in;
      T* means = out.data<T>() + k * size;
      for_each_window(h, w, divisor, [&](Span rows, Span cols, int64_t o, int64_t count) {
        T sum = 0;
        for (int64_t i = rows.first; i < rows.last; ++i) {
          for (int64_t j = cols.first; j < cols.last; ++j) sum += plane[i * w.size + j];
        }
        means[o] = sum / T(count);
      });
    });
  });
}

void avg_pool2d_backward(const Array& grad, const Window& h, const Window& w,
                         const Divisor& divisor, Array& dx) {
  visit_floating(grad.dtype, "avg_pool2d_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = h.size * w.size, size = h.out * w.out;
    if (grad.numel == 0) return;
    for_each_plane(grad.numel / size, size * h.kernel * w.kernel, [&](int64_t k) {
      const T* g = grad.data<T>() + k * size;
      T* plane = dx.data<T>() + k * in;
      for_each_window(h, w, divisor, [&](Span rows, Span cols, int64_t o, int64_t count) {
        const T share = g[o] / T(count);
        for (int64_t i = rows.first; i < rows.last; ++i) {
          for (int64_t j = cols.first; j < cols.last; ++j) plane[i * w.size + j] += share;
        }
      });
    });
  });
}

}  // namespace

template <>
const PoolTable& table<PoolTable, kIsa>() {
  static constexpr PoolTable t{&max_pool2d, &max_pool2d_backward, &avg_pool2d,
                               &avg_pool2d_backward};
  return t;
}

}  // namespace norch
