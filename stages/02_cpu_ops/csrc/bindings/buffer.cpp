// Filling in a Py_buffer, and reading one.
#include "bindings/buffer.h"

#include <cstring>
#include <memory>
#include <string>

#include "ops/copy.h"

namespace norch {

namespace {

struct BufferShape {
  Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

void check_request(const Array& a, int flags) {
  if (kDTypeInfo[static_cast<int>(a.dtype)].format == nullptr) {
    raise<TypeError>("[buffer] bfloat16 has no buffer format: cast to float32 first");
  }
  if ((flags & PyBUF_WRITABLE) != 0 && !a.storage->writable()) {
    raise<ValueError>("[buffer] this array is a view of read-only memory");
  }
  const bool any_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  if (!a.contiguous && !any_strides) {
    raise<ValueError>("[buffer] the array is not contiguous: call contiguous() first");
  }
}

}  // namespace

int export_buffer(const Array& a, PyObject* owner, Py_buffer* view, int flags) {
  check_request(a, flags);
  auto layout = std::make_unique<BufferShape>();
  for (int i = 0; i < a.ndim; ++i) {
    layout->shape[i] = a.shape[i];
    layout->strides[i] = a.strides[i] * a.itemsize();
  }
  const bool with_shape = (flags & PyBUF_ND) == PyBUF_ND;
  const bool with_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool with_format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT;
  view->buf = a.bytes();
  view->obj = Py_NewRef(owner);
  view->len = a.nbytes();
  view->readonly = a.storage->writable() ? 0 : 1;
  view->itemsize = a.itemsize();
  view->format =
      with_format ? const_cast<char*>(kDTypeInfo[static_cast<int>(a.dtype)].format) : nullptr;
  view->ndim = a.ndim;
  view->shape = with_shape ? layout->shape : nullptr;
  view->strides = with_strides ? layout->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = layout.release();
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<BufferShape*>(view->internal);
}

namespace {

// The dtype behind a struct format such as "<f" or "l"; TypeError for any other.
DType dtype_of_format(const char* format, Py_ssize_t itemsize, const char* op) {
  const std::string text = format == nullptr ? "B" : format;
  const std::string letter = text.substr(text.find_first_not_of("@=<"));
  if (letter == "?") return DType::kBool;
  if (letter == "B") return DType::kUInt8;
  if (letter == "e") return DType::kFloat16;
  if (letter == "f") return DType::kFloat32;
  if (letter == "d") return DType::kFloat64;
  if (letter == "i" || letter == "l" || letter == "q" || letter == "n") {
    if (itemsize == 4) return DType::kInt32;
    if (itemsize == 8) return DType::kInt64;
  }
  raise<TypeError>("[", op, "] elements of format '", text, "' have no dtype here: expected bool, ",
                   "uint8, int32, int64, float16, float32 or float64 in this machine's byte order");
}

struct Lease {  // a Py_buffer held until the last view of the storage is gone
  Py_buffer view;
};

void end_lease(void* lease) {
  const WithGil gil;  // a storage may die on a thread that let the GIL go
  auto* held = static_cast<Lease*>(lease);
  PyBuffer_Release(&held->view);
  delete held;
}

// A foreign buffer may start in the middle of its memory (negative strides): find the whole run.
Array array_over(Lease* lease, const char* op) {
  const Py_buffer& view = lease->view;
  Array a;
  a.dtype = dtype_of_format(view.format, view.itemsize, op);
  if (view.ndim > kMaxDims) {
    raise<ShapeError>("[", op, "] ", view.ndim, " dimensions, but an array has at most ", kMaxDims);
  }
  a.ndim = view.ndim;
  int64_t lo = 0, hi = 0;
  for (int i = 0; i < view.ndim; ++i) {
    if (view.strides[i] % view.itemsize != 0) {
      raise<ValueError>("[", op, "] a stride of ", view.strides[i],
                        " bytes is no multiple of the element's ", view.itemsize, " bytes");
    }
    a.shape[i] = view.shape[i];
    a.strides[i] = view.strides[i] / view.itemsize;
    const int64_t reach = (a.shape[i] - 1) * a.strides[i];
    if (a.shape[i] > 0) (reach < 0 ? lo : hi) += reach;
  }
  a.update();
  auto* first = static_cast<char*>(view.buf);
  if (reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(view.itemsize) != 0) {
    raise<ValueError>("[", op, "] the elements are not aligned to their size: copy the buffer");
  }
  const int64_t room = a.numel == 0 ? 0 : hi - lo + 1;
  a.offset = a.numel == 0 ? 0 : -lo;
  a.storage =
      Storage::adopt(first - a.offset * view.itemsize, static_cast<size_t>(room * view.itemsize),
                     view.readonly == 0, lease, &end_lease);
  return a;
}

}  // namespace

Array share_buffer(PyObject* exporter, const char* op) {
  if (!PyObject_CheckBuffer(exporter)) {
    raise<TypeError>("[", op, "] expected an object with a buffer (bytes, memoryview, a NumPy ",
                     "array), got ", Py_TYPE(exporter)->tp_name);
  }
  auto lease = std::make_unique<Lease>();
  if (PyObject_GetBuffer(exporter, &lease->view, PyBUF_RECORDS_RO) != 0) {
    throw PythonError();
  }
  try {
    Array a = array_over(lease.get(), op);
    lease.release();  // the storage owns it now
    return a;
  } catch (...) {
    PyBuffer_Release(&lease->view);
    throw;
  }
}

Array from_buffer(PyObject* exporter) { return clone(share_buffer(exporter, "from_buffer")); }

}  // namespace norch
