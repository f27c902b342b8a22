// where: choose between two arrays, element by element.

// One thread: out[i] = condition[i] ? x[i] : y[i], for every i of its share.
extern "C" __global__ void where_kernel(i64 n, Layout lc, const Bool* condition, Layout lx,
                                        const T* x, Layout ly, const T* y, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    out[i] = condition[at(lc, i)] ? x[at(lx, i)] : y[at(ly, i)];
  }
}
