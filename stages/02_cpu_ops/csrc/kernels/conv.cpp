// im2col and col2im, row by row of the output.
#include "kernels/conv.h"

#include <algorithm>

#include "kernels/taps.h"

namespace norch {
namespace {
// row(line of columns, input row or null when it lies in the padding, Inside) for all lines.
template <class T, class Image, class Columns, class Row>
void for_each_line(const Patches& p, Image* image, Columns* columns, Row row) {
  const int64_t plane = p.h.size * p.w.size;
  for (int64_t r = 0; r < p.rows(); ++r) {
    const int64_t kw = r % p.w.kernel, kh = r / p.w.kernel % p.h.kernel;
    const int64_t kd = r / (p.w.kernel * p.h.kernel) % p.d.kernel, c = r / p.places();
    const Inside range = inside(p.w, kw);
    for (int64_t line = 0; line < p.d.out * p.h.out; ++line, columns += p.w.out) {
      const int64_t id = p.d.start(line / p.h.out) + kd * p.d.dilation;
      const int64_t ih = p.h.start(line % p.h.out) + kh * p.h.dilation;
      const bool is_padding = id < 0 || id >= p.d.size || ih < 0 || ih >= p.h.size;
      const int64_t from = is_padding ? 0 : (c * p.d.size + id) * plane + ih * p.w.size;
      row(columns, is_padding ? nullptr : image + from, range);
    }
  }
}

// The convolution kernel im2col of one type: every patch of one image becomes a column.
template <class T>
void im2col_of(const Patches& p, const T* image, T* columns) {
  const int64_t out = p.w.out, stride = p.w.stride;
  for_each_line<T>(p, image, columns, [=](T* line, const T* from, const Inside& r) {
    // ex 2.9 begin
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
    // ex 2.9 end
  });
}

// The convolution kernel col2im of one type: columns are added back to their pixels.
template <class T>
void col2im_of(const Patches& p, const T* columns, T* image) {
  const int64_t stride = p.w.stride;
  for_each_line<T>(p, image, columns, [=](const T* line, T* to, const Inside& r) {
    // ex 2.10 begin
    if (to == nullptr) return;
    if (stride == 1) {
      T* target = to + r.start;
      for (int64_t o = r.first; o < r.last; ++o) target[o - r.first] += line[o];
    } else {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
    // ex 2.10 end
  });
}

// The kernel of im2col, for float32 and float64.
void im2col(const Patches& p, DType dtype, const void* image, void* columns) {
  visit_floating(dtype, "im2col", [&](auto tag) {
    using T = typename decltype(tag)::type;
    im2col_of(p, static_cast<const T*>(image), static_cast<T*>(columns));
  });
}

// The kernel of col2im, for float32 and float64.
void col2im(const Patches& p, DType dtype, const void* columns, void* image) {
  visit_floating(dtype, "im2col", [&](auto tag) {
    using T = typename decltype(tag)::type;
    col2im_of(p, static_cast<const T*>(columns), static_cast<T*>(image));
  });
}
}  // namespace

template <>
const ConvTable& table<ConvTable, kIsa>() {
  static constexpr ConvTable t{&im2col, &col2im};
  return t;
}
}  // namespace norch
