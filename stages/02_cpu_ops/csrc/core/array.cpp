// Construction, views and the checks every door shares.
#include "core/array.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace norch {
// One of core's views of an Array: the last two dims exchanged.
Array transposed(Array a) {
  std::swap(a.shape[a.ndim - 2], a.shape[a.ndim - 1]);
  std::swap(a.strides[a.ndim - 2], a.strides[a.ndim - 1]);
  a.update();
  return a;
}

// A shape of core's Array as messages write it.
std::string shape_text(const int64_t* sizes, int n) {
  std::string text = "(";
  for (int i = 0; i < n; ++i) {
    text += std::to_string(sizes[i]);
    if (i + 1 < n) text += ", ";
  }
  return text + (n == 1 ? ",)" : ")");
}

// The number of elements of a shape, or why it cannot be.
int64_t checked_numel(const int64_t* sizes, int n, int itemsize, const char* op) {
  if (n > kMaxDims) {
    raise<ShapeError>("[", op, "] ", n, " dimensions, but an array has at most ", kMaxDims);
  }
  int64_t nonzero = 1;  // overflow counts even when another size is 0, as in PyTorch
  bool is_empty = false;
  for (int i = 0; i < n; ++i) {
    if (sizes[i] < 0) {
      raise<ShapeError>("[", op, "] negative size ", sizes[i], " in shape ", shape_text(sizes, n),
                        ": sizes must be >= 0");
    }
    is_empty |= sizes[i] == 0;
    if (__builtin_mul_overflow(nonzero, std::max<int64_t>(1, sizes[i]), &nonzero)) {
      raise<ShapeError>("[", op, "] shape ", shape_text(sizes, n), " has more than 2^63 elements");
    }
  }
  int64_t bytes;
  if (__builtin_mul_overflow(nonzero, static_cast<int64_t>(itemsize), &bytes)) {
    raise<ShapeError>("[", op, "] shape ", shape_text(sizes, n), " needs more than 2^63 bytes");
  }
  return is_empty ? 0 : nonzero;
}

// How far a layout reaches in memory, or why it cannot be.
Reach checked_reach(const int64_t* sizes, const int64_t* strides, int n, int itemsize,
                    const char* op) {
  __int128 low = 0, high = 0;
  bool fits = true, is_empty = false;
  for (int i = 0; i < n; ++i) {
    const __int128 step = static_cast<__int128>(strides[i]) * itemsize;
    fits &= step == static_cast<int64_t>(step);
    const __int128 reach = (static_cast<__int128>(sizes[i]) - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
    is_empty |= sizes[i] == 0;
  }
  constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
  fits &= is_empty || (high - low + 1) * itemsize <= kMost;
  if (!fits) {
    raise<ShapeError>("[", op, "] strides ", shape_text(strides, n), " of shape ",
                      shape_text(sizes, n), " reach further than 2^63 bytes");
  }
  if (is_empty) return {};
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

// A dim counted from the end becomes one counted from the start.
int normalize_dim(int64_t dim, int ndim, const char* op) {
  const int64_t n = std::max(ndim, 1);
  if (dim < -n || dim >= n) {
    raise<IndexError>("[", op, "] dim ", dim, " is out of range for ", ndim,
                      " dimensions: expected ", -n, " to ", n - 1);
  }
  return static_cast<int>(dim < 0 ? dim + n : dim);
}

void Array::copy_description(const Array& other) {
  dtype = other.dtype;
  ndim = other.ndim;
  contiguous = other.contiguous;
  numel = other.numel;
  offset = other.offset;
  std::copy_n(other.shape, other.ndim, shape);
  std::copy_n(other.strides, other.ndim, strides);
}

void Array::update() {
  numel = 1;
  contiguous = true;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != numel) contiguous = false;
    numel *= shape[i];
  }
  contiguous |= numel == 0;
}

// The shape `sizes`, and the strides of a row-major array of it.
static void set_row_major(Array& a, const int64_t* sizes, int ndim) {
  int64_t step = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    a.shape[i] = sizes[i];
    a.strides[i] = step;
    step *= std::max<int64_t>(1, sizes[i]);
  }
}

Array Array::empty(const int64_t* sizes, int ndim, DType dtype, const char* op) {
  Array a;
  const int64_t numel = checked_numel(sizes, ndim, itemsize_of(dtype), op);
  a.storage = Storage::create(numel * itemsize_of(dtype));
  a.dtype = dtype;
  a.ndim = ndim;
  a.numel = numel;
  set_row_major(a, sizes, ndim);
  return a;
}

Array Array::reshaped(const Dims& sizes) const {
  Array a;
  a.storage = storage;
  a.dtype = dtype;
  a.ndim = sizes.n;
  a.offset = offset;
  set_row_major(a, sizes.v, sizes.n);
  a.update();
  return a;
}

Array Array::view(const Dims& sizes, const Dims& steps, int64_t new_offset) const {
  if (sizes.n != steps.n) {
    raise<ShapeError>("[view] ", sizes.n, " sizes but ", steps.n, " strides");
  }
  Array a;
  a.numel = checked_numel(sizes.v, sizes.n, itemsize(), "view");
  const Reach reach = checked_reach(sizes.v, steps.v, sizes.n, itemsize(), "view");
  const auto room = static_cast<int64_t>(storage->nbytes() / static_cast<size_t>(itemsize()));
  const bool starts_inside = new_offset >= 0 && new_offset < room;
  const bool inside =
      a.numel == 0 || (starts_inside && new_offset >= -reach.low && reach.high < room - new_offset);
  if (!inside) {
    raise<ShapeError>("[view] shape ", norch::shape_text(sizes.v, sizes.n), " with strides ",
                      norch::shape_text(steps.v, steps.n), " and offset ", new_offset,
                      " leaves the storage of ", room, " elements");
  }
  a.storage = storage;
  a.dtype = dtype;
  a.ndim = sizes.n;
  a.offset = a.numel == 0 ? 0 : new_offset;
  std::copy_n(sizes.v, sizes.n, a.shape);
  std::copy_n(steps.v, steps.n, a.strides);
  a.update();
  return a;
}

bool Array::same_shape(const Array& other) const {
  return ndim == other.ndim && std::equal(shape, shape + ndim, other.shape);
}

bool Array::same_layout(const Array& other) const {
  return same_shape(other) && offset == other.offset &&
         std::equal(strides, strides + ndim, other.strides);
}

std::string Array::shape_text() const { return norch::shape_text(shape, ndim); }

// Core's check before any op writes into an Array: refuses one that is read-only or expanded.
void check_writable(const Array& destination, const char* op) {
  if (!destination.storage->writable()) {
    raise<ValueError>("[", op, "] the destination is read-only memory: clone() it first");
  }
  for (int i = 0; i < destination.ndim && destination.numel > 0; ++i) {
    if (destination.strides[i] == 0 && destination.shape[i] > 1) {
      raise<Error>("[", op, "] the destination was expanded: several of its elements share one ",
                   "place in memory; clone() it first");
    }
  }
}

// Core's announcement of a write into an Array: its storage gets a new version.
void begin_write(Array& destination, const char* op) {
  check_writable(destination, op);
  destination.storage->bump_version();
}
}  // namespace norch
