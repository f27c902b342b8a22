// index: read and write at places that another array names. T is the type moved.
//
// Along one dimension of size `size` and stride `step` the place comes from `index`; along the
// others (layout `rest`, in which that dimension has stride 0) it is the element's own.
// index_select is the same kernel with an index that stage 1 has stretched over the other
// dimensions. bad[0] becomes 1 + the number of an element whose place does not exist; the host
// raises IndexError.

// One thread: out[i] = x[..., index[i], ...] for every i of its share.
extern "C" __global__ void gather_kernel(i64 n, i64 size, i64 step, Layout rest, const T* x,
                                         Layout lindex, const i64* index, T* out, i64* bad) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = index[at(lindex, i)];
    // ex 3.2 begin
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
    // ex 3.2 end
  }
}

// One thread: the next index of a place, its negative ones counted from the end, joined to the
// number that the indices before it have made, for every i of its share. All of these are of one
// shape.
extern "C" __global__ void ravel_kernel(i64 n, i64 size, Layout lindex, const i64* index,
                                        i64* numbers, i64* bad) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = index[at(lindex, i)];
    if (place < -size || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      numbers[i] = numbers[i] * size + (place < 0 ? place + size : place);
    }
  }
}

// scatter in two steps, because several threads may name one place and the last of them must win
// on every run. One thread: owner[place] = 1 + the largest i that names it.
extern "C" __global__ void owner_kernel(i64 n, i64 size, i64 step, Layout rest, i64* owner,
                                        Layout lindex, const i64* index, i64* bad) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = index[at(lindex, i)];
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      atomicMax(owner + at(rest, i) + place * step, i + 1);
    }
  }
}

// One thread: out[..., index[i], ...] = source[i] if i owns the place; owner_kernel has reported
// places that do not exist.
extern "C" __global__ void scatter_kernel(i64 n, i64 size, i64 step, Layout rest, const i64* owner,
                                          T* out, Layout lindex, const i64* index, Layout lsource,
                                          const T* source) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 place = index[at(lindex, i)], position = at(rest, i) + place * step;
    if (place < 0 || place >= size) continue;
    if (owner[position] == i + 1) out[position] = source[at(lsource, i)];
  }
}
