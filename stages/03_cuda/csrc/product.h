// One tile of a product of matrices, which a block of 16 x 16 threads holds in registers. Used by
// matmul_vectorized.cu and conv_product.cu, which say where the elements come from and go to.
//
// A thread has kEach x kEach results. It reads kEach + kEach numbers from shared memory, four by
// one instruction, and multiplies each with each. Two buffers take turns: while one is multiplied,
// the other is filled, so one barrier a step is enough. Not for `#pragma once`: all of it is made
// of T, which each text has its own.

#include "kernel.h"

constexpr int kThreads = 16;  // in x and in y
constexpr int kQuad = 4;

// Four neighbours, read and written at once where they begin at a multiple of 16 bytes (of four,
// if T is a byte).
struct alignas(sizeof(T) < 4 ? kQuad * sizeof(T) : 16) Quad {
  T of[kQuad];
};

template <int kEach>
struct alignas(16) Tile {
  static constexpr int kSide = kThreads * kEach, kDepth = 64 / kEach;
  T at[kDepth][kSide + kQuad];  // the unused columns put the rows into banks of their own
};

// The four elements of a tile that a thread fetches: at side `s` and depth `l`, along the one or
// the other.
template <int kEach>
struct Part {
  bool along_depth;
  int s, l;

  __device__ explicit Part(bool along_depth_) : along_depth(along_depth_) {
    constexpr int kSide = Tile<kEach>::kSide, kDepth = Tile<kEach>::kDepth;
    int first = kQuad * (threadIdx.y * kThreads + threadIdx.x);
    s = along_depth ? first / kDepth : first % kSide;
    l = along_depth ? first % kDepth : first / kSide;
  }
};

template <int kEach>
__device__ inline void put(Tile<kEach>& tile, const Part<kEach>& part, const Quad& quad) {
  if (part.along_depth) {
    for (int i = 0; i < kQuad; i++) tile.at[part.l + i][part.s] = quad.of[i];
  } else {
    *reinterpret_cast<Quad*>(&tile.at[part.l][part.s]) = quad;
  }
}

// The place in the tile of a thread's number i: its quads lie 64 apart.
__device__ inline int place_of(int thread, int i) {
  return i / kQuad * (kQuad * kThreads) + kQuad * thread + i % kQuad;
}

// The buffers of matrix 0 or 1: the same for all products of a text, of which a kernel has one.
template <int kEach, int kMatrix>
__device__ inline Tile<kEach>* two_tiles() {
  __shared__ Tile<kEach> tiles[2];
  return tiles;
}

// Adds up what lies between the depths `begin` and `end`. a.part and b.part are what this thread
// fetches; a.quad(start) fetches it, from depth `start` on, with zeros where the matrix has ended.
template <int kEach, class A, class B>
__device__ void multiply_tile(int begin, int end, const A& a, const B& b, T (&sums)[kEach][kEach]) {
  constexpr int kDepth = Tile<kEach>::kDepth;
  Tile<kEach>*a_tiles = two_tiles<kEach, 0>(), *b_tiles = two_tiles<kEach, 1>();
  int x = threadIdx.x, y = threadIdx.y;
  put(a_tiles[0], a.part, a.quad(begin));
  put(b_tiles[0], b.part, b.quad(begin));
  int turn = 0;
  for (int start = begin; start < end; start += kDepth, turn ^= 1) {
    __syncthreads();  // this buffer is full, and nobody reads the other one any more
    bool last = start + kDepth >= end;
    Quad next_a, next_b;
    if (!last) next_a = a.quad(start + kDepth), next_b = b.quad(start + kDepth);
#pragma unroll 2  // more would need more registers than two blocks a multiprocessor leave
    for (int l = 0; l < kDepth; l++) {
      Quad of_a[kEach / kQuad], of_b[kEach / kQuad];
      for (int i = 0; i < kEach / kQuad; i++) {
        of_a[i] = *reinterpret_cast<Quad*>(&a_tiles[turn].at[l][place_of(y, kQuad * i)]);
        of_b[i] = *reinterpret_cast<Quad*>(&b_tiles[turn].at[l][place_of(x, kQuad * i)]);
      }
      for (int i = 0; i < kEach; i++) {
        T factor = of_a[i / kQuad].of[i % kQuad];
        for (int j = 0; j < kEach; j++) sums[i][j] += factor * of_b[j / kQuad].of[j % kQuad];
      }
    }
    if (!last) put(a_tiles[turn ^ 1], a.part, next_a), put(b_tiles[turn ^ 1], b.part, next_b);
  }
}

// Calls f(i, j, quad) for the results of this thread, four at a time: quad begins in row i and
// column j of a tile of `height` x `width` results.
template <int kEach, class F>
__device__ void for_each_quad(const T (&sums)[kEach][kEach], int height, int width, F f) {
#pragma unroll
  for (int y = 0; y < kEach; y++) {
#pragma unroll
    for (int x = 0; x < kEach; x += kQuad) {
      int i = place_of(threadIdx.y, y), j = place_of(threadIdx.x, x);
      Quad quad;
      for (int q = 0; q < kQuad; q++) quad.of[q] = sums[y][x + q];
      if (i < height && j < width) f(i, j, quad);
    }
  }
}

// Whether four elements can be read or written at once.
__device__ inline bool is_aligned(const T* p) {
  return reinterpret_cast<u64>(p) % alignof(Quad) == 0;
}
