// Which outputs of a line a place of the kernel touches: convolution and pooling ask it the same.
// Kernel files only; internal linkage, because each instruction set needs its own copy.
#pragma once

#include <algorithm>

#include "kernels/window.h"

namespace norch {
namespace {
// The outputs [first, last) whose input position for kernel place k lies inside the image; `start`
// is the input position of output `first`, and each next one lies a stride further.
struct Inside {
  int64_t first, last, start;
};

// Which outputs of a line see the kernel's place k inside the image.
inline Inside inside(const Window& w, int64_t k) {
  const int64_t shift = k * w.dilation - w.padding;  // input = output * stride + shift
  const int64_t first = std::min(w.out, shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride);
  const int64_t room = w.size - 1 - shift;
  const int64_t last = room < 0 ? 0 : std::min(w.out, room / w.stride + 1);
  return {first, std::max(last, first), first * w.stride + shift};
}

// The places of the kernel that touch any output: with much padding most of a large one do not.
struct Taps {
  int64_t first, last;
};

// Which places of the kernel any output of a line sees.
inline Taps taps(const Window& w) {
  const int64_t early = w.padding - (w.out - 1) * w.stride;
  return {early > 0 ? (early + w.dilation - 1) / w.dilation : 0,
          std::min(w.kernel, (w.size - 1 + w.padding) / w.dilation + 1)};
}

// The places of the kernel that lie inside for output o.
inline Taps taps_of(const Window& w, int64_t o) {
  const int64_t start = w.start(o);
  return {start < 0 ? (-start + w.dilation - 1) / w.dilation : 0,
          std::min(w.kernel, (w.size - 1 - start) / w.dilation + 1)};
}
}  // namespace
}  // namespace norch
