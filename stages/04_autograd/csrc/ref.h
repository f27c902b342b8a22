// An owned reference to a Python object, let go where its name ends: on every way out of a
// function, the failing ones too. What a function here only looks at, it takes and hands on as
// PyObject*.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <structmember.h>  // after Python.h, which it needs

#include <utility>

namespace norch {
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}  // null: a call failed, its error is set
  static Ref to(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    Ref old(std::exchange(object_, other.release()));
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// What a function takes from Python: vectorcall's array, the count, and the names of the last ones.
struct Call {
  PyObject* const* args;
  Py_ssize_t count;
  PyObject* names;
};
}  // namespace norch
