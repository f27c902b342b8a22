#include <cstddef>

#include "state.h"

namespace norch {

Text tensor_text("TensorState");
PyTypeObject* tensor_state = nullptr;

namespace {

PyTypeObject* result_class = nullptr;

// The one list of what a tensor holds: the collector and the end of a tensor walk it too.
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

// Where `self` holds the object of a member; null for a member that is none.
PyObject** slot(PyObject* self, const PyMemberDef& member) {
  if (member.type != T_OBJECT_EX) return nullptr;
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + member.offset);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (const PyMemberDef& member : members) {
    if (PyObject** held = slot(self, member)) Py_VISIT(*held);
  }
  return 0;
}

int clear(PyObject* self) {
  for (const PyMemberDef& member : members) {
    if (PyObject** held = slot(self, member)) Py_CLEAR(*held);
  }
  return 0;
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, deallocate);
  if (tensor(self)->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END;
}

PyType_Slot slots[] = {{Py_tp_members, const_cast<PyMemberDef*>(members)},
                       {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
                       {0, nullptr}};
PyType_Spec spec = {"norch_autograd._core.TensorState", sizeof(Tensor), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool make_tensor_state() {
  tensor_state = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_state != nullptr;
}

void set_result_class(PyTypeObject* cls) {
  Py_INCREF(cls);
  Py_XSETREF(result_class, cls);
}

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
