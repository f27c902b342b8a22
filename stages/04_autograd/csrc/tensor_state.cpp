#include <cstddef>

#include "state.h"

namespace norch {
Text tensor_text("TensorState");
PyTypeObject* tensor_state = nullptr;

namespace {
PyTypeObject* result_class = nullptr;

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
  tensor_state = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_state != nullptr;
}

// Tells the core which class every operation returns: autograd's Tensor.
void set_result_class(PyTypeObject* cls) {
  Py_INCREF(cls);
  Py_XSETREF(result_class, cls);
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
