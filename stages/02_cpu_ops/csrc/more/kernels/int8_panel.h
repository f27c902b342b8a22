// Rows of int8 numbers by a panel of 32 rows of weights, for processors with VNNI, which multiply
// 64 pairs of bytes in one instruction. Weights lie row by row, as they are saved; a panel of them
// is turned over once and then meets all rows of x, with sums that stay in registers. Called by
// quantized.cpp alone; the tests compare it with the plain loop over rows there, bit for bit.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "core/transpose_block.h"
#include "more/kernels/quantized.h"

namespace norch {
namespace {
constexpr int kPanel = 32;       // rows of weights: two vectors of sums for each row of x
constexpr int64_t kFewRows = 8;  // of x, for which turning weights over is too dear

// How many words of four numbers a row makes.
inline int64_t words_of(int64_t k) { return (k + 3) / 4; }

// The panel of the rows of weights from c on: word j of all of them lies side by side, ready for an
// instruction that wants one factor from 0 to 255, so each weight is kept as weight + 128. Rows
// that are no whole words where they lie are filled up in `room`.
void pack_panel(const Int8Product& p, int64_t c, int8_t* room, uint32_t* panel) {
  const int64_t words = words_of(p.k);
  const int8_t* rows = p.weight + c * p.k;
  if (p.k % 4 != 0 || reinterpret_cast<uintptr_t>(rows) % 4 != 0) {
    std::fill_n(room, kPanel * 4 * words, int8_t(0));
    for (int64_t r = 0; r < kPanel; ++r) std::copy_n(rows + r * p.k, p.k, room + r * 4 * words);
    rows = room;
  }
  transpose_block(panel, kPanel, reinterpret_cast<const char*>(rows), 4 * words, words, kPanel);
  for (int64_t i = 0; i < words * kPanel; ++i) panel[i] ^= 0x80808080u;
}

// sums (R, kPanel) = R rows of x, `stride` apart, by a panel of `words` words.
template <int R>
[[gnu::target("avx512vnni")]] void multiply_panel(const int8_t* x, int64_t stride,
                                                  const uint32_t* panel, int64_t words,
                                                  int32_t* sums) {
  __m512i sum[R][2] = {};
  for (int64_t j = 0; j < words; ++j, panel += kPanel) {
    const __m512i low = _mm512_loadu_si512(panel), high = _mm512_loadu_si512(panel + kPanel / 2);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      int32_t word;
      std::memcpy(&word, x + r * stride + 4 * j, sizeof(word));
      const __m512i four = _mm512_set1_epi32(word);
      sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], low, four);
      sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], high, four);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {  // unrolled as well: an index at run time would mean memory
    _mm512_storeu_si512(sums + r * kPanel, sum[r][0]);
    _mm512_storeu_si512(sums + r * kPanel + kPanel / 2, sum[r][1]);
  }
}
}  // namespace
}  // namespace norch
