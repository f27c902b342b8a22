// Array: a storage seen through a dtype, a shape, strides and an offset (in elements). A value:
// copying one copies the description and shares the elements. View and broadcast rules belong to
// stage 1; this file only holds what they decide and checks that it stays inside the storage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/dtype.h"
#include "core/scalar.h"
#include "core/storage.h"

namespace norch {
inline constexpr int kMaxDims = 16;

// A short list of sizes, strides or dims that never touches the heap.
struct Dims {
  int n = 0;
  int64_t v[kMaxDims];

  Dims() = default;
  Dims(std::initializer_list<int64_t> sizes) : Dims(sizes.begin(), int(sizes.size())) {}
  Dims(const int64_t* sizes, int count) : n(count) { std::copy_n(sizes, count, v); }

  int64_t& operator[](int i) { return v[i]; }
  int64_t operator[](int i) const { return v[i]; }
  const int64_t* begin() const { return v; }
  const int64_t* end() const { return v + n; }
  void push(int64_t x) { v[n++] = x; }
};

struct Array {
  StoragePtr storage;
  DType dtype = DType::kFloat32;
  int ndim = 0;
  bool contiguous = true;  // row-major without gaps
  int64_t numel = 1;
  int64_t offset = 0;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];

  Array() = default;
  Array(const Array& other) : storage(other.storage) { copy_description(other); }
  Array(Array&& other) noexcept : storage(std::move(other.storage)) { copy_description(other); }
  Array& operator=(const Array& other) {
    storage = other.storage;
    copy_description(other);
    return *this;
  }
  Array& operator=(Array&& other) noexcept {
    storage = std::move(other.storage);
    copy_description(other);
    return *this;
  }

  // New memory, row-major. RuntimeError for a negative or overflowing size.
  static Array empty(const int64_t* sizes, int ndim, DType dtype, const char* op = "empty");
  static Array empty(const Dims& sizes, DType dtype) { return empty(sizes.v, sizes.n, dtype); }
  static Array empty_like(const Array& a, DType dtype) { return empty(a.shape, a.ndim, dtype); }
  static Array scalar(DType dtype) { return empty(nullptr, 0, dtype); }

  // The same storage seen differently; RuntimeError when the view would leave the storage.
  Array view(const Dims& sizes, const Dims& steps, int64_t new_offset) const;
  // The same elements under another row-major shape of the same numel; needs a contiguous array.
  Array reshaped(const Dims& sizes) const;

  int itemsize() const { return itemsize_of(dtype); }
  int64_t nbytes() const { return numel * itemsize(); }
  char* bytes() const { return storage->data() + offset * itemsize(); }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(bytes());
  }
  // True of the unversioned alias of a storage too (see array_type.cpp).
  bool shares_storage(const Array& other) const {
    return storage == other.storage ||
           (storage->nbytes() > 0 && storage->data() == other.storage->data());
  }
  bool same_shape(const Array& other) const;
  bool same_layout(const Array& other) const;  // shape, strides and offset
  std::string shape_text() const;              // (2, 3)

  void update();  // recompute numel and contiguous after shape or strides were set by hand

 private:
  void copy_description(const Array& other);
};

// The shape of core's Array as a list.
inline Dims dims_of(const Array& a) { return {a.shape, a.ndim}; }
// The elements of core's Array in a line along dim; one without dims has one.
inline int64_t length_of(const Array& a, int dim) { return a.ndim == 0 ? 1 : a.shape[dim]; }
// Where in core's Array the k-th combination of the dims before `dim` starts, in elements behind
// the first.
inline int64_t outer_start(const Array& a, int dim, int64_t k) {
  int64_t start = 0;
  for (int i = dim - 1; i >= 0; --i) {
    start += k % a.shape[i] * a.strides[i];
    k /= a.shape[i];
  }
  return start;
}
// The elements of core's Array, null for one that was left out.
template <class T>
T* data_or_null(const Array* a) {
  return a == nullptr ? nullptr : a->data<T>();
}
Array transposed(Array a);  // the last two dims exchanged

// A shape as messages write it: (2, 3).
std::string shape_text(const int64_t* sizes, int n);
// numel of a shape; RuntimeError for negative sizes, too many of them, or a product past 2^63.
int64_t checked_numel(const int64_t* sizes, int n, int itemsize, const char* op);
// The lowest and the highest element that a layout reaches, counted from its first one;
// RuntimeError when that, or a stride in bytes, does not fit 64 bits. Where memory or a layout
// comes from outside, this is asked before any arithmetic on its strides.
struct Reach {
  int64_t low = 0, high = 0;
};
Reach checked_reach(const int64_t* sizes, const int64_t* strides, int n, int itemsize,
                    const char* op);
// -ndim..ndim-1 -> 0..ndim-1; IndexError otherwise. A zero-dimensional array has dims -1 and 0.
int normalize_dim(int64_t dim, int ndim, const char* op);

// Core's check of an Array for any op: DTypeError unless the elements are floats.
inline void check_floating(const Array& a, const char* op) {
  if (is_floating(a.dtype)) return;
  raise<DTypeError>("[", op, "] expected a floating array, got ", name_of(a.dtype),
                    ": cast to float32 first");
}
// Core's check before any op writes: refuses read-only memory and an Array whose elements overlap.
void check_writable(const Array& destination, const char* op);
// Called by every in-place operation before its first write: checks, then bumps the version.
void begin_write(Array& destination, const char* op);
}  // namespace norch
