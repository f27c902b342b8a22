#include <cstddef>

#include "array.h"
#include "state.h"

namespace norch {
Text tensor_text("TensorState"), shape_text("shape"), dtype_text("dtype"), device_text("device");
PyTypeObject* tensor_state = nullptr;

namespace {
PyTypeObject *result_class = nullptr, *size_class = nullptr;
PyObject* dtype_name;
PyObject* cpu = nullptr;  // the device of every array of stage 2

// What a tensor holds.
constexpr PyMemberDef members[] = {
    {"array", T_OBJECT_EX, offsetof(Tensor, array), 0, nullptr},
    {"_requires_grad", T_OBJECT_EX, offsetof(Tensor, requires_grad), 0, nullptr},
    {"_grad", T_OBJECT_EX, offsetof(Tensor, grad), 0, nullptr},
    {"node", T_OBJECT_EX, offsetof(Tensor, node), 0, nullptr},
    {"hooks", T_OBJECT_EX, offsetof(Tensor, hooks), 0, nullptr},
    {"base", T_OBJECT_EX, offsetof(Tensor, base), 0, nullptr},
    {"views", T_OBJECT_EX, offsetof(Tensor, views), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Tensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_members, const_cast<PyMemberDef*>(members)},
                       {Py_tp_traverse, reinterpret_cast<void*>(&traverse<members>)},
                       {Py_tp_clear, reinterpret_cast<void*>(&clear<members>)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate<members>)},
                       {0, nullptr}};
PyType_Spec spec = {"norch_autograd._core.TensorState", sizeof(Tensor), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
}  // namespace

// The class TensorState.
bool make_tensor_state() {
  dtype_name = PyUnicode_InternFromString("dtype");
  tensor_state = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_state != nullptr && dtype_name != nullptr;
}

// Tells the core which class every operation returns: autograd's Tensor.
void set_result_class(PyTypeObject* cls) {
  Py_INCREF(cls);
  Py_XSETREF(result_class, cls);
}

// The class Size, of tuples.
bool read_shape_text() {
  size_class = reinterpret_cast<PyTypeObject*>(global_of(shape_text.get(), "Size").release());
  return size_class != nullptr;
}

// The device "cpu", as `as_device` makes it.
bool read_device_text() {
  const Ref make = global_of(device_text.get(), "as_device");
  cpu = make ? PyObject_CallFunction(make.get(), "s", "cpu") : nullptr;
  return cpu != nullptr;
}

// The array of a property's tensor; null where it is none: the text will say so.
static PyObject* array_in(const Call& call) {
  const bool fits = call.count == 1 && call.names == nullptr && is_tensor(call.args[0]);
  return fits ? tensor(call.args[0])->array : nullptr;
}

// An array's sizes as a Size, which takes them unchecked.
PyObject* shape(const Call& call) {
  PyObject* const array = array_in(call);
  if (!array || !is_cpu_array(array)) return shape_text(call);
  const int64_t* sizes = nullptr;
  const int count = sizes_of(array, &sizes);
  Ref made(size_class->tp_alloc(size_class, count));
  for (int i = 0; made && i < count; ++i) {
    PyObject* const size = PyLong_FromLongLong(sizes[i]);
    if (size == nullptr) return nullptr;
    PyTuple_SET_ITEM(made.get(), i, size);
  }
  return made.release();
}

// The type of an array's elements.
PyObject* dtype(const Call& call) {
  PyObject* const array = array_in(call);
  return array ? PyObject_GetAttr(array, dtype_name) : dtype_text(call);
}

// Where an array lives.
PyObject* device(const Call& call) {
  PyObject* const array = array_in(call);
  return array && is_cpu_array(array) ? Py_NewRef(cpu) : device_text(call);
}

// A new tensor around an array, without a call of Python.
Ref wrapped(PyObject* array, PyObject* requires_grad, PyObject* node) {
  Ref made(result_class->tp_alloc(result_class, 0));
  if (!made) return made;
  Tensor* t = tensor(made.get());
  t->array = Py_NewRef(array);
  t->requires_grad = Py_NewRef(requires_grad);
  t->grad = Py_NewRef(Py_None);
  t->node = Py_NewRef(node);
  t->hooks = Py_NewRef(Py_None);
  t->base = Py_NewRef(Py_None);
  return made;
}
}  // namespace norch
