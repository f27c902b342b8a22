// Selecting and adding by index: whole rows where memory has them, else line by line.
#include "kernels/index.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/thread_pool.h"
#include "kernels/lines.h"
#include "kernels/loop.h"

namespace norch {
namespace {
constexpr int64_t kGrainBytes = 1 << 16;
constexpr int64_t kFetched = 1 << 12;  // bytes of the next row to ask for: no processor foresees it

// How many rows of so many bytes make a thread's chunk in the index kernels.
int64_t grain_for(int64_t bytes) { return std::max<int64_t>(1, kGrainBytes / (bytes + 1)); }

// How many elements the dims begin..end have: the index kernels' rows and how many there are.
int64_t product(const Array& a, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n *= a.shape[i];
  return n;
}

// Whether the elements behind `dim` lie side by side: then the index kernels move them as one row.
bool has_rows(const Array& a, int dim) {
  int64_t expected = 1;
  for (int i = a.ndim - 1; i > dim; --i) {
    if (a.shape[i] != 1 && a.strides[i] != expected) return false;
    expected *= a.shape[i];
  }
  return expected > 1;
}

// Calls the loop of index_select's or gather's kernel with a type of the element's size. Moving
// needs no arithmetic, so four types serve all dtypes but bool, whose bytes become 0 or 1 on the
// way.
template <class F>
void visit_moved(DType dtype, F&& f) {
  if (dtype == DType::kBool) return f(Tag<Bool>{});
  switch (itemsize_of(dtype)) {
    case 1:
      return f(Tag<uint8_t>{});
    case 2:
      return f(Tag<uint16_t>{});
    case 4:
      return f(Tag<uint32_t>{});
    default:
      return f(Tag<uint64_t>{});
  }
}

// index_select's kernel copies the bytes of one row; bools become 0 or 1.
void move_row(const char* from, char* to, int64_t bytes, DType dtype) {
  if (dtype != DType::kBool) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  for (int64_t i = 0; i < bytes; ++i) to[i] = from[i] != 0 ? 1 : 0;
}

// The kernel of index_select where the rows lie in one piece.
void select_rows(const Array& a, int dim, const int64_t* index, Array& out) {
  const int64_t n = out.shape[dim], row = product(a, dim + 1, a.ndim) * a.itemsize();
  const int64_t rows = product(a, 0, dim) * n, step = a.strides[dim] * a.itemsize();
  const auto chosen = [=, &a](int64_t r) {
    return a.bytes() + outer_start(a, dim, r / n) * a.itemsize() + index[r % n] * step;
  };
  parallel_for(rows, grain_for(row), [&](int64_t begin, int64_t end) {
    const char* from = chosen(begin);
    for (int64_t r = begin; r < end; ++r) {
      const char* const next = r + 1 < end ? chosen(r + 1) : from;
      prefetch(next, std::min(row, kFetched));
      move_row(from, out.bytes() + r * row, row, a.dtype);
      from = next;
    }
  });
}

// The kernel of index_select.
void index_select(const Array& a, int dim, const int64_t* index, Array& out) {
  if (out.numel == 0) return;
  if (has_rows(a, dim)) return select_rows(a, dim, index, out);
  visit_moved(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = out.shape[dim];
    const Array* const arrays[] = {&a, &out};
    for_each_line(Lines<2>(out, dim, arrays), grain_for(n * 8), [&](const Lines<2>& line) {
      const T* from = a.data<T>() + line.at[0];
      T* to = out.data<T>() + line.at[1];
      for (int64_t i = 0; i < n; ++i) {
        to[i * line.stride[1]] = Value<T>(from[index[i] * line.stride[0]]);
      }
    });
  });
}

// a += b in the kernels of index_add and scatter_add; whole numbers wrap around, two bools make an
// or, halves are added as floats.
template <class T>
void add_to(T& a, T b) {
  if constexpr (std::is_same_v<T, Bool>) {
    a = a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    a = static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    a += b;
  } else {
    a = T(static_cast<float>(a) + static_cast<float>(b));
  }
}

// The kernel of index_add where rows lie in one piece. Columns are shared out among the threads,
// never the index: each sum belongs to one thread.
template <class T>
void add_rows(Array& out, int dim, const int64_t* index, const Array& source) {
  const int64_t n = source.shape[dim], size = out.shape[dim];
  const int64_t width = product(out, dim + 1, out.ndim), outer = product(out, 0, dim);
  parallel_for(outer * width, grain_for(n * int64_t(sizeof(T))), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t o = begin / width, first = begin % width;
      const int64_t count = std::min(width - first, end - begin);
      const T* from = source.data<T>() + outer_start(source, dim, o) + first;
      T* to = out.data<T>() + o * size * width + first;
      for (int64_t i = 0; i < n; ++i) {
        T* row = to + index[i] * width;
        const T* added = from + i * source.strides[dim];
        for (int64_t j = 0; j < count; ++j) add_to(row[j], added[j]);
      }
      begin += count;
    }
  });
}

// The kernel of index_add.
void index_add(Array& out, int dim, const int64_t* index, const Array& source) {
  if (source.numel == 0) return;
  visit(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (has_rows(source, dim)) return add_rows<T>(out, dim, index, source);
    const int64_t n = source.shape[dim];
    const Array* const arrays[] = {&out, &source};
    for_each_line(Lines<2>(source, dim, arrays), grain_for(n * 8), [&](const Lines<2>& line) {
      T* to = out.data<T>() + line.at[0];
      const T* from = source.data<T>() + line.at[1];
      for (int64_t i = 0; i < n; ++i) {
        add_to(to[index[i] * line.stride[0]], from[i * line.stride[1]]);
      }
    });
  });
}

// The kernel of gather, line by line.
void gather(const Array& a, int dim, const Array& index, Array& out) {
  if (out.numel == 0) return;
  visit_moved(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(index, dim);
    const Array* const arrays[] = {&a, &index, &out};
    for_each_line(Lines<3>(index, dim, arrays), grain_for(n * 16), [&](const Lines<3>& line) {
      const T* from = a.data<T>() + line.at[0];
      const int64_t* place = index.data<int64_t>() + line.at[1];
      T* to = out.data<T>() + line.at[2];
      for (int64_t i = 0; i < n; ++i) {
        to[i * line.stride[2]] = Value<T>(from[place[i * line.stride[1]] * line.stride[0]]);
      }
    });
  });
}

// The kernel of scatter_add, beside those of gather and index_add: adds line by line.
void scatter_add(Array& out, int dim, const Array& index, const Array& source) {
  if (index.numel == 0) return;
  visit(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = length_of(index, dim);
    const Array* const arrays[] = {&out, &index, &source};
    for_each_line(Lines<3>(index, dim, arrays), grain_for(n * 16), [&](const Lines<3>& line) {
      T* to = out.data<T>() + line.at[0];
      const int64_t* place = index.data<int64_t>() + line.at[1];
      const T* from = source.data<T>() + line.at[2];
      for (int64_t i = 0; i < n; ++i) {
        add_to(to[place[i * line.stride[1]] * line.stride[0]], from[i * line.stride[2]]);
      }
    });
  });
}
}  // namespace

template <>
const IndexTable& table<IndexTable, kIsa>() {
  static constexpr IndexTable t{&index_select, &index_add, &gather, &scatter_add};
  return t;
}
}  // namespace norch
