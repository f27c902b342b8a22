// The Python class Array, written against the C API because every operation returns one and every
// attribute access of the stages above lands here.
#include <cstring>
#include <new>

#include "bindings/exchange.h"
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "core/poison.h"
#include "ops/reduce.h"

namespace norch {
PyTypeObject* array_type = nullptr;

namespace {
// Runs f; a C++ exception becomes a Python error and the slot's failure value.
template <class F>
auto guard(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    if constexpr (std::is_pointer_v<decltype(f())>)
      return nullptr;
    else
      return -1;
  }
}

// One element as a Python bool, int or float.
PyObject* scalar_object(const char* element, DType dtype) {
  return visit(dtype, [&](auto tag) -> PyObject* {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, element, sizeof value);
    if constexpr (std::is_same_v<T, Bool>)
      return PyBool_FromLong(value);
    else if constexpr (std::is_integral_v<T>)
      return PyLong_FromLongLong(value);
    else
      return PyFloat_FromDouble(static_cast<double>(value));
  });
}

// The elements from dimension `dim` on as nested Python lists.
PyObject* nested_list(const Array& a, const char* element, int dim) {
  if (dim == a.ndim) return scalar_object(element, a.dtype);
  Owned list = checked(PyList_New(Py_ssize_t(to_size(a.shape[dim]))));
  for (int64_t i = 0; i < a.shape[dim]; ++i) {
    PyObject* item = nested_list(a, element + i * a.strides[dim] * a.itemsize(), dim + 1);
    PyList_SET_ITEM(list.get(), i, checked(item).release());
  }
  return list.release();
}

// The bindings' method Array.item.
PyObject* item(PyObject* self, PyObject*) {
  return guard([&] {
    const Array& a = unwrap(self);
    if (a.numel != 1) {
      raise<Error>("[item] an array of shape ", a.shape_text(), " has ", a.numel,
                   " elements: only one element converts to a Python number");
    }
    return scalar_object(a.bytes(), a.dtype);
  });
}

// The bindings' method Array.tolist.
PyObject* tolist(PyObject* self, PyObject*) {
  return guard([&] { return nested_list(unwrap(self), unwrap(self).bytes(), 0); });
}

// The bindings' method Array.view.
PyObject* view(PyObject* self, PyObject* layout) {
  return guard([&] { return wrap(view_of(unwrap(self), layout)); });
}

// The bindings' method Array.reshape: sizes one by one or in one sequence, as Tensor.reshape's.
PyObject* reshape(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guard([&] {
    if (count == 1)
      return wrap(norch::reshape(unwrap(self), dims_from(args[0], "reshape", "sizes")));
    const Owned sizes = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(sizes.get(), i, Py_NewRef(args[i]));
    return wrap(norch::reshape(unwrap(self), dims_from(sizes.get(), "reshape", "sizes")));
  });
}

// What the bindings' method Array.sum calls: the sum over dims.
Array sum_over(const Array& a, const std::optional<Dims>& dim, bool keepdim) {
  return reduce(ReduceOp::kSum, a, dims_to_reduce(dim, a.ndim, "sum"), keepdim);
}

// The bindings' method Array.sum, with the arguments' names of Tensor.sum.
PyObject* sum(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guard([&] {
    static const Operation row("sum(self, dim=None, keepdim=False)", &sum_over, "");
    static const Function function(row);
    return function.call_method(self, args, count, names);
  });
}

// The bindings' method Array.unversioned: a storage of its own around the same bytes, which it
// keeps alive. Writes through it are not counted in the version of the first.
PyObject* unversioned(PyObject* self, PyObject*) {
  return guard([&] {
    Array alias = unwrap(self);
    const Storage& bytes = *alias.storage.get();
    auto* held = new StoragePtr(alias.storage);
    alias.storage = Storage::adopt(bytes.data(), bytes.nbytes(), bytes.writable(), held,
                                   [](void* pointer) { delete static_cast<StoragePtr*>(pointer); });
    return wrap(std::move(alias));
  });
}

