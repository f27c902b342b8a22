// <mma.h> of the simulator: products of small matrices by a warp, as an ordinary loop.
//
// Each lane keeps whole factors and its share of the sums, element i of the lane being element
// 32 i + lane, row by row. Products are exact and added in float (double, int), as the inputs'
// types say; a GPU adds in an order of its own.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace detail {
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};
// The type in which products of T are added, and a factor in it: tf32 has the first 10 bits of a
// float's fraction.
template <class T>
struct Factor {
  using Sum = T;
  static Sum of(T x) { return x; }
};
template <>
struct Factor<__half> : Factor<float> {};
template <>
struct Factor<__nv_bfloat16> : Factor<float> {};
template <>
struct Factor<signed char> : Factor<int> {};
template <>
struct Factor<unsigned char> : Factor<int> {};
template <>
struct Factor<precision::tf32> {
  using Sum = float;
  static Sum of(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
};
// Rows and columns of a fragment.
template <class Use, int m, int n, int k>
struct Size {
  static constexpr int rows = m, columns = n;
};
template <int m, int n, int k>
struct Size<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Size<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};
// Copied without being announced to the checker: see load_matrix_sync.
template <class T>
__attribute__((noinline, no_sanitize("thread"))) T quietly(const T* address) {
  return *address;
}
}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
 public:
  using element_type = typename detail::Stored<T>::type;
  static constexpr int rows = detail::Size<Use, m, n, k>::rows;
  static constexpr int columns = detail::Size<Use, m, n, k>::columns;
  static constexpr int num_elements = rows * columns;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};
template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T, void> {
 public:
  using element_type = T;
  static constexpr int rows = m, columns = n;
  static constexpr int num_elements = m * n / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <class Fragment, class T>
void fill_fragment(Fragment& fragment, const T& value) {
  for (int i = 0; i < Fragment::num_elements; i++) {
    fragment.x[i] = static_cast<typename Fragment::element_type>(value);
  }
}

namespace detail {
inline size_t place(int row, int column, unsigned stride, bool by_rows) {
  return by_rows ? size_t(row) * stride + column : size_t(column) * stride + row;
}
// The lane's own elements of a matrix of `count`, as places.
template <class Visit>
__forceinline__ void own(int count, int columns, unsigned stride, bool by_rows, Visit visit) {
  for (int e = norch_sim::lane(), i = 0; e < count; e += 32, i++) {
    visit(i, place(e / columns, e % columns, stride, by_rows));
  }
}
}  // namespace detail

// The lanes read the matrix together, each its share; a copy of the rest comes along unannounced.
template <class Use, int m, int n, int k, class T, class Layout>
__forceinline__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& fragment,
                                      const typename detail::Stored<T>::type* from, unsigned stride,
                                      NORCH_HERE) {
  constexpr bool by_rows = __is_same(Layout, row_major);
  constexpr int rows = fragment.rows, columns = fragment.columns;
  using Element = typename detail::Stored<T>::type;
  __syncwarp(~0u, file, line);
  detail::own(rows * columns, columns, stride, by_rows, [&](int, size_t place) {
    volatile Element seen = from[place];
    (void)seen;
  });
  for (int e = 0; e < rows * columns; e++) {
    size_t place = detail::place(e / columns, e % columns, stride, by_rows);
    fragment.x[e] = detail::quietly(from + place);
  }
}
template <int m, int n, int k, class T>
__forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& fragment, const T* from,
                                      unsigned stride, layout_t layout, NORCH_HERE) {
  __syncwarp(~0u, file, line);
  detail::own(m * n, n, stride, layout == mem_row_major,
              [&](int i, size_t place) { fragment.x[i] = from[place]; });
}
template <int m, int n, int k, class T>
__forceinline__ void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& fragment,
                                       unsigned stride, layout_t layout, NORCH_HERE) {
  detail::own(m * n, n, stride, layout == mem_row_major,
              [&](int i, size_t place) { to[place] = fragment.x[i]; });
  __syncwarp(~0u, file, line);
}

// d = a b + c.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
void mma_sync(fragment<accumulator, m, n, k, D>& d,
              const fragment<matrix_a, m, n, k, T, LayoutA>& a,
              const fragment<matrix_b, m, n, k, T, LayoutB>& b,
              const fragment<accumulator, m, n, k, C>& c, NORCH_HERE) {
  __syncwarp(~0u, file, line);
  using Factor = detail::Factor<T>;
  for (int i = 0; i < d.num_elements; i++) {
    int row = (32 * i + norch_sim::lane()) / n, column = (32 * i + norch_sim::lane()) % n;
    auto sum = static_cast<typename Factor::Sum>(c.x[i]);
    for (int j = 0; j < k; j++) {
      sum += Factor::of(a.x[row * k + j]) * Factor::of(b.x[j * n + column]);
    }
    d.x[i] = static_cast<D>(sum);
  }
}

inline float __float_to_tf32(float x) {
  unsigned bits = __float_as_uint(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);  // nearest, ties away from zero
}

}  // namespace wmma
}  // namespace nvcuda
