// reduce: many numbers become one. T is the type read.
//
// Stage 1 has sorted the dimensions: `outer` walks over those that stay (one result each), `inner`
// over those that go. One block makes one result: each thread folds its share of the elements, then
// the threads fold their results: in a warp by shuffles, between warps through shared memory
// (fold_block), or as a tree in shared memory alone (fold_block_pair).

#include "block.h"

using Accumulated = Accumulate<T>::type;
using Summed = Accumulate<T>::result;
using Compared = decltype(+T(0));  // what threads exchange: bytes and bools as an int

// Folds one value of each thread into one, which thread 0 gets. blockDim.x is a multiple of 32.
template <class V, class Fold>
__device__ V fold_block(V value, V neutral, Fold fold) {
  __shared__ V of_warp[kWarp];
  int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, num_warps = blockDim.x / kWarp;
  // ex 3.4 begin
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();  // the block's previous result has been read
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
  // ex 3.4 end
}

// One block: the fold of one chunk of one line, out[o * chunks + c]. With one chunk that is the
// result; few but long lines are cut into chunks so that all blocks have work, and folded once
// more.
//
// A thread adds up in Own, without double; what the block's threads have found is folded as V.
#define REDUCE(name, Own, V, Result, neutral, element, folded)                              \
  extern "C" __global__ void name##_kernel(i64 lines, i64 length, i64 chunks, Layout outer, \
                                           Layout inner, const T* values, Result* out) {    \
    auto fold_own = [](Own a, Own b) -> Own { return folded; };                             \
    auto fold = [](V a, V b) -> V { return folded; };                                       \
    for (i64 job = blockIdx.x; job < lines * chunks; job += gridDim.x) {                    \
      const T* line = values + at(outer, job / chunks);                                     \
      Own own = neutral;                                                                    \
      i64 step = chunks * blockDim.x;                                                       \
      for (i64 i = job % chunks * blockDim.x + threadIdx.x; i < length; i += step) {        \
        T x = line[at(inner, i)];                                                           \
        own = fold_own(own, static_cast<Own>(element));                                     \
      }                                                                                     \
      V total = fold_block<V>(static_cast<V>(own), neutral, fold);                          \
      if (threadIdx.x == 0) out[job] = static_cast<Result>(total);                          \
    }                                                                                       \
  }

// The host refuses an empty amax or amin, so the first element may stand for "nothing yet".
REDUCE(sum, Accumulate<T>::sum, Accumulated, Summed, 0, x, a + b)
REDUCE(prod, Accumulated, Accumulated, Summed, 1, x, a* b)
REDUCE(amax, Compared, Compared, T, line[0], x, a != a || a > b ? a : b)
REDUCE(amin, Compared, Compared, T, line[0], x, a != a || a < b ? a : b)
REDUCE(any, int, int, Bool, 0, x != T(0), a | b)
REDUCE(all, int, int, Bool, 1, x != T(0), a& b)

// Is (a, i) to be preferred to (b, j)? A NaN is; else the better value; among equals the first.
__device__ inline bool precedes(Compared a, i64 i, Compared b, i64 j, bool largest) {
  bool a_nan = a != a, b_nan = b != b;
  if (a_nan || b_nan) return a_nan && (!b_nan || i < j);
  if (a == b) return i < j;
  return largest ? a > b : a < b;
}

// The same fold for pairs: a value and the place it was found at.
__device__ inline void fold_pair(Compared& value, i64& place, Compared other, i64 other_place,
                                 bool largest) {
  if (!precedes(other, other_place, value, place, largest)) return;
  value = other;
  place = other_place;
}

// Folds one pair of each thread into one, which thread 0 gets: a tree in shared memory. In each
// round the lower half of the threads takes over the pairs of the upper half.
__device__ inline void fold_block_pair(Compared& value, i64& place, bool largest) {
  __shared__ Compared values[256];
  __shared__ i64 places[256];
  int t = threadIdx.x;
  __syncthreads();  // the block's previous result has been read
  values[t] = value;
  places[t] = place;
  __syncthreads();
  for (int width = blockDim.x; width > 1; width = (width + 1) / 2) {
    int half = (width + 1) / 2;
    if (t + half < width) {
      fold_pair(values[t], places[t], values[t + half], places[t + half], largest);
    }
    __syncthreads();
  }
  value = values[0];
  place = places[0];
}

// One block: where the largest (or smallest) element of a line stands, and which it is.
__device__ inline void find_extreme(i64 outputs, i64 length, const Layout& outer,
                                    const Layout& inner, const T* x, T* values, i64* places,
                                    bool largest) {
  for (i64 o = blockIdx.x; o < outputs; o += gridDim.x) {
    const T* line = x + at(outer, o);
    Compared value = line[0];
    i64 place = 0;
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      fold_pair(value, place, line[at(inner, i)], i, largest);
    }
    fold_block_pair(value, place, largest);
    if (threadIdx.x == 0) {
      values[o] = static_cast<T>(value);
      places[o] = place;
    }
  }
}
extern "C" __global__ void argmax_kernel(i64 outputs, i64 length, Layout outer, Layout inner,
                                         const T* x, T* values, i64* places) {
  find_extreme(outputs, length, outer, inner, x, values, places, true);
}
extern "C" __global__ void argmin_kernel(i64 outputs, i64 length, Layout outer, Layout inner,
                                         const T* x, T* values, i64* places) {
  find_extreme(outputs, length, outer, inner, x, values, places, false);
}
