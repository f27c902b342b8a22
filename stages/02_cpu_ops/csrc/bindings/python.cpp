// References, errors, numbers and shapes between Python and C++.
#include "bindings/python.h"

#include <cstring>
#include <new>

#include "core/array.h"

namespace norch {
PyObject* dtype_error = nullptr;

// An attribute of a Python module, imported if need be.
Owned import_name(const char* module, const char* name) {
  const Owned found = checked(PyImport_ImportModule(module));
  return checked(PyObject_GetAttrString(found.get(), name));
}

// Drops the Python RuntimeError that is set; throws on for any other.
void clear_runtime_error() {
  if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) throw;
  PyErr_Clear();
}

// The C++ exception at hand as the Python error of its kind.
void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {  // is set
  } catch (const IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const DTypeError& e) {
    PyErr_SetString(dtype_error, e.what());
  } catch (const TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const ValueError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const MemoryError& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "[allocate] out of memory for an operation's own tables");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

// A Python object's whole number by __index__, null where it has none.
Owned index_of(PyObject* item) {
  if (!PyIndex_Check(item)) return {};
  Owned number(PyNumber_Index(item));
  if (!number) PyErr_Clear();
  return number;
}

namespace {
// One Python integer as an int64, for a list of sizes.
int64_t integer_from(PyObject* item, const char* op, const char* what) {
  const Owned number = PyBool_Check(item) ? Owned() : index_of(item);
  if (!number) {
    raise<TypeError>("[", op, "] ", what, " must be integers, got ", Py_TYPE(item)->tp_name);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) raise<ShapeError>("[", op, "] ", what, " must fit 64 bits");
  return value;
}
}  // namespace

// A Python int or a sequence of them as sizes, strides or dims.
Dims dims_from(PyObject* object, const char* op, const char* what) {
  Dims dims;
  // What counts as a number is one, also where it could be listed: a tensor of one element.
  if (PyBool_Check(object) || index_of(object)) {
    dims.push(integer_from(object, op, what));
    return dims;
  }
  // A tuple of our own: an item's __index__ may change the list it came from.
  const Owned items(PySequence_Tuple(object));
  if (!items) {
    PyErr_Clear();
    raise<TypeError>("[", op, "] ", what, " must be integers, got ", Py_TYPE(object)->tp_name);
  }
  const Py_ssize_t n = PyTuple_GET_SIZE(items.get());
  if (n > kMaxDims) {
    raise<ShapeError>("[", op, "] ", n, " dimensions, but an array has at most ", kMaxDims);
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    dims.push(integer_from(PyTuple_GET_ITEM(items.get(), i), op, what));
  }
  return dims;
}

// Sizes or strides as a Python tuple.
PyObject* tuple_from(const int64_t* values, int n) {
  Owned tuple = checked(PyTuple_New(n));
  for (int i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, checked(PyLong_FromLongLong(values[i])).release());
  }
  return tuple.release();
}

// Whether a Python object has the property __norch_array__.
bool stands_for_array(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("__norch_array__");
  return !is_array(object) && _PyType_Lookup(Py_TYPE(object), name) != nullptr;
}

// The array that a Python object stands for.
Owned array_behind(PyObject* object) {
  if (!stands_for_array(object)) return {};
  Owned array = checked(PyObject_GetAttrString(object, "__norch_array__"));
  return is_array(array.get()) ? std::move(array) : Owned();
}

// The error for a Python argument that is no array of this device.
void refuse_operand(const char* op, PyObject* object, const char* expected) {
  const Owned device(PyObject_GetAttrString(object, "device"));
  if (!device) PyErr_Clear();
  const char* name =
      device && PyUnicode_Check(device.get()) ? PyUnicode_AsUTF8(device.get()) : "cpu";
  if (name == nullptr) throw PythonError();
  if (std::string(name) != "cpu") {
    raise<Error>("[", op, "] the arrays are on two devices, cpu and ", name,
                 ": move one of them, with ops.from_cpu or ops.to_cpu");
  }
  raise<TypeError>("[", op, "] expected ", expected, ", got ", Py_TYPE(object)->tp_name);
}

// At the bindings' door: int16 is for storage, and only what moves elements takes it.
void check_moves(const char* op) {
  constexpr const char* kMoves[] = {"cast",    "cat",      "clone",  "contiguous",  "copy_",
                                    "fill_",   "from_cpu", "gather", "index_copy_", "index_select",
                                    "scatter", "stack",    "to_cpu"};
  for (const char* name : kMoves) {
    if (std::strcmp(op, name) == 0) return;
  }
  raise<DTypeError>("[", op, "] int16 is for storage: cast to int32 or int64 first");
}

namespace {
// A Python number as an operand.
Operand number(PyObject* object, Scalar value) {
  Operand operand;
  operand.object = object;
  operand.scalar = value;
  operand.is_number = true;
  return operand;
}
}  // namespace

// A Python argument as an array or a number, whichever it is.
Operand operand_from(PyObject* object) {
  Operand operand;
  operand.object = object;
  if (is_array(object)) {
    operand.array = &unwrap(object);
    return operand;
  }
  if (PyFloat_Check(object)) return number(object, Scalar::of(PyFloat_AS_DOUBLE(object)));
  if (PyBool_Check(object)) return number(object, Scalar::of(object == Py_True));
  if (const Owned whole = index_of(object)) {  // int, and NumPy's integers
    return number(object, Scalar::of(integer_from(whole.get(), "number", "whole numbers")));
  }
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  if (methods != nullptr && methods->nb_float != nullptr && !PySequence_Check(object)) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
    return number(object, Scalar::of(value));
  }
  return operand;
}
}  // namespace norch
