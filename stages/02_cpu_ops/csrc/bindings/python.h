// Arrays, numbers, shapes and errors between Python and C++. Included by every binding.
//
// The Python class Array is written against the C API (bindings/array_type.cpp) with the C++ value
// inside the Python object: one allocation per result, a pointer comparison per argument. The
// operations reach Python through the tables of bindings/operation.h; pybind11 makes the module
// (bindings/module.cpp) and is included nowhere else, because every file that includes it compiles
// its inline functions again.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

#include "core/array.h"

namespace norch {
// ---- References and errors ----

struct PythonError {};  // thrown while Python's own error is set

// One reference to an object, given back at the end.
class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* taken) : object_(taken) {}
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// What a function of the C API has answered; null means that it has set an error.
inline Owned checked(PyObject* answer) {
  if (answer == nullptr) throw PythonError();
  return Owned(answer);
}
Owned import_name(const char* module, const char* name);  // module.name

// In a catch block for PythonError: drops a RuntimeError, which the caller tells in other words;
// any other error goes on.
void clear_runtime_error();

extern PyObject* dtype_error;  // norch_cpu_ops.DTypeError
// Turns the C++ exception being handled into a Python error. For catch blocks of C API slots.
void set_python_error() noexcept;

// ---- The two classes ----

struct PyArray {
  PyObject_HEAD Array array;
};

extern PyTypeObject* array_type;  // norch_cpu_ops._cpu.Array
PyTypeObject* make_array_type();
PyObject* wrap(Array&& array);  // a new Python Array; throws PythonError
// Whether a Python object is an Array.
inline bool is_array(PyObject* object) { return Py_TYPE(object) == array_type; }
// The C++ array inside a Python Array.
inline Array& unwrap(PyObject* object) { return reinterpret_cast<PyArray*>(object)->array; }
// Whether an array is the only view of its storage, and shows all of it.
inline bool owns_storage(const Array& a) {
  const bool whole = a.contiguous && a.nbytes() == static_cast<int64_t>(a.storage->nbytes());
  return whole && a.storage->is_sole();
}

PyTypeObject* make_dtype_type();          // also its objects, one per dtype
PyObject* dtype_object(DType dtype);      // borrowed
const DType* dtype_of(PyObject* object);  // null when the object is no dtype
std::string global_name(DType dtype);     // `bool` would hide Python's own: bool_

// ---- Numbers and shapes ----

// One int or a sequence of ints. TypeError otherwise; ShapeError when too many or too large.
Dims dims_from(PyObject* object, const char* op, const char* what);
// Sizes or strides as a Python tuple; a new reference.
PyObject* tuple_from(const int64_t* values, int n);
// A whole number of any library as Python's own; null for anything else, such as an array of many.
Owned index_of(PyObject* item);

// An object that stands for an Array has a property `__norch_array__`, which gives it: stage 4's
// arrays that are computed late. It need not keep what it gives. Null for anything else.
bool stands_for_array(PyObject* object);
Owned array_behind(PyObject* object);

// TypeError "[op] expected an Array, got str", or where the array of another device belongs.
[[noreturn]] void refuse_operand(const char* op, PyObject* object, const char* expected);
void check_moves(const char* op);  // of int16: DTypeError unless the operation moves elements only

// An Array or a Python number, as every arithmetic function takes. Anything else is remembered, so
// that the operation can say in its own words what it was given.
struct Operand {
  Array* array = nullptr;
  Scalar scalar;
  PyObject* object = nullptr;
  bool is_number = false;

  bool is_given() const { return array != nullptr || is_number; }
  void check(const char* op) const {  // TypeError unless an Array or a number
    if (!is_given()) refuse_operand(op, object, "an Array or a number");
    if (array != nullptr && array->dtype == DType::kInt16) check_moves(op);
  }
};
// A Python argument as an operand.
Operand operand_from(PyObject* object);

// ---- The GIL ----

class WithoutGil {
 public:
  WithoutGil() = default;
  WithoutGil(const WithoutGil&) = delete;
  ~WithoutGil() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_ = PyEval_SaveThread();
};

class WithGil {
 public:
  WithGil() = default;
  WithGil(const WithGil&) = delete;
  ~WithGil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_ = PyGILState_Ensure();
};

// Lets other Python threads run while a long kernel does. `work`: elements touched or more.
template <class F>
auto without_gil(double work, F&& f) {
  constexpr double kWorthIt = 1 << 14;
  if (work < kWorthIt) return f();
  const WithoutGil released;
  return f();
}

// Where OpenBLAS lies is Python's to say: looked up once, while the GIL is held, by the first
// product or convolution that is worth it. Kernels themselves only ask core/blas.h.
void find_blas();

// ---- Operators ----

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
}  // namespace norch
