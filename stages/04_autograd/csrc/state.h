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

extern Text tensor_text, node_text;
extern PyTypeObject *tensor_state, *node_state;
bool make_tensor_state();
bool make_node_state();
bool read_node_text();
void set_result_class(PyTypeObject* cls);  // what every operation returns: Tensor

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

// A result of the class Tensor. `array` and `node` are borrowed.
Ref wrapped(PyObject* array, PyObject* requires_grad, PyObject* node);
// A node of class `kind` whose `__init__` is NodeState's; watchers are told.
bool is_plain_kind(PyObject* kind);
Ref new_node(PyObject* kind, PyObject* edges, PyObject* kept, PyObject* context);

}  // namespace norch
