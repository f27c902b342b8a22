// The Python text that each function and class of this folder stands for. A form in C++ knows the
// ordinary case alone; for any other (a wrong argument, a hook, a view whose base was edited) it
// calls its text, whose words and errors are therefore the only ones.
#pragma once

#include "ref.h"

namespace norch {
class Text {
 public:
  explicit Text(const char* name) : name_(name) {}
  const char* name() const { return name_; }
  void set(PyObject* object) { Py_XSETREF(object_, Py_NewRef(object)); }
  PyObject* get() const { return object_; }

  PyObject* operator()(const Call& call) const {
    return PyObject_Vectorcall(object_, call.args, static_cast<size_t>(call.count), call.names);
  }
  // A method of the text of a class, with `self` first.
  PyObject* method(PyObject* name, PyObject* self, PyObject* argument) const {
    const Ref found(PyObject_GetAttr(object_, name));
    if (!found) return nullptr;
    PyObject* const args[] = {self, argument};
    return PyObject_Vectorcall(found.get(), args, 2, nullptr);
  }

 private:
  const char* name_;
  PyObject* object_ = nullptr;  // given at import (module.cpp), and held for good
};

// The arguments of a call by place, for parameters of these names, of which `least` are needed.
// False where they do not fit: the text will say so.
template <int most>
struct Arguments {
  PyObject* at[most] = {};

  bool fit(const Call& call, const char* const (&names)[most], int least) {
    if (call.count > most) return false;
    for (Py_ssize_t i = 0; i < call.count; ++i) at[i] = call.args[i];
    const Py_ssize_t named = call.names == nullptr ? 0 : PyTuple_GET_SIZE(call.names);
    for (Py_ssize_t k = 0; k < named; ++k) {
      int i = 0;
      PyObject* const name = PyTuple_GET_ITEM(call.names, k);
      while (i < most && PyUnicode_CompareWithASCIIString(name, names[i]) != 0) ++i;
      if (i == most || at[i] != nullptr) return false;
      at[i] = call.args[call.count + k];
    }
    for (int i = 0; i < least; ++i) {
      if (at[i] == nullptr) return false;
    }
    return true;
  }
};

Ref global_of(PyObject* function, const char* name);
}  // namespace norch
