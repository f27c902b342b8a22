// Writing and reading DLPack capsules.
#include "bindings/exchange.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "ops/copy.h"

namespace norch {
namespace {
constexpr int32_t kCpu = 1;

struct DLDevice {
  int32_t type, id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* manager;
  void (*deleter)(DLManagedTensor*);
};

constexpr uint8_t kCodes[kNumDTypes] = {6, 1, 0, 0, 0,
                                        0, 2, 4, 2, 2};  // bool, uint, int, float, bfloat

// The dtype of a DLPack tensor's elements; TypeError where we have none.
DType dtype_of(DLDataType type) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (type.lanes == 1 && type.code == kCodes[i] && type.bits == 8 * kDTypeInfo[i].itemsize)
      return static_cast<DType>(i);
  }
  raise<TypeError>("[from_dlpack] elements of code ", int{type.code}, " and ", int{type.bits},
                   " bits have no dtype here: expected bool, uint8, int8 to int64, float16, ",
                   "bfloat16, float32 or float64");
}

struct Exported {  // what our capsules point to: an array keeps its storage alive
  Array array;
  DLManagedTensor managed;
};

// Frees the array behind a DLPack tensor that we gave away.
void let_export_go(DLManagedTensor* managed) { delete static_cast<Exported*>(managed->manager); }

// Python lets a DLPack capsule go that nobody has taken over.
void destroy_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;  // somebody has taken it over
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

// Calls the deleter of a DLPack tensor that we took over.
void let_import_go(void* owner) {
  auto* managed = static_cast<DLManagedTensor*>(owner);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

// An argument by name of the bindings' __dlpack__, borrowed; None where it was not given.
PyObject* keyword(PyObject* keywords, const char* name) {
  PyObject* found = keywords == nullptr ? nullptr : PyDict_GetItemString(keywords, name);
  return found == nullptr ? Py_None : found;
}

// For the DLPack bindings: whether Python takes an object for true.
bool is_true(PyObject* object) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) throw PythonError();
  return truth == 1;
}

// For the DLPack bindings: whether Python finds two objects equal.
bool is_equal(PyObject* a, PyObject* b) {
  return is_true(checked(PyObject_RichCompare(a, b, Py_EQ)).get());
}

// A DLPack capsule's tensor under our shape and strides; its first element may lie behind others.
Array array_over(const DLTensor& t) {
  Array a;
  a.dtype = dtype_of(t.dtype);
  if (t.ndim < 0) raise<ShapeError>("[from_dlpack] ", t.ndim, " dimensions: expected 0 or more");
  checked_numel(t.shape, t.ndim, a.itemsize(), "from_dlpack");
  a.ndim = t.ndim;
  int64_t step = 1;
  for (int i = t.ndim - 1; i >= 0; --i) {
    a.shape[i] = t.shape[i];
    a.strides[i] = t.strides == nullptr ? step : t.strides[i];
    step *= std::max<int64_t>(1, t.shape[i]);
  }
  a.update();
  return a;
}

// A DLPack capsule's memory from the lowest element to the highest, kept alive by whoever lent it.
void adopt_memory(Array& a, DLManagedTensor* managed) {
  const Reach reach = checked_reach(a.shape, a.strides, a.ndim, a.itemsize(), "from_dlpack");
  const DLTensor& t = managed->tensor;
  if (t.data == nullptr && a.numel > 0) {
    raise<ValueError>("[from_dlpack] ", a.numel, " elements are announced, but no memory");
  }
  a.offset = -reach.low;
  auto* first = static_cast<char*>(t.data) + t.byte_offset - a.offset * a.itemsize();
  if (reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(a.itemsize()) != 0) {
    raise<ValueError>("[from_dlpack] the elements are not aligned to their size: copy the memory");
  }
  const int64_t room = a.numel == 0 ? 0 : reach.high - reach.low + 1;
  a.storage = Storage::adopt(first, static_cast<size_t>(room * a.itemsize()), true, managed,
                             &let_import_go);
}
}  // namespace

// The device of an array in DLPack's numbers.
PyObject* dlpack_device() { return Py_BuildValue("(ii)", kCpu, 0); }

// An array as a Python capsule of DLPack.
PyObject* to_dlpack(const Array& a, PyObject* keywords) {
  if (keyword(keywords, "stream") != Py_None)
    raise<ValueError>("[__dlpack__] stream must be None for memory of the CPU");
  PyObject* device = keyword(keywords, "dl_device");
  if (device != Py_None && !is_equal(device, checked(dlpack_device()).get())) {
    PyErr_SetString(PyExc_BufferError,
                    "[__dlpack__] the array lies on the CPU, device (1, 0): copy it there first");
    return nullptr;
  }
  const bool copied = is_true(keyword(keywords, "copy"));
  if (!copied && !a.storage->writable()) {
    PyErr_SetString(PyExc_BufferError,
                    "[__dlpack__] this array is a view of read-only memory: clone() it first");
    return nullptr;
  }
  auto exported = std::make_unique<Exported>();
  exported->array = copied ? clone(a) : a;
  Array& held = exported->array;
  DLDataType type{kCodes[static_cast<int>(held.dtype)], static_cast<uint8_t>(8 * held.itemsize()),
                  1};
  exported->managed.tensor = {held.bytes(), {kCpu, 0},    held.ndim, type,
                              held.shape,   held.strides, 0};
  exported->managed.manager = exported.get();
  exported->managed.deleter = &let_export_go;
  PyObject* capsule = PyCapsule_New(&exported->managed, "dltensor", &destroy_capsule);
  if (capsule == nullptr) throw PythonError();
  exported.release();  // the capsule owns it now
  return capsule;
}

// An array over the memory that a Python object's DLPack capsule describes.
Array from_dlpack(PyObject* exporter) {
  if (!PyObject_HasAttrString(exporter, "__dlpack__") ||
      !PyObject_HasAttrString(exporter, "__dlpack_device__")) {
    raise<TypeError>("[from_dlpack] expected an object with __dlpack__, got ",
                     Py_TYPE(exporter)->tp_name);
  }
  const Owned device = checked(PyObject_CallMethod(exporter, "__dlpack_device__", nullptr));
  const Owned kind = checked(PySequence_GetItem(device.get(), 0));
  if (!is_equal(kind.get(), checked(PyLong_FromLong(kCpu)).get())) {
    const Owned text = checked(PyObject_Str(device.get()));
    raise<ValueError>("[from_dlpack] the memory is on device ", PyUnicode_AsUTF8(text.get()),
                      ", expected the CPU's (1, 0): move it there first");
  }
  const Owned capsule = checked(PyObject_CallMethod(exporter, "__dlpack__", nullptr));
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (managed == nullptr) throw PythonError();
  Array a = array_over(managed->tensor);
  adopt_memory(a, managed);
  PyCapsule_SetName(capsule.get(), "used_dltensor");
  return a;
}
}  // namespace norch
