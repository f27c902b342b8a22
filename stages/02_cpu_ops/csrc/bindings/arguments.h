// Which types a row of bindings/operation.h may have: for each parameter its name in Python,
// `type_of`, and how it is read, `read`; for results how they are given back, `give`.
//
// To add a type, add one line to each list. A value that has another type throws Mismatch, and the
// caller is told the whole signature.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "bindings/python.h"

namespace norch {
template <class T>
struct Type {};

struct Argument {
  PyObject* object;
  const char *op, *name;   // for messages
  mutable Owned behind{};  // the array that the object stands for: what was read may lie in it
};

struct Mismatch {};

using Arrays = std::vector<Array>;
// Arrays that are only read: where they are, and what keeps them there while other threads run.
struct ArrayList {
  Owned items;
  std::vector<Owned> behind;  // the arrays of items that stand for one
  std::vector<const Array*> arrays;

  int64_t count() const { return static_cast<int64_t>(arrays.size()); }
};
using Counts = std::vector<std::pair<const char*, int64_t>>;  // given back as a dict

// ---- The names of types ----

inline std::string type_of(Type<void>) { return "None"; }
inline std::string type_of(Type<Array>) { return "Array"; }
inline std::string type_of(Type<const Array*>) { return "Array | None"; }
inline std::string type_of(Type<ArrayList>) { return "Sequence[Array]"; }
inline std::string type_of(Type<Operand>) { return "Array | float"; }
inline std::string type_of(Type<Scalar>) { return "float"; }
inline std::string type_of(Type<Dims>) { return "int | Sequence[int]"; }
inline std::string type_of(Type<DType>) { return "DType"; }
inline std::string type_of(Type<bool>) { return "bool"; }
inline std::string type_of(Type<int>) { return "int"; }
inline std::string type_of(Type<int64_t>) { return "int"; }
inline std::string type_of(Type<uint32_t>) { return "int"; }
inline std::string type_of(Type<uint64_t>) { return "int"; }
inline std::string type_of(Type<float>) { return "float"; }
inline std::string type_of(Type<double>) { return "float"; }
inline std::string type_of(Type<std::string>) { return "str"; }
inline std::string type_of(Type<const char*>) { return "str"; }
inline std::string type_of(Type<PyObject*>) { return "object"; }
inline std::string type_of(Type<Counts>) { return "dict[str, int]"; }

template <class T>
std::string type_of(Type<std::optional<T>>) {
  return type_of(Type<T>()) + " | None";
}
template <class T>
std::string type_of(Type<std::vector<T>>) {
  return "Sequence[" + type_of(Type<T>()) + "]";
}
template <class... T>
std::string type_of(Type<std::tuple<T...>>) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + type_of(Type<std::remove_reference_t<T>>())), ...);
  return "tuple[" + all + "]";
}
template <class T, class U>
std::string type_of(Type<std::pair<T, U>>) {
  return type_of(Type<std::tuple<T, U>>());
}
// A struct of results: beside its row stands `inline auto fields(T& r) { return std::tie(...); }`.
template <class T>
auto type_of(Type<T>) -> decltype(fields(std::declval<T&>()), std::string()) {
  return type_of(Type<decltype(fields(std::declval<T&>()))>());
}

// ---- Reading ----

