// Two walks over the lists: the first finds shape and dtype, the second writes the numbers.
#include "bindings/exchange.h"

#include "ops/copy.h"

namespace norch {
namespace {
// Whether a Python object is a list or tuple, to be read item by item.
bool is_nested(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

// Follows the first elements down; the second walk refuses whatever differs.
Dims outline(PyObject* object) {
  Dims shape;
  while (is_nested(object)) {
    if (shape.n == kMaxDims) {
      raise<ShapeError>("[from_list] more than ", kMaxDims, " levels of nesting");
    }
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
    shape.push(n);
    if (n == 0) break;
    object = PySequence_Fast_GET_ITEM(object, 0);
  }
  return shape;
}

// The dtype that a number in a Python list asks for.
DType leaf_type(PyObject* object) {
  if (PyFloat_Check(object)) return DType::kFloat32;
  if (PyLong_CheckExact(object)) return DType::kInt64;  // the second walk sees whether it fits
  const Operand number = operand_from(object);
  if (number.is_number) return number.scalar.natural_type();
  if (number.array != nullptr && number.array->ndim == 0) return number.array->dtype;
  raise<TypeError>("[from_list] expected numbers or lists of numbers, got ",
                   Py_TYPE(object)->tp_name);
}

// The error for Python lists of different lengths at one depth.
[[noreturn]] void raise_ragged(const Dims& shape, int depth, const std::string& found) {
  raise<ValueError>("[from_list] the lists are ragged: at depth ", depth, " expected ",
                    depth < shape.n ? "a list of length " + std::to_string(shape[depth])
                                    : std::string("a number"),
                    ", got ", found);
}

// Refuses a Python list whose length differs from its neighbours'.
void check_level(PyObject* object, const Dims& shape, int depth) {
  if (!is_nested(object)) raise_ragged(shape, depth, "a number");
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
  if (n != shape[depth]) raise_ragged(shape, depth, "a list of length " + std::to_string(n));
}

// The error for a Python list that changes under the reader.
[[noreturn]] void raise_changed() {
  raise<ValueError>(
      "[from_list] the list changed while it was read, by the __index__ or __float__ ",
      "of one of its elements: expected it to stay as it is");
}

// Item i of a list as long as the outline says. Held, because reading a number may run Python code,
// which may change the lists: what the first look found is checked again at every item.
Owned item_of(PyObject* object, Py_ssize_t i, const Dims& shape, int depth) {
  if (!is_nested(object) || PySequence_Fast_GET_SIZE(object) != shape[depth]) raise_changed();
  return Owned(Py_NewRef(PySequence_Fast_GET_ITEM(object, i)));
}

// One type for all leaves, and every list checked, before anything is allocated.
void scan(PyObject* object, const Dims& shape, int depth, DType& dtype) {
  if (depth == shape.n) {
    if (is_nested(object)) raise_ragged(shape, depth, "a list");
    dtype = promote_types(dtype, leaf_type(object));
    return;
  }
  check_level(object, shape, depth);
  for (Py_ssize_t i = 0; i < shape[depth]; ++i) {
    scan(item_of(object, i, shape, depth).get(), shape, depth + 1, dtype);
  }
}

// A number in a Python list as an element of type T.
template <class T>
T leaf(PyObject* object) {
  if (PyFloat_Check(object)) {
    return number_as<T>(Scalar::of(PyFloat_AS_DOUBLE(object)), "from_list");
  }
  const Operand number = operand_from(object);
  if (number.is_number) return number_as<T>(number.scalar, "from_list");
  if (number.array == nullptr || number.array->ndim != 0) raise_changed();
  return visit(number.array->dtype, [&](auto tag) {
    return convert<T>(*number.array->data<typename decltype(tag)::type>());
  });
}

// Writes the numbers of nested Python lists one behind the other.
template <class T>
void write(PyObject* object, const Dims& shape, int depth, T*& out) {
  if (depth == shape.n) {
    *out++ = leaf<T>(object);
    return;
  }
  for (Py_ssize_t i = 0; i < shape[depth]; ++i) {
    write(item_of(object, i, shape, depth).get(), shape, depth + 1, out);
  }
}
}  // namespace

// Nested Python lists as a new array.
Array from_list(PyObject* nested, std::optional<DType> dtype) {
  const Dims shape = outline(nested);
  DType found = DType::kBool;
  scan(nested, shape, 0, found);
  const bool is_empty = checked_numel(shape.v, shape.n, 1, "from_list") == 0;
  if (is_empty) found = DType::kFloat32;
  Array out = Array::empty(shape, dtype.value_or(found));
  if (is_empty) return out;
  visit(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* next = out.data<T>();
    write(nested, shape, 0, next);
  });
  return out;
}
}  // namespace norch
