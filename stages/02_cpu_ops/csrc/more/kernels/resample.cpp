// One pass along the rows, one across them; backwards in the other order.
#include "more/kernels/resample.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/thread_pool.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 14;  // elements of planes

// f(begin, end) over the planes of images, in parallel.
template <class F>
void for_planes(int64_t planes, int64_t elements, F f) {
  parallel_for(planes, std::max<int64_t>(1, kGrain / (elements + 1)), f);
}

// f(output, input, weight) for all that belong together
template <class T, class F>
inline void for_each_pair(const Resampling& line, F f) {
  for (int64_t o = 0; o < line.out(); ++o) {
    for (int64_t i = line.begin[size_t(o)]; i < line.begin[size_t(o) + 1]; ++i) {
      f(o, line.place[size_t(i)], T(line.weight[size_t(i)]));
    }
  }
}

// to += factor * from, for a line of an image.
template <class T>
void add_scaled(const T* from, T factor, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

// The kernel of interpolation and adaptive pooling.
void resample(const Resampling& rows, const Resampling& cols, const Array& x, Array& out) {
  if (out.numel == 0) return;
  visit_floating(x.dtype, "resample", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = rows.in * cols.in, size = rows.out() * cols.out(), width = cols.out();
    for_planes(out.numel / size, in + size, [&](int64_t begin, int64_t end) {
      std::vector<T> narrow(to_size(rows.in * width));
      for (int64_t k = begin; k < end; ++k) {
        const T* from = x.data<T>() + k * in;
        T* to = out.data<T>() + k * size;
        std::fill(narrow.begin(), narrow.end(), T(0));
        for (int64_t r = 0; r < rows.in; ++r) {
          T* line = narrow.data() + r * width;
          for_each_pair<T>(
              cols, [&](int64_t o, int64_t i, T w) { line[o] += w * from[r * cols.in + i]; });
        }
        std::fill_n(to, size, T(0));
        for_each_pair<T>(rows, [&](int64_t o, int64_t i, T w) {
          add_scaled(narrow.data() + i * width, w, width, to + o * width);
        });
      }
    });
  });
}

// The kernel of its gradient.
void resample_backward(const Resampling& rows, const Resampling& cols, const Array& grad,
                       Array& dx) {
  if (dx.numel == 0) return;
  visit_floating(grad.dtype, "resample_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = rows.in * cols.in, size = rows.out() * cols.out(), width = cols.out();
    for_planes(dx.numel / in, in + size, [&](int64_t begin, int64_t end) {
      std::vector<T> narrow(to_size(rows.in * width));
      for (int64_t k = begin; k < end; ++k) {
        const T* from = grad.data<T>() + k * size;
        T* to = dx.data<T>() + k * in;
        std::fill(narrow.begin(), narrow.end(), T(0));
        for_each_pair<T>(rows, [&](int64_t o, int64_t i, T w) {
          add_scaled(from + o * width, w, width, narrow.data() + i * width);
        });
        std::fill_n(to, in, T(0));
        for (int64_t r = 0; r < rows.in; ++r) {
          const T* line = narrow.data() + r * width;
          for_each_pair<T>(cols,
                           [&](int64_t o, int64_t i, T w) { to[r * cols.in + i] += w * line[o]; });
        }
      }
    });
  });
}

// The largest element of a plane under each output, and its place.
template <class T>
void max_of_plane(const Resampling& rows, const Resampling& cols, const T* x, T* out,
                  int64_t* index) {
  for (int64_t r = 0; r < rows.out(); ++r) {
    for (int64_t c = 0; c < cols.out(); ++c, ++out, ++index) {
      const size_t first_row = size_t(rows.begin[size_t(r)]),
                   first_col = size_t(cols.begin[size_t(c)]);
      *out = -std::numeric_limits<T>::infinity();
      *index = rows.place[first_row] * cols.in + cols.place[first_col];
      for (size_t i = first_row; i < size_t(rows.begin[size_t(r) + 1]); ++i) {
        for (size_t j = first_col; j < size_t(cols.begin[size_t(c) + 1]); ++j) {
          const int64_t place = rows.place[i] * cols.in + cols.place[j];
          const T value = x[place];
          if (value > *out || value != value) {
            *out = value;
            *index = place;
          }
        }
      }
    }
  }
}

// The kernel of adaptive_max_pool2d.
void resample_max(const Resampling& rows, const Resampling& cols, const Array& x, Array& out,
                  Array& index) {
  if (out.numel == 0) return;
  visit_floating(x.dtype, "resample_max", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in = rows.in * cols.in, size = rows.out() * cols.out();
    for_planes(out.numel / size, in + size, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        max_of_plane(rows, cols, x.data<T>() + k * in, out.data<T>() + k * size,
                     index.data<int64_t>() + k * size);
      }
    });
  });
}
}  // namespace

template <>
const ResampleTable& table<ResampleTable, kIsa>() {
  static constexpr ResampleTable t{&resample, &resample_backward, &resample_max};
  return t;
}
}  // namespace norch
