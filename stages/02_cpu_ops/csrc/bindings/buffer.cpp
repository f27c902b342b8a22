// Filling in a Py_buffer, and reading one.
#include "bindings/exchange.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "ops/copy.h"

namespace norch {
namespace {
struct BufferShape {
  Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

// Refuses a request for the buffer of an array that it cannot have.
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

// Fills in the Py_buffer by which others read an array's memory.
int export_buffer(const Array& a, PyObject* owner, Py_buffer* view, int flags) {
  check_request(a, flags);
  auto layout = std::make_unique<BufferShape>();
  for (int i = 0; i < a.ndim; ++i) {
    layout->shape[i] = Py_ssize_t(to_size(a.shape[i]));
    layout->strides[i] = Py_ssize_t(a.strides[i] * a.itemsize());
  }
  const bool with_shape = (flags & PyBUF_ND) == PyBUF_ND;
  const bool with_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool with_format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT;
  view->buf = a.bytes();
  view->obj = Py_NewRef(owner);
  view->len = Py_ssize_t(to_size(a.nbytes()));
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

// Frees what export_buffer made when Python's reader is done.
void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<BufferShape*>(view->internal);
}

namespace {
// The dtype behind a struct format such as "<f" or "l"; TypeError for any other. The size of an
// element decides between whole numbers, and must be what the letter says.
DType dtype_of_format(const char* format, Py_ssize_t itemsize, const char* op) {
  const std::string text = format == nullptr ? "B" : format;
  const size_t start = std::min(text.find_first_not_of("@=<"), text.size());
  std::string letter = text.substr(start);
  if (letter == "i" || letter == "l" || letter == "n") letter = itemsize == 4 ? "i" : "q";
  for (int i = 0; i < kNumDTypes; ++i) {
    const DTypeInfo& info = kDTypeInfo[i];
    if (info.format != nullptr && letter == info.format && itemsize == info.itemsize) {
      return static_cast<DType>(i);
    }
  }
  raise<TypeError>(
      "[", op, "] elements of format '", text, "' have no dtype here: expected bool, ",
      "uint8, int8, int16, int32, int64, float16, float32 or float64 in this machine's byte order");
}

struct Lease {  // a Py_buffer held until the last view of the storage is gone
  Py_buffer view;
};

// Gives a foreign Py_buffer back to Python when the last view of it is gone.
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
  int64_t row_major = view.itemsize;  // an array of ctypes names no strides
  for (int i = view.ndim - 1; i >= 0; --i) {
    const int64_t stride = view.strides == nullptr ? row_major : view.strides[i];
    row_major *= view.shape[i];
    if (stride % view.itemsize != 0) {
      raise<ValueError>("[", op, "] a stride of ", stride,
                        " bytes is no multiple of the element's ", view.itemsize, " bytes");
    }
    a.shape[i] = view.shape[i];
    a.strides[i] = stride / view.itemsize;
  }
  checked_numel(a.shape, a.ndim, a.itemsize(), op);
  const Reach reach = checked_reach(a.shape, a.strides, a.ndim, a.itemsize(), op);
  a.update();
  auto* first = static_cast<char*>(view.buf);
  if (reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(view.itemsize) != 0) {
    raise<ValueError>("[", op, "] the elements are not aligned to their size: copy the buffer");
  }
  const int64_t room = a.numel == 0 ? 0 : reach.high - reach.low + 1;
  a.offset = -reach.low;
  a.storage =
      Storage::adopt(first - a.offset * view.itemsize, static_cast<size_t>(room * view.itemsize),
                     view.readonly == 0, lease, &end_lease);
  return a;
}
}  // namespace

// A foreign object's Py_buffer as an array over the same memory.
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

// A foreign object's Py_buffer copied into a new array.
Array from_buffer(PyObject* exporter) { return clone(share_buffer(exporter, "from_buffer")); }
}  // namespace norch
