// Reading numbers, texts, shapes and lists from Python, exactly: nothing is rounded or cut.
#include "bindings/arguments.h"

#include <cmath>
#include <limits>

namespace norch {
namespace {
// Python's own int, or what another library makes into one.
Owned whole_number(PyObject* object) {
  if (PyLong_Check(object)) return Owned(Py_NewRef(object));
  Owned number = index_of(object);
  if (!number) throw Mismatch();
  return number;
}

// A Python argument as an int64 between two bounds; Mismatch for any other.
int64_t whole_number_within(const Argument& a, int64_t low, int64_t high) {
  const Owned number = whole_number(a.object);
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0 || value < low || value > high) throw Mismatch();
  return value;
}

// A Python argument as a whole number of the C++ type T.
template <class T>
T whole_number_as(const Argument& a) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(whole_number_within(a, Limits::min(), Limits::max()));
}
}  // namespace

Scalar read(Type<Scalar>, const Argument& a) {
  const Operand operand = operand_from(a.object);
  if (!operand.is_number) throw Mismatch();
  return operand.scalar;
}

Dims read(Type<Dims>, const Argument& a) {
  if (!PyIndex_Check(a.object) && !PySequence_Check(a.object)) throw Mismatch();
  return dims_from(a.object, a.op, a.name);
}

DType read(Type<DType>, const Argument& a) {
  const DType* found = dtype_of(a.object);
  if (found == nullptr) throw Mismatch();
  return *found;
}

bool read(Type<bool>, const Argument& a) {
  if (PyBool_Check(a.object)) return a.object == Py_True;
  const PyNumberMethods* methods = Py_TYPE(a.object)->tp_as_number;
  if (a.object == Py_None || methods == nullptr || methods->nb_bool == nullptr) throw Mismatch();
  const int truth = PyObject_IsTrue(a.object);
  if (truth < 0) throw PythonError();
  return truth == 1;
}

int read(Type<int>, const Argument& a) { return whole_number_as<int>(a); }
int64_t read(Type<int64_t>, const Argument& a) { return whole_number_as<int64_t>(a); }
uint32_t read(Type<uint32_t>, const Argument& a) { return whole_number_as<uint32_t>(a); }

uint64_t read(Type<uint64_t>, const Argument& a) {
  const Owned number = whole_number(a.object);
  const uint64_t value = PyLong_AsUnsignedLongLong(number.get());
  if (value != std::numeric_limits<uint64_t>::max() || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw Mismatch();
}

double read(Type<double>, const Argument& a) {
  if (PyFloat_Check(a.object)) return PyFloat_AS_DOUBLE(a.object);
  if (PyUnicode_Check(a.object)) throw Mismatch();
  const double value = PyFloat_AsDouble(a.object);
  if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw Mismatch();
}

const char* read(Type<const char*>, const Argument& a) {
  if (!PyUnicode_Check(a.object)) throw Mismatch();
  const char* text = PyUnicode_AsUTF8(a.object);
  if (text == nullptr) throw PythonError();
  return text;
}

Owned tuple_of(const Argument& a) {
  const bool is_text = PyUnicode_Check(a.object) || PyBytes_Check(a.object);
  if (is_text || is_array(a.object) || !PySequence_Check(a.object)) throw Mismatch();
  return checked(PySequence_Tuple(a.object));
}

ArrayList read(Type<ArrayList>, const Argument& a) {
  ArrayList list{tuple_of(a), {}, {}};
  const Py_ssize_t count = PyTuple_GET_SIZE(list.items.get());
  list.arrays.reserve(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Argument item{PyTuple_GET_ITEM(list.items.get(), i), a.op, a.name};
    list.arrays.push_back(&read(Type<Array>(), item));
    if (item.behind) list.behind.push_back(std::move(item.behind));
  }
  return list;
}

// How many elements a shape in a Python call asks for: the bindings let the GIL go for many.
double elements(const Dims& shape) {
  double n = 1;
  for (const int64_t size : shape) n *= static_cast<double>(size);
  return n;
}

// How many elements the arrays of a Python call have: the bindings let the GIL go for many.
double elements(const Arrays& arrays) {
  double n = 0;
  for (const Array& a : arrays) n += elements(a);
  return n;
}

// How many elements a Python call's list of arrays has, for the bindings.
double elements(const ArrayList& list) {
  double n = 0;
  for (const Array* a : list.arrays) n += elements(*a);
  return n;
}

PyObject* give(const std::vector<std::string>& texts) {
  Owned list = checked(PyList_New(0));
  for (const std::string& text : texts) {
    const Owned item(give(text));
    if (PyList_Append(list.get(), item.get()) != 0) throw PythonError();
  }
  return list.release();
}

PyObject* give(const Counts& counts) {
  Owned dict = checked(PyDict_New());
  for (const auto& [name, count] : counts) {
    const Owned value(give(count));
    if (PyDict_SetItemString(dict.get(), name, value.get()) != 0) throw PythonError();
  }
  return dict.release();
}
}  // namespace norch
