// The forms of two classes: TensorState (graph/tensor_base.py), what a tensor holds, and NodeState
// (graph/node.py), what a node holds and how it reads what it kept. Their fields are the slots of
// the Python classes, under the same names. Everything else of a tensor or node is Python.
#pragma once

#include <cstdint>

#include "text.h"

namespace norch {
// Where a pass that is being planned has put a tensor or node: see plan.cpp.
struct Mark {
  uint64_t plan;
  uint32_t place;
};

struct Tensor {
  PyObject_HEAD PyObject *array, *requires_grad, *grad, *node, *hooks, *base, *views, *weakrefs;
  Mark mark;
};

struct Node {
  PyObject_HEAD PyObject *edges, *kept, *context, *hooks, *weakrefs;
  long long number;
  Mark mark;
};

extern Text tensor_text, node_text, shape_text, dtype_text, device_text;
extern PyTypeObject *tensor_state, *node_state;
// At import: the two classes, and what the node's looks up in graph/node.py; false with an error.
bool make_tensor_state();
bool make_node_state();
bool read_node_text();
// What `shape`, `dtype` and `device` of a tensor read; and what they find in tensor_base.py.
PyObject* shape(const Call& call);
PyObject* dtype(const Call& call);
PyObject* device(const Call& call);
bool read_shape_text();
bool read_device_text();
void set_result_class(PyTypeObject* cls);  // what every operation returns: Tensor

// A Python object as what its class says it is, unchecked; and whether its class says so.
inline Tensor* tensor(PyObject* object) { return reinterpret_cast<Tensor*>(object); }
inline Node* node(PyObject* object) { return reinterpret_cast<Node*>(object); }
inline bool is_node(PyObject* object) { return PyObject_TypeCheck(object, node_state); }
inline bool is_tensor(PyObject* object) { return PyObject_TypeCheck(object, tensor_state); }

// A tensor that was made in the usual way: every slot is filled, `_requires_grad` True or False.
inline bool is_whole(PyObject* object) {
  if (!is_tensor(object)) return false;
  const Tensor* t = tensor(object);
  return t->array && t->node && t->base && t->hooks &&
         (t->requires_grad == Py_True || t->requires_grad == Py_False);
}
inline bool requires_grad(PyObject* whole) { return tensor(whole)->requires_grad == Py_True; }

// Where `self` holds the object of a member; null for a member that is none.
inline PyObject** slot(PyObject* self, const PyMemberDef& member) {
  if (member.type != T_OBJECT_EX) return nullptr;
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + member.offset);
}

// A class has one list of what it holds, by which Python reads it. The same list is walked by the
// collector, which looks for cycles and breaks them, and at the end of a tensor or node.
template <const PyMemberDef* members>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (const PyMemberDef* member = members; member->name != nullptr; ++member) {
    if (PyObject** held = slot(self, *member)) Py_VISIT(*held);
  }
  return 0;
}

// Lets go of all that a tensor or node holds.
template <const PyMemberDef* members>
int clear(PyObject* self) {
  for (const PyMemberDef* member = members; member->name != nullptr; ++member) {
    if (PyObject** held = slot(self, *member)) Py_CLEAR(*held);
  }
  return 0;
}

// A graph of 100,000 nodes hangs on its last one: the trashcan frees them without recursion.
template <const PyMemberDef* members>
void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, deallocate<members>);
  const char* const weak = reinterpret_cast<char*>(self) + type->tp_weaklistoffset;
  if (*reinterpret_cast<PyObject* const*>(weak) != nullptr) PyObject_ClearWeakRefs(self);
  clear<members>(self);
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END;
}

// A result of the class Tensor. `array` and `node` are borrowed.
Ref wrapped(PyObject* array, PyObject* requires_grad, PyObject* node);
// A node of class `kind` whose `__init__` is NodeState's; watchers are told.
bool is_plain_kind(PyObject* kind);
Ref new_node(PyObject* kind, PyObject* edges, PyObject* kept, PyObject* context);
}  // namespace norch