// The bindings' method Array.storage_as. Views beside this one and elements of another type
// included: what a copy must hold that shares again what was shared.
PyObject* storage_as(PyObject* self, PyObject* object) {
  return guard([&] {
    const DType* dtype = dtype_of(object);
    if (dtype == nullptr) {
      raise<TypeError>("[storage_as] expected a dtype, got ", Py_TYPE(object)->tp_name);
    }
    Array all = unwrap(self);
    const auto itemsize = static_cast<uintptr_t>(itemsize_of(*dtype));
    if (reinterpret_cast<uintptr_t>(all.storage->data()) % itemsize != 0) {
      raise<ValueError>("[storage_as] the storage is not aligned to elements of ", name_of(*dtype),
                        ": clone it first");
    }
    all.dtype = *dtype;
    all.ndim = 1;
    all.offset = 0;
    all.shape[0] = static_cast<int64_t>(all.storage->nbytes() / itemsize);
    all.strides[0] = 1;
    all.update();
    return wrap(std::move(all));
  });
}

// The bindings' method Array.shares_storage. An object that stands for an array is asked
// instead, as `alike` asks it: there the answer may need no array.
PyObject* shares_storage(PyObject* self, PyObject* other) {
  return guard([&] {
    if (stands_for_array(other)) return PyObject_CallMethod(other, "shares_storage", "O", self);
    if (!is_array(other)) {
      raise<TypeError>("[shares_storage] expected an Array, got ", Py_TYPE(other)->tp_name);
    }
    return PyBool_FromLong(unwrap(self).shares_storage(unwrap(other)));
  });
}

// The bindings' method Array.alike. Asked before every recorded operation of stage 4: two tuples to
// compare would cost three times as much.
PyObject* alike(PyObject* self, PyObject* other) {
  return guard([&] {
    if (stands_for_array(other)) return PyObject_CallMethod(other, "alike", "O", self);
    if (!is_array(other))
      raise<TypeError>("[alike] expected an Array, got ", Py_TYPE(other)->tp_name);
    const Array &a = unwrap(self), &b = unwrap(other);
    return PyBool_FromLong(a.dtype == b.dtype && a.same_shape(b));
  });
}

// The bindings' method Array.__dlpack__.
PyObject* dlpack(PyObject* self, PyObject* positional, PyObject* keywords) {
  return guard([&] {
    if (PyTuple_GET_SIZE(positional) != 0)
      raise<TypeError>("[__dlpack__] takes its options by name only");
    return to_dlpack(unwrap(self), keywords);
  });
}

