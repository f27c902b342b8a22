// What every .cu file of this folder starts from: integers, the layout of an operand, the thread's
// share.
//
// Included before the line `using T = ...` that fixes the element type. Plain CUDA C++: on a GPU it
// is compiled by NVRTC, without one by g++ behind cuda_on_cpu.h.
#pragma once

#include "half.h"

// What stands where an exercise is not yet written.
#ifndef NORCH_SIMULATOR
#define NORCH_TODO(exercise) __trap()
#endif

typedef long long i64;
typedef unsigned int u32;
typedef unsigned long long u64;

// A bool as stored: a byte that is true unless it is 0, whoever wrote it (a view of another dtype,
// foreign memory). Reading asks != 0, and copying and writing leave 0 or 1.
struct Bool {
  unsigned char byte;
  Bool() = default;
  __device__ Bool(bool x) : byte(x) {}
  __device__ Bool(const Bool& x) : byte(x.byte != 0) {}
  __device__ Bool& operator=(const Bool& x) {
    byte = x.byte != 0;
    return *this;
  }
  __device__ operator bool() const { return byte != 0; }
};

constexpr int kMaxDims = 16;
constexpr int kWarp = 32;
constexpr u32 kAllLanes = 0xffffffffu;

__device__ inline float infinity() { return __int_as_float(0x7f800000); }

// Where the elements of an operand lie: shape and strides (in elements), as stage 1 coalesced them.
struct Layout {
  i64 ndim;
  i64 shape[kMaxDims];
  i64 strides[kMaxDims];
};

// Up to so many elements can be counted by numbers of 32 bits, a grid's step beyond the last too.
constexpr i64 kMostOf32Bits = 0x7fffffff;

// Position of element i, counted in row-major order of the shape. A GPU divides numbers of 32 bits
// several times as fast: at<u32>, for layouts of at most kMostOf32Bits elements.
template <class I = i64>
__device__ inline i64 at(const Layout& layout, decltype(I()) i) {
  i64 position = 0;
  for (int d = static_cast<int>(layout.ndim) - 1; d > 0; d--) {
    I size = static_cast<I>(layout.shape[d]), outer = i / size;
    position += static_cast<i64>(i - outer * size) * layout.strides[d];
    i = outer;
  }
  return position + static_cast<i64>(i) * layout.strides[0];  // no more to divide
}

// A grid-stride loop: thread k handles elements k, k + n, k + 2n, ... of n threads in the whole
// grid.
__device__ inline i64 first_element() {
  return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline i64 element_step() { return static_cast<i64>(gridDim.x) * blockDim.x; }
