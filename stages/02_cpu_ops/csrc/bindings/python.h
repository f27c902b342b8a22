// How Array, DType, numbers and shapes cross between Python and C++. Included by every binding.
//
// The Python class Array is written against the C API (bindings/array_type.cpp) with the C++ value
// inside the Python object: one allocation per result, a pointer comparison per argument. The
// casters below let pybind11 functions take `const Array&` and return `Array`.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <initializer_list>
#include <optional>

#include "core/array.h"

namespace norch {

namespace py = pybind11;

struct PyArray {
  PyObject_HEAD Array array;
};

extern PyTypeObject* array_type;  // norch_cpu_ops._cpu.Array

void bind_array_type(py::module_& m);
PyObject* wrap(Array&& array);  // a new Python Array; throws error_already_set
inline bool is_array(PyObject* object) { return Py_TYPE(object) == array_type; }
inline Array& unwrap(PyObject* object) { return reinterpret_cast<PyArray*>(object)->array; }

// Turns the C++ exception being handled into a Python error. For catch blocks of C API slots.
void set_python_error() noexcept;

PyObject* dtype_object(DType dtype);      // borrowed; one object per dtype
const DType* dtype_of(PyObject* object);  // null when the object is no dtype
void bind_dtypes(py::module_& m);
void prepare_calls(py::module_& m);  // last: once every function is there

// A shorter way into a function for the most frequent call, `count` operands by position: without
// pybind11's dispatcher, which costs more than adding 64 numbers. All other calls go the long way.
using Call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* long_way(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);
void add_shortcut(const char* name, Call call);

template <Py_ssize_t count, Array (*function)(PyObject* const*)>
void add_shortcut(const char* name) {
  add_shortcut(
      name,
      [](PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names) -> PyObject* {
        if (names != nullptr || PyVectorcall_NARGS(static_cast<size_t>(given)) != count)
          return long_way(self, args, given, names);
        try {
          return wrap(function(args));
        } catch (...) {
          set_python_error();
          return nullptr;
        }
      });
}

// Puts the arguments of a fast call into the places of its `options`, which hold the defaults.
void place_options(const char* op, std::initializer_list<const char*> options,
                   PyObject* const* args, Py_ssize_t positional, PyObject* names, PyObject** given);

// One int or a sequence of ints. TypeError otherwise; ShapeError when too many or too large.
Dims dims_from(PyObject* object, const char* op, const char* what);
PyObject* tuple_from(const int64_t* values, int n);

// An Array or a Python number, as every arithmetic function takes. Anything else is remembered, so
// that the operation can say in its own words what it was given.
struct Operand {
  Array* array = nullptr;
  Scalar scalar;
  PyObject* object = nullptr;
  bool is_number = false;

  bool is_given() const { return array != nullptr || is_number; }
  // TypeError "[op] expected an Array, got str" unless it is one.
  Array& as_array(const char* op) const;
  void check(const char* op) const;  // TypeError unless an Array or a number
};
Operand operand_from(PyObject* object);

// What `a + b`, `a < b` and the like run: the slots of the class Array, written beside the
// functions that they are another spelling of. NotImplemented when one side is neither array nor
// number.
namespace operators {
PyObject* add(PyObject* a, PyObject* b);
PyObject* sub(PyObject* a, PyObject* b);
PyObject* mul(PyObject* a, PyObject* b);
PyObject* div(PyObject* a, PyObject* b);
PyObject* neg(PyObject* a);
PyObject* matmul(PyObject* a, PyObject* b);
}  // namespace operators

// The body of such a slot.
template <class F>
PyObject* operate(PyObject* left, PyObject* right, F&& f) {
  try {
    const Operand a = operand_from(left), b = operand_from(right);
    if (!a.is_given() || !b.is_given()) return Py_NewRef(Py_NotImplemented);
    return wrap(f(a, b));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Lets other Python threads run while a long kernel does. `work`: elements touched or more; kLong
// where the arrays given do not tell.
constexpr int64_t kLong = int64_t{1} << 20;

template <class F>
auto without_gil(int64_t work, F&& f) {
  constexpr int64_t kWorthIt = 1 << 14;
  if (work < kWorthIt) return f();
  py::gil_scoped_release release;
  return f();
}

}  // namespace norch

namespace pybind11::detail {

template <>
class type_caster<norch::Array> {
 public:
  static constexpr auto name = const_name("Array");
  template <class T>
  using cast_op_type = norch::Array&;

  bool load(handle source, bool) {
    if (!norch::is_array(source.ptr())) return false;
    value_ = &norch::unwrap(source.ptr());
    return true;
  }
  operator norch::Array&() { return *value_; }
  static handle cast(norch::Array&& a, return_value_policy, handle) {
    return norch::wrap(std::move(a));
  }
  static handle cast(const norch::Array& a, return_value_policy, handle) {
    return norch::wrap(norch::Array(a));
  }

 private:
  norch::Array* value_ = nullptr;
};

template <>
class type_caster<norch::DType> {
 public:
  PYBIND11_TYPE_CASTER(norch::DType, const_name("DType"));
  bool load(handle source, bool) {
    const norch::DType* found = norch::dtype_of(source.ptr());
    if (found != nullptr) value = *found;
    return found != nullptr;
  }
  static handle cast(norch::DType t, return_value_policy, handle) {
    return handle(norch::dtype_object(t)).inc_ref();
  }
};

template <>
class type_caster<norch::Operand> {
 public:
  PYBIND11_TYPE_CASTER(norch::Operand, const_name("Array | float"));
  bool load(handle source, bool) {
    value = norch::operand_from(source.ptr());
    return true;
  }
};

template <>
class type_caster<norch::Scalar> {
 public:
  PYBIND11_TYPE_CASTER(norch::Scalar, const_name("float"));
  bool load(handle source, bool) {
    const norch::Operand operand = norch::operand_from(source.ptr());
    value = operand.scalar;
    return operand.is_number;
  }
};

// Shapes and lists of dims: an int counts as a list of one.
template <>
class type_caster<norch::Dims> {
 public:
  PYBIND11_TYPE_CASTER(norch::Dims, const_name("int | Sequence[int]"));
  bool load(handle source, bool) {
    if (source.is_none() || PyFloat_Check(source.ptr())) return false;
    if (!PyIndex_Check(source.ptr()) && !PySequence_Check(source.ptr())) return false;
    value = norch::dims_from(source.ptr(), "shape", "sizes");
    return true;
  }
};

}  // namespace pybind11::detail
