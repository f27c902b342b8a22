// radix: long lines in order, by all blocks of the grid at once; sort.cu has the short ones. T is
// any type of number.
//
// Digits of 8 bits, from the last to the first: a pass brings the entries of digit 0 to the front,
// then those of digit 1, ..., and leaves equal ones in their order. So after the last pass all
// digits are in order. An entry is a key and the place where it stood. A pass is three kernels:
// each block counts its digits, one block per line turns counts into places, each block moves its
// entries.

constexpr int kDigits = 256;
constexpr int kRuns = 64;  // threads of a block that counts or moves, each with a run of entries

template <int kBytes>
struct Bits {
  using type = u32;
};
template <>
struct Bits<8> {
  using type = u64;
};
using Key = Bits<sizeof(T)>::type;

__device__ inline u32 bits_of_number(float x) { return bits_of(x); }
__device__ inline u64 bits_of_number(double x) { return static_cast<u64>(__double_as_longlong(x)); }
template <class N>
__device__ Key bits_of_number(N x) {
  return static_cast<Key>(x);
}

// A key is larger where its number is, as an unsigned number: of negative floats all bits are
// turned, of others the sign alone. Equal numbers have one key: 0 and -0, and all NaNs, the
// largest.
__device__ inline Key key_of(T x) {
  constexpr bool is_real = T(0.5f) != T(0), is_signed = T(-1) < T(0);
  constexpr Key sign = Key(1) << (8 * sizeof(Key) - 1);
  Key bits = x == T(0) ? Key(0) : bits_of_number(x);
  if (x != x) return ~Key(0);
  if (is_real && (bits & sign) != 0) return ~bits;
  return is_signed ? bits ^ sign : bits;
}

// One thread: entries of all lines. Turned keys sort downwards.
extern "C" __global__ void radix_keys_kernel(i64 n, i64 length, Layout outer, i64 step, const T* x,
                                             i64 descending, void* keys, u32* places) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = i % length;
    Key key = key_of(x[at(outer, i / length) + place * step]);
    static_cast<Key*>(keys)[i] = descending ? ~key : key;
    places[i] = static_cast<u32>(place);
  }
}

__device__ inline int digit_of(Key key, i64 shift) { return static_cast<int>(key >> shift & 255); }

// The entries that a thread has: `run` neighbours of a line, which `blocks` blocks share.
struct Run {
  i64 line, begin, end;
  __device__ Run(i64 length, i64 blocks, i64 run) {
    line = blockIdx.x / blocks;
    i64 first = (blockIdx.x % blocks * kRuns + threadIdx.x) * run;
    begin = line * length + min(first, length), end = line * length + min(first + run, length);
  }
};

// One block: how often each digit stands in its entries.
extern "C" __global__ void radix_count_kernel(i64 length, i64 blocks, i64 run, i64 shift,
                                              const void* keys, u32* counts) {
  __shared__ u32 found[kDigits];
  Run mine(length, blocks, run);
  for (int digit = threadIdx.x; digit < kDigits; digit += kRuns) found[digit] = 0;
  __syncthreads();
  for (i64 i = mine.begin; i < mine.end; i++) {
    atomicAdd(&found[digit_of(static_cast<const Key*>(keys)[i], shift)], 1u);
  }
  __syncthreads();
  for (int digit = threadIdx.x; digit < kDigits; digit += kRuns) {
    counts[static_cast<i64>(blockIdx.x) * kDigits + digit] = found[digit];
  }
}

// One block a line, one thread a digit: counts become places, those where the entries of each block
// with this digit begin.
extern "C" __global__ void radix_places_kernel(i64 blocks, u32* counts) {
  __shared__ u32 sums[kDigits];
  int digit = threadIdx.x;
  u32* column = counts + blockIdx.x * blocks * kDigits + digit;
  u32 total = 0;
#pragma unroll 16  // as many loads are on their way at once, here and below
  for (i64 b = 0; b < blocks; b++) total += column[b * kDigits];
  sums[digit] = total;
  __syncthreads();
  for (int distance = 1; distance < kDigits; distance *= 2) {  // a scan, as in cumulative.cu
    u32 before = digit >= distance ? sums[digit - distance] : 0;
    __syncthreads();
    sums[digit] += before;
    __syncthreads();
  }
  u32 place = sums[digit] - total;
#pragma unroll 16
  for (i64 b = 0; b < blocks; b++) {
    u32 count = column[b * kDigits];
    column[b * kDigits] = place;
    place += count;
  }
}

// One block: its entries move to their places: behind those with their digit of the runs before,
// and of their own run. No two threads count in one number, so no atomics mix up the order.
extern "C" __global__ void radix_move_kernel(i64 length, i64 blocks, i64 run, i64 shift,
                                             const void* keys, const u32* places, const u32* starts,
                                             void* to_keys, u32* to_places) {
  __shared__ unsigned short before[kDigits][kRuns + 2];  // two more: a column is in other banks
  Run mine(length, blocks, run);
  const Key* from = static_cast<const Key*>(keys);
  const u32* first = starts + static_cast<i64>(blockIdx.x) * kDigits;
  for (int digit = 0; digit < kDigits; digit++) before[digit][threadIdx.x] = 0;
  for (i64 i = mine.begin; i < mine.end; i++) before[digit_of(from[i], shift)][threadIdx.x]++;
  __syncthreads();
  for (int digit = threadIdx.x; digit < kDigits; digit += kRuns) {
    int sum = 0;
    for (int r = 0; r < kRuns; r++) {
      int count = before[digit][r];
      before[digit][r] = static_cast<unsigned short>(sum);
      sum += count;
    }
  }
  __syncthreads();
  for (i64 i = mine.begin; i < mine.end; i++) {
    int digit = digit_of(from[i], shift);
    i64 to = mine.line * length + first[digit] + before[digit][threadIdx.x]++;
    static_cast<Key*>(to_keys)[to] = from[i];
    to_places[to] = places[i];
  }
}

// One thread: entries of all lines; the numbers themselves come from x.
extern "C" __global__ void radix_gather_kernel(i64 n, i64 length, Layout outer, i64 step,
                                               const T* x, const u32* places, Layout outer_out,
                                               i64 step_out, T* out, i64* indices) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 line = i / length, to = at(outer_out, line) + i % length * step_out;
    out[to] = x[at(outer, line) + places[i] * step];
    indices[to] = places[i];
  }
}
