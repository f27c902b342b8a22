// im2col and col2im, row by row of the output.
#include "kernels/conv.h"

#include <algorithm>

namespace norch {
namespace {

// The outputs [first, last) of a row whose input position lies inside the image; k: place in
// kernel.
struct Inside {
  int64_t first, last, start;  // start: the input position of output `first`
};

Inside inside(const Window& w, int64_t k) {
  const int64_t shift = k * w.dilation - w.padding;  // input = output * stride + shift
  const int64_t first = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
  const int64_t room = w.size - 1 - shift;
  const int64_t last = room < 0 ? 0 : std::min(w.out, room / w.stride + 1);
  return {std::min(first, w.out), std::max(last, std::min(first, w.out)), first * w.stride + shift};
}

// row(line of columns, input row or null when it lies in the padding, Inside) for all lines.
template <class T, class Image, class Columns, class Row>
void for_each_line(const Patches& p, Image* image, Columns* columns, Row row) {
  for (int64_t c = 0; c < p.channels; ++c) {
    for (int64_t kh = 0; kh < p.h.kernel; ++kh) {
      for (int64_t kw = 0; kw < p.w.kernel; ++kw) {
        const Inside range = inside(p.w, kw);
        for (int64_t oh = 0; oh < p.h.out; ++oh, columns += p.w.out) {
          const int64_t ih = oh * p.h.stride - p.h.padding + kh * p.h.dilation;
          const bool is_padding = ih < 0 || ih >= p.h.size;
          row(columns, is_padding ? nullptr : image + (c * p.h.size + ih) * p.w.size, range);
        }
      }
    }
  }
}

template <class T>
void im2col_of(const Patches& p, const T* image, T* columns) {
  const int64_t out = p.w.out, stride = p.w.stride;
  for_each_line<T>(p, image, columns, [=](T* line, const T* from, const Inside& r) {
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
  });
}

template <class T>
void col2im_of(const Patches& p, const T* columns, T* image) {
  const int64_t stride = p.w.stride;
  for_each_line<T>(p, image, columns, [=](const T* line, T* to, const Inside& r) {
    if (to == nullptr) return;
    if (stride == 1) {
      T* target = to + r.start;
      for (int64_t o = r.first; o < r.last; ++o) target[o - r.first] += line[o];
    } else {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
  });
}

void im2col(const Patches& p, DType dtype, const void* image, void* columns) {
  visit_floating(dtype, "conv2d", [&](auto tag) {
    using T = typename decltype(tag)::type;
    im2col_of(p, static_cast<const T*>(image), static_cast<T*>(columns));
  });
}

void col2im(const Patches& p, DType dtype, const void* columns, void* image) {
  visit_floating(dtype, "conv2d", [&](auto tag) {
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
