// What only stage 1 may decide: how shapes broadcast, and which views a reshape finds. Shapes that
// differ are sent there; equal ones, and runs without gaps, never are.
#pragma once

#include "bindings/python.h"

namespace norch {
// A function of norch_strides, looked up at first use: importing the module stays fast, and a call
// stays cheap. No `static PyObject* const`: a thread that waits for such a variable's lock holds
// the GIL, which the import that another thread is in may need back.
class StridesFunction {
 public:
  constexpr explicit StridesFunction(const char* name) : name_(name) {}
  PyObject* get() {
    if (function_ == nullptr) {
      Owned found = import_name("norch_strides", name_);
      if (function_ == nullptr) function_ = found.release();  // else another thread was quicker
    }
    return function_;
  }

 private:
  const char* name_;
  PyObject* function_ = nullptr;
};

PyObject* layout_object(const Array& a);  // norch_strides.Layout; a new reference
// The same storage under a Layout, or under any (shape, strides, offset).
Array view_of(const Array& a, PyObject* layout);

Array batch_of(Array a);  // seen without its last two dims: a batch of numbers, not of matrices

// Both become views of one shape. RuntimeError, in stage 1's words, when there is none.
void broadcast(Array& a, Array& b);
// `a` seen with the shape of `model`.
Array broadcast_to(const Array& a, const Array& model, const char* op);
// All `count` arrays become views of one shape.
void broadcast_all(Array* const* arrays, int count, const char* op);

// The same elements in another shape, one size of which may be -1: a view if there is one, else a
// copy. RuntimeError, in stage 1's words, when the sizes hold another number of elements.
Array reshape(const Array& a, const Dims& sizes);

// ---- Views by rules that stage 1 is asked, the answers remembered: methods of the class Array
// ----

// view_by(rule, *arguments): the view that `rule(layout, *arguments)` describes; None if it does.
PyObject* view_by(PyObject* self, PyObject* const* args, Py_ssize_t count);
// views_by(rule, *arguments): all views of the list of layouts that the rule gives.
PyObject* views_by(PyObject* self, PyObject* const* args, Py_ssize_t count);
// select(dim, index) and unbind(dim): one slice, and all of them.
PyObject* select(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* unbind(PyObject* self, PyObject* const* args, Py_ssize_t count);
}  // namespace norch