inline Array& read(Type<Array>, const Argument& a) {
  if (!is_array(a.object) && !(a.behind = array_behind(a.object))) {
    refuse_operand(a.op, a.object, "an Array");
  }
  Array& found = unwrap(a.behind ? a.behind.get() : a.object);
  if (found.dtype == DType::kInt16) check_moves(a.op);
  return found;
}
inline const Array* read(Type<const Array*>, const Argument& a) {
  return a.object == Py_None ? nullptr : &read(Type<Array>(), a);
}
inline Operand read(Type<Operand>, const Argument& a) {
  const Operand found = operand_from(a.object);
  if (found.is_given()) return found;
  a.behind = array_behind(a.object);
  return a.behind ? operand_from(a.behind.get()) : found;
}
Scalar read(Type<Scalar>, const Argument& a);
Dims read(Type<Dims>, const Argument& a);  // an int counts as a list of one
DType read(Type<DType>, const Argument& a);
bool read(Type<bool>, const Argument& a);
int read(Type<int>, const Argument& a);
int64_t read(Type<int64_t>, const Argument& a);
uint32_t read(Type<uint32_t>, const Argument& a);
uint64_t read(Type<uint64_t>, const Argument& a);
double read(Type<double>, const Argument& a);
const char* read(Type<const char*>, const Argument& a);
inline std::string read(Type<std::string>, const Argument& a) {
  return read(Type<const char*>(), a);
}
inline PyObject* read(Type<PyObject*>, const Argument& a) { return a.object; }

Owned tuple_of(const Argument& a);  // Mismatch unless it is a sequence, but no string
ArrayList read(Type<ArrayList>, const Argument& a);

template <class T>
std::optional<T> read(Type<std::optional<T>>, const Argument& a) {
  if (a.object == Py_None) return {};
  return read(Type<T>(), a);
}
template <class T>
std::vector<T> read(Type<std::vector<T>>, const Argument& a) {
  const Owned items = tuple_of(a);
  std::vector<T> result;
  result.reserve(static_cast<size_t>(PyTuple_GET_SIZE(items.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    result.push_back(read(Type<T>(), {PyTuple_GET_ITEM(items.get(), i), a.op, a.name}));
  }
  return result;
}
template <class T>
std::pair<T, T> read(Type<std::pair<T, T>>, const Argument& a) {
  const std::vector<T> two = read(Type<std::vector<T>>(), a);
  if (two.size() != 2) throw Mismatch();
  return {two[0], two[1]};
}

// ---- How many elements an argument has ----

inline double elements(const Array& a) { return static_cast<double>(a.numel); }
inline double elements(const Array* a) { return a == nullptr ? 0 : elements(*a); }
inline double elements(const Operand& x) { return elements(x.array); }
double elements(const Dims& shape);
double elements(const Arrays& arrays);
double elements(const ArrayList& list);
template <class T>
double elements(const T&) {
  return 0;
}

// ---- Giving back: a new reference, or PythonError ----

inline PyObject* give(Array&& x) { return wrap(std::move(x)); }
inline PyObject* give(DType x) { return Py_NewRef(dtype_object(x)); }
inline PyObject* give(bool x) { return PyBool_FromLong(x); }
inline PyObject* give(int64_t x) { return checked(PyLong_FromLongLong(x)).release(); }
inline PyObject* give(int x) { return give(int64_t{x}); }
inline PyObject* give(uint32_t x) { return give(int64_t{x}); }
inline PyObject* give(double x) { return checked(PyFloat_FromDouble(x)).release(); }
inline PyObject* give(const char* x) { return checked(PyUnicode_FromString(x)).release(); }
inline PyObject* give(const std::string& x) { return give(x.c_str()); }
PyObject* give(const Counts& counts);

PyObject* give(const std::vector<std::string>& texts);  // a list

template <class... T>
PyObject* give_tuple(T&... items) {
  Owned tuple = checked(PyTuple_New(sizeof...(T)));
  Py_ssize_t place = 0;
  ((PyTuple_SET_ITEM(tuple.get(), place, give(std::move(items))), ++place), ...);
  return tuple.release();
}
template <class T, class U>
PyObject* give(std::pair<T, U>&& x) {
  return give_tuple(x.first, x.second);
}
template <class... T>
PyObject* give(std::tuple<T...>&& x) {
  return std::apply([](auto&... items) { return give_tuple(items...); }, x);
}
template <class T>
auto give(T&& x) -> decltype(fields(x), static_cast<PyObject*>(nullptr)) {
  return std::apply([](auto&... items) { return give_tuple(items...); }, fields(x));
}
}  // namespace norch
