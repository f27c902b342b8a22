// Blocks of a matrix turned over, for the kernel files that include it; internal linkage, because
// each instruction set needs its own copy. Squares of 4 x 4 (8 bytes each) and 8 x 8 (4 bytes each)
// stay in registers, moved as unsigned integers; smaller blocks, and other sizes, go one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)  // clang, and GCC from 12 on
#define NORCH_HAS_SHUFFLE 1
#endif
#endif

namespace norch {
namespace {
#ifdef NORCH_HAS_SHUFFLE

template <class T, int n>
struct Row {
  typedef T type __attribute__((vector_size(n * sizeof(T))));
  typedef T anywhere __attribute__((vector_size(n * sizeof(T)), aligned(sizeof(T)), may_alias));
};

// Swaps, in every pair of rows `distance` apart, the blocks of that width off the diagonal.
template <class V, class Low, class High>
inline void exchange(V& a, V& b, Low low, High high) {
  const V first = low(a, b), second = high(a, b);
  a = first;
  b = second;
}

// Turns 8 x 8 elements of four bytes over in registers.
inline void transpose_square(uint32_t* out, int64_t out_step, const char* in, int64_t in_step) {
  using V = Row<uint32_t, 8>::type;
  using Anywhere = Row<uint32_t, 8>::anywhere;
  V r[8];
  for (int i = 0; i < 8; ++i) r[i] = *reinterpret_cast<const Anywhere*>(in + i * in_step);
  for (int i = 0; i < 4; ++i) {
    exchange(
        r[i], r[i + 4],
        [](V a, V b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); },
        [](V a, V b) { return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15); });
  }
  for (int i = 0; i < 8; ++i) {
    if ((i & 2) != 0) continue;
    exchange(
        r[i], r[i + 2],
        [](V a, V b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); },
        [](V a, V b) { return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15); });
  }
  for (int i = 0; i < 8; i += 2) {
    exchange(
        r[i], r[i + 1],
        [](V a, V b) { return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14); },
        [](V a, V b) { return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15); });
  }
  for (int i = 0; i < 8; ++i) *reinterpret_cast<Anywhere*>(out + i * out_step) = r[i];
}

// Turns 4 x 4 elements of eight bytes over in registers.
inline void transpose_square(uint64_t* out, int64_t out_step, const char* in, int64_t in_step) {
  using V = Row<uint64_t, 4>::type;
  using Anywhere = Row<uint64_t, 4>::anywhere;
  V r[4];
  for (int i = 0; i < 4; ++i) r[i] = *reinterpret_cast<const Anywhere*>(in + i * in_step);
  for (int i = 0; i < 2; ++i) {
    exchange(
        r[i], r[i + 2], [](V a, V b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); },
        [](V a, V b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); });
  }
  for (int i = 0; i < 4; i += 2) {
    exchange(
        r[i], r[i + 1], [](V a, V b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); },
        [](V a, V b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); });
  }
  for (int i = 0; i < 4; ++i) *reinterpret_cast<Anywhere*>(out + i * out_step) = r[i];
}

template <class T>
inline constexpr int64_t kSquare = sizeof(T) == 4   ? 8
                                   : sizeof(T) == 8 ? 4
                                                    : 1;

#else

template <class T>
inline constexpr int64_t kSquare = 1;

#endif

// out[r * out_step + c] = in[c][r], r < rows, c < lines; the lines of `in` are `step` bytes apart.
// Where squares do not come out even, the last one moves some elements a second time.
template <class T>
void transpose_block(T* out, int64_t out_step, const char* in, int64_t step, int64_t rows,
                     int64_t lines) {
  if constexpr (kSquare<T> > 1) {
    using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    if (rows >= kSquare<T> && lines >= kSquare<T>) {
      for (int64_t next_c = 0; next_c < lines; next_c += kSquare<T>) {
        const int64_t c = std::min(next_c, lines - kSquare<T>);
        for (int64_t next_r = 0; next_r < rows; next_r += kSquare<T>) {
          const int64_t r = std::min(next_r, rows - kSquare<T>);
          transpose_square(reinterpret_cast<Word*>(out + r * out_step + c), out_step,
                           in + c * step + r * sizeof(T), step);
        }
      }
      return;
    }
  }
  for (int64_t c = 0; c < lines; ++c) {
    const T* line = reinterpret_cast<const T*>(in + c * step);
    for (int64_t r = 0; r < rows; ++r) out[r * out_step + c] = line[r];
  }
}
}  // namespace
}  // namespace norch
