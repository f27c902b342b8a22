// Images turned so that the channels of a pixel are neighbours, as the convolution kernels like to
// read them: one vector then holds many channels of one place, whatever the stride. Kernel files
// only; internal linkage, because each instruction set needs its own copy.
#pragma once

#include <algorithm>

#include "core/storage.h"
#include "core/thread_pool.h"
#include "core/transpose_block.h"
#include "kernels/vec.h"

namespace norch {
namespace {
using V = Vec<float>;
constexpr int kL = kLanes<float>;
constexpr int64_t kPanel = 2 * kL;                  // output channels that one tile holds
constexpr int kRows = kVectorBytes == 64 ? 12 : 6;  // pixels, or inputs, of the largest tile

// For more's convolution kernels: a / b, rounded up.
inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Memory of one thread, in floats; a vector may be read beyond the end.
struct Buffer {
  StoragePtr storage;
  explicit Buffer(int64_t size)
      : storage(Storage::create((size + 2 * kLanes<float>)*int64_t(sizeof(float)))) {}
  float* data() const { return reinterpret_cast<float*>(storage->data()); }
};

// Planes of equal size, one for each channel, one behind the other.
struct Planes {
  const float* data;
  int64_t channels, height, width;

  // The channels of one vector, from channel c on.
  Planes lanes_from(int64_t c) const {
    return {data + c * height * width, std::min<int64_t>(kL, channels - c), height, width};
  }
};

// Asks for the cache lines of whole rows of all channels, to write to, and does not wait for them.
inline void prefetch_rows(const Planes& to, int64_t first_row, int64_t rows) {
  for (int64_t c = 0; c < to.channels; ++c) {
    const float* row = to.data + (c * to.height + first_row) * to.width;
    for (int64_t i = 0; i < rows * to.width; i += kAlignment / 4) __builtin_prefetch(row + i, 1);
  }
}

// Rows and columns of all channels -> out (rows, cols, pitch); zeros where they lie outside.
inline void load_pixels(const Planes& from, int64_t first_row, int64_t first_col, int64_t rows,
                        int64_t cols, float* out, int64_t pitch) {
  const int64_t begin = std::clamp<int64_t>(-first_col, 0, cols);
  const int64_t end = std::clamp<int64_t>(from.width - first_col, begin, cols);
  for (int64_t i = first_row; i < first_row + rows; ++i, out += cols * pitch) {
    const bool is_outside = i < 0 || i >= from.height || begin == end;
    std::fill(out, out + (is_outside ? cols : begin) * pitch, 0.f);
    if (is_outside) continue;
    std::fill(out + end * pitch, out + cols * pitch, 0.f);
    const float* row = from.data + i * from.width + first_col + begin;
    transpose_block(out + begin * pitch, pitch, reinterpret_cast<const char*>(row),
                    from.height * from.width * int64_t(sizeof(float)), end - begin, from.channels);
  }
}

// The other way: `count` pixels (count, pitch) -> planes that are `step` elements apart.
inline void store_pixels(const float* pixels, int64_t pitch, int64_t count, int64_t channels,
                         float* out, int64_t step) {
  transpose_block(out, step, reinterpret_cast<const char*>(pixels), pitch * int64_t(sizeof(float)),
                  channels, count);
}

// Sums of `size` numbers over strips. These are cut into `wanted` parts or fewer, whatever the
// number of threads: add(first, last, sums) for each, whose sums are then added up in order.
template <class Add>
Buffer sum_in_parts(int64_t size, int64_t strips, int64_t wanted, Add add) {
  constexpr int64_t kMostSums = 16 << 20;  // numbers in the sums of all parts
  const int64_t parts = std::clamp<int64_t>(wanted, 1, std::clamp<int64_t>(kMostSums / size, 2, 8));
  Buffer sums(size * parts);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      float* own = sums.data() + part * size;
      std::fill_n(own, size, 0.f);
      add(strips * part / parts, strips * (part + 1) / parts, own);
    }
  });
  parallel_for(size, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t part = 1; part < parts; ++part) {
      const float* more = sums.data() + part * size;
      for (int64_t i = begin; i < end; ++i) sums.data()[i] += more[i];
    }
  });
  return sums;
}
}  // namespace
}  // namespace norch
