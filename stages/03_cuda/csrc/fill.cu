// fill: arrays that are made from numbers alone. T is the type written.

// One thread: out[i] = value. Integers arrive as `whole`, which a double could not hold exactly.
extern "C" __global__ void fill_kernel(i64 n, double value, i64 whole, Layout lout, T* out) {
  const bool is_whole = static_cast<float>(T(0.5f)) == 0.0f;
  for (i64 i = first_element(); i < n; i += element_step()) {
    out[at(lout, i)] = is_whole ? static_cast<T>(whole) : static_cast<T>(value);
  }
}

// One thread: out[i] = start + i step.
extern "C" __global__ void arange_kernel(i64 n, double start, double step, i64 whole_start,
                                         i64 whole_step, T* out) {
  const bool is_whole = static_cast<float>(T(0.5f)) == 0.0f;
  for (i64 i = first_element(); i < n; i += element_step()) {
    out[i] = is_whole ? static_cast<T>(whole_start + i * whole_step)
                      : static_cast<T>(start + static_cast<double>(i) * step);
  }
}
