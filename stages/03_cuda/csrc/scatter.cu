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
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
  }
}
