// scatter: add at places that another array names. T is a type that has atomic addition.
//
// `index`, `step`, `rest` and `bad` are those of index.cu; index_add is scatter_add with an index
// that stage 1 has stretched.

// One addition that no other thread can interrupt; 64-bit addition is the same with and without
// sign.
template <class N>
__device__ void add_atomically(N* address, N value) {
  atomicAdd(address, value);
}
template <>
__device__ void add_atomically<i64>(i64* address, i64 value) {
  atomicAdd(reinterpret_cast<u64*>(address), static_cast<u64>(value));
}

// One thread: out[..., index[i], ...] += source[i]. Several threads may name one place.
extern "C" __global__ void scatter_add_kernel(i64 n, i64 size, i64 step, Layout rest, T* out,
                                              Layout lindex, const i64* index, Layout lsource,
                                              const T* source, i64* bad) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = index[at(lindex, i)];
    // ex 3.3 begin
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
    // ex 3.3 end
  }
}

// A number as the bits that atomicCAS compares, and back.
__device__ inline u32 word_of(float x) { return static_cast<u32>(__float_as_int(x)); }
__device__ inline u64 word_of(double x) { return static_cast<u64>(__double_as_longlong(x)); }
__device__ inline u32 word_of(int x) { return static_cast<u32>(x); }
__device__ inline u64 word_of(i64 x) { return static_cast<u64>(x); }
__device__ inline void read_word(u32 word, float& x) { x = __int_as_float(static_cast<int>(word)); }
__device__ inline void read_word(u64 word, double& x) {
  x = __longlong_as_double(static_cast<i64>(word));
}
__device__ inline void read_word(u32 word, int& x) { x = static_cast<int>(word); }
__device__ inline void read_word(u64 word, i64& x) { x = static_cast<i64>(word); }

// Any operation can be made atomic: read, compute, and write only if nobody has written since
// (atomicCAS: compare and swap); else try again with what they wrote.
template <class F>
__device__ void change_atomically(T* address, F change) {
  using Word = decltype(word_of(T(0)));
  Word* words = reinterpret_cast<Word*>(address);
  Word seen = atomicCAS(words, Word(0), Word(0));  // reads it
  for (;;) {
    T value;
    read_word(seen, value);
    Word found = atomicCAS(words, seen, word_of(change(value)));
    if (found == seen) return;
    seen = found;
  }
}

// One thread: out[..., index[i], ...] is joined with source[i]: added, multiplied, or the larger or
// smaller of both. Where `owner` (of index.cu) is not null, the owner's source is in out already.
// owner_kernel has reported places that do not exist.
#define SCATTER(name, joined)                                                                   \
  extern "C" __global__ void name##_kernel(i64 n, i64 size, i64 step, Layout rest,              \
                                           const i64* owner, T* out, Layout lindex,             \
                                           const i64* index, Layout lsource, const T* source) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                                 \
      i64 place = index[at(lindex, i)], position = at(rest, i) + place * step;                  \
      if (place < 0 || place >= size) continue;                                                 \
      if (owner != nullptr && owner[position] == i + 1) continue;                               \
      T b = source[at(lsource, i)];                                                             \
      change_atomically(out + position, [=](T a) -> T { return joined; });                      \
    }                                                                                           \
  }

SCATTER(scatter_sum, a + b)
SCATTER(scatter_prod, a* b)
SCATTER(scatter_amax, a != a || a > b ? a : b)  // a NaN on either side is the result
SCATTER(scatter_amin, a != a || a < b ? a : b)
