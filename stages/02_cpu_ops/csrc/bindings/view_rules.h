// Views by stage 1's rules: methods of the class Array.
#pragma once

#include "bindings/python.h"

namespace norch {

// view_by(rule, *arguments): the view that `rule(layout, *arguments)` describes; None if it does.
PyObject* view_by(PyObject* self, PyObject* const* args, Py_ssize_t count);
// views_by(rule, *arguments): all views of the list of layouts that the rule gives.
PyObject* views_by(PyObject* self, PyObject* const* args, Py_ssize_t count);
// select(dim, index) and unbind(dim): one slice, and all of them.
PyObject* select(PyObject* self, PyObject* const* args, Py_ssize_t count);
PyObject* unbind(PyObject* self, PyObject* const* args, Py_ssize_t count);

}  // namespace norch