// Python's tables hold one kind of function; the flags beside it say which it really is.
template <class F>
PyCFunction fast(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

// A function of bindings/view_rules.cpp as a method.
template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyObject* by_rules(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return guard([&] { return function(self, args, count); });
}

PyMethodDef methods[] = {
    {"view_by", fast(&by_rules<&view_by>), METH_FASTCALL,
     "The view that a rule of norch_strides makes of the layout; None where it finds none."},
    {"views_by", fast(&by_rules<&views_by>), METH_FASTCALL,
     "The views that a rule of norch_strides makes of the layout."},
    {"select", fast(&by_rules<&select>), METH_FASTCALL, "Slice number `index` along `dim`."},
    {"unbind", fast(&by_rules<&unbind>), METH_FASTCALL, "All slices along `dim`."},
    {"reshape", fast(&reshape), METH_FASTCALL, "The same elements in another shape."},
    {"sum", fast(&sum), METH_FASTCALL | METH_KEYWORDS,
     "The sum over `dim`, all dimensions if None."},
    {"view", &view, METH_O, "The same storage under another Layout(shape, strides, offset)."},
    {"unversioned", &unversioned, METH_NOARGS, "The same memory with a version of its own."},
    {"storage_as", &storage_as, METH_O, "The whole storage as a line of elements of a dtype."},
    {"item", &item, METH_NOARGS, "The only element as a Python number."},
    {"tolist", &tolist, METH_NOARGS, "The elements as nested lists."},
    {"alike", &alike, METH_O, "True if both have the same shape and dtype."},
    {"shares_storage", &shares_storage, METH_O, "True if both see the same memory."},
    {"__dlpack__", fast(&dlpack), METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule of the same memory."},
    {"__dlpack_device__", [](PyObject*, PyObject*) { return dlpack_device(); }, METH_NOARGS,
     "Where the memory is, in DLPack's numbers: (1, 0), the CPU."},
    {nullptr, nullptr, 0, nullptr}};

// A getter of the Python class Array, from a function of the C++ array.
template <PyObject* (*get)(const Array&)>
PyObject* property(PyObject* self, void*) {
  return guard([&] { return get(unwrap(self)); });
}

PyObject* get_shape(const Array& a) { return tuple_from(a.shape, a.ndim); }
PyObject* get_strides(const Array& a) { return tuple_from(a.strides, a.ndim); }
PyObject* get_offset(const Array& a) { return PyLong_FromLongLong(a.offset); }
PyObject* get_ndim(const Array& a) { return PyLong_FromLong(a.ndim); }
PyObject* get_numel(const Array& a) { return PyLong_FromLongLong(a.numel); }
PyObject* get_dtype(const Array& a) { return Py_NewRef(dtype_object(a.dtype)); }
PyObject* get_itemsize(const Array& a) { return PyLong_FromLong(a.itemsize()); }
PyObject* get_nbytes(const Array& a) { return PyLong_FromLongLong(a.nbytes()); }
PyObject* get_is_contiguous(const Array& a) { return PyBool_FromLong(a.contiguous); }
PyObject* get_data_ptr(const Array& a) { return PyLong_FromVoidPtr(a.bytes()); }
PyObject* get_version(const Array& a) { return PyLong_FromLongLong(a.storage->version()); }
PyObject* get_owns_storage(const Array& a) { return PyBool_FromLong(owns_storage(a)); }
// The bindings' property Array.mT: the last two dims exchanged.
PyObject* get_mT(const Array& a) {
  if (a.ndim < 2) raise<Error>("[mT] expected at least 2 dimensions, got ", a.ndim);
  return wrap(transposed(a));
}
PyObject* get_device(const Array&) {
  static PyObject* cpu = PyUnicode_InternFromString("cpu");
  return Py_NewRef(cpu);
}

PyGetSetDef properties[] = {
    {"shape", &property<&get_shape>, nullptr, "Sizes, outermost first.", nullptr},
    {"strides", &property<&get_strides>, nullptr, "Steps in elements.", nullptr},
    {"offset", &property<&get_offset>, nullptr, "Position of the first element.", nullptr},
    {"ndim", &property<&get_ndim>, nullptr, "Number of dimensions.", nullptr},
    {"numel", &property<&get_numel>, nullptr, "Number of elements.", nullptr},
    {"dtype", &property<&get_dtype>, nullptr, "Type of the elements.", nullptr},
    {"itemsize", &property<&get_itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", &property<&get_nbytes>, nullptr, "numel * itemsize.", nullptr},
    {"device", &property<&get_device>, nullptr, "Always 'cpu'.", nullptr},
    {"is_contiguous", &property<&get_is_contiguous>, nullptr, "Row-major without gaps.", nullptr},
    {"data_ptr", &property<&get_data_ptr>, nullptr, "Address of the first element.", nullptr},
    {"owns_storage", &property<&get_owns_storage>, nullptr,
     "Whether no other array shares its storage, and it shows all of it.", nullptr},
    {"version", &property<&get_version>, nullptr,
     "How often the storage was written in place; views share it.", nullptr},
    {"mT", &property<&get_mT>, nullptr, "The last two dimensions exchanged, as a view.", nullptr},
    {"layout", &property<&layout_object>, nullptr, "norch_strides.Layout of this array.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr int64_t kReprElements = 64;

// What Python prints of an Array.
PyObject* repr(PyObject* self) {
  return guard([&] {
    const Array& a = unwrap(self);
    std::string text = "Array(";
    if (a.numel <= kReprElements) {
      const Owned list = checked(nested_list(a, a.bytes(), 0));
      text += PyUnicode_AsUTF8(checked(PyObject_Repr(list.get())).get()) + std::string(", ");
    }
    text += "shape=" + a.shape_text() + ", dtype=norch." + name_of(a.dtype) + ")";
    return PyUnicode_FromString(text.c_str());
  });
}

// len() of an Array: its first size.
Py_ssize_t length(PyObject* self) {
  return guard([&]() -> Py_ssize_t {
    const Array& a = unwrap(self);
    if (a.ndim == 0) raise<TypeError>("[len] an array without dimensions has no length");
    return Py_ssize_t(to_size(a.shape[0]));
  });
}

// bool() of an Array: the truth of its one element, as PyTorch. Without this slot Python would fall
// back on len().
int truth(PyObject* self) {
  return guard([&] {
    const Array& a = unwrap(self);
    if (a.numel != 1) {
      raise<Error>("[bool] the truth of an array of shape ", a.shape_text(),
                   " is ambiguous: use any() or all()");
    }
    return PyObject_IsTrue(checked(scalar_object(a.bytes(), a.dtype)).get());
  });
}

// The memory of arrays that died, kept for the next ones: every operation makes one. The GIL guards
// the list, so a Python without a GIL goes without it.
class SpareObjects {
 public:
  PyObject* take() {  // null when there is none
    if (count_ == 0) return nullptr;
    PyObject* memory = memory_[--count_];
    allow(memory, sizeof(PyArray));
    return PyObject_Init(memory, array_type);
  }

  bool keep(PyObject* memory) {
    if (count_ == kMost) return false;
    forbid(memory, sizeof(PyArray));
    memory_[count_++] = memory;
    return true;
  }

 private:
#ifdef Py_GIL_DISABLED
  static constexpr int kMost = 0;
#else
  static constexpr int kMost = 64;
#endif
  PyObject* memory_[64];
  int count_ = 0;
};

SpareObjects spare_objects;

// Python lets an Array go: its memory waits for the next one.
void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  unwrap(self).~Array();
  if (!spare_objects.keep(self)) type->tp_free(self);
  Py_DECREF(type);
}

// The buffer protocol's slot of the Python class Array.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guard([&] { return export_buffer(unwrap(self), self, view, flags); });
}

// A function as Python's slot tables hold it.
template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>("Elements on the CPU: a storage seen through shape and strides.")},
    {Py_tp_dealloc, slot(&deallocate)},
    {Py_tp_repr, slot(&repr)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_mp_length, slot(&length)},
    {Py_nb_bool, slot(&truth)},
    {Py_nb_add, slot(&operators::add)},
    {Py_nb_subtract, slot(&operators::sub)},
    {Py_nb_multiply, slot(&operators::mul)},
    {Py_nb_true_divide, slot(&operators::div)},
    {Py_nb_negative, slot(&operators::neg)},
    {Py_nb_matrix_multiply, slot(&operators::matmul)},
    {Py_bf_getbuffer, slot(&get_buffer)},
    {Py_bf_releasebuffer, slot(&release_buffer)},
    {0, nullptr}};

PyType_Spec spec = {"norch_cpu_ops._cpu.Array", sizeof(PyArray), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
}  // namespace

// Puts a C++ array into a new Python object.
PyObject* wrap(Array&& array) {
  PyObject* memory = spare_objects.take();
  auto* self =
      memory == nullptr ? PyObject_New(PyArray, array_type) : reinterpret_cast<PyArray*>(memory);
  if (self == nullptr) throw PythonError();
  new (&self->array) Array(std::move(array));
  return reinterpret_cast<PyObject*>(self);
}

// Makes the Python class Array, once, when the module is imported.
PyTypeObject* make_array_type() {
  array_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
  return array_type;
}
}  // namespace norch
