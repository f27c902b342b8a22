// Calls into norch_strides.
#include "bindings/layouts.h"

#include <algorithm>

#include "ops/copy.h"

namespace norch {
namespace {
// Calls a Python function of norch_strides.
template <class... Arguments>
Owned call(StridesFunction& function, const Arguments&... arguments) {
  PyObject* const all[] = {arguments.get()...};
  return checked(PyObject_Vectorcall(function.get(), all, sizeof...(Arguments), nullptr));
}

// The shape of an array as the tuple that norch_strides reads.
Owned shape_of(const Array& a) { return checked(tuple_from(a.shape, a.ndim)); }
// The strides of an array as the tuple that norch_strides reads.
Owned strides_of(const Array& a) { return checked(tuple_from(a.strides, a.ndim)); }

// `a` under a shape and strides that stage 1 worked out for it.
void restride(Array& a, const Dims& shape, const Dims& strides) {
  a.ndim = shape.n;
  std::copy_n(shape.v, shape.n, a.shape);
  std::copy_n(strides.v, strides.n, a.strides);
  a.update();
}

// Array.reshape's sizes, without a -1, hold as many elements as there are.
bool fits(const Array& a, const Dims& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return false;
  }
  return count == a.numel;
}
}  // namespace

// An array's shape, strides and offset as a Layout of norch_strides.
PyObject* layout_object(const Array& a) {
  static StridesFunction layout("Layout");
  auto* const type = reinterpret_cast<PyTypeObject*>(layout.get());
  const Owned shape = shape_of(a), strides = strides_of(a);
  const Owned arguments = checked(Py_BuildValue("((OOL))", shape.get(), strides.get(), a.offset));
  // A Layout is a named tuple: made as a tuple, it is spared the Python function of its class.
  return checked(PyTuple_Type.tp_new(type, arguments.get(), nullptr)).release();
}

// The view of an array that a Python Layout describes.
Array view_of(const Array& a, PyObject* layout) {
  if (!PyTuple_Check(layout) || PyTuple_GET_SIZE(layout) != 3) {
    raise<TypeError>("[view] expected a Layout(shape, strides, offset), got ",
                     Py_TYPE(layout)->tp_name);
  }
  const Dims shape = dims_from(PyTuple_GET_ITEM(layout, 0), "view", "sizes");
  const Dims strides = dims_from(PyTuple_GET_ITEM(layout, 1), "view", "strides");
  const Dims offset = dims_from(PyTuple_GET_ITEM(layout, 2), "view", "the offset");
  if (offset.n != 1) raise<TypeError>("[view] the offset must be one integer");
  return a.view(shape, strides, offset[0]);
}

// Array.reshape: asks norch_strides for a view, copies where there is none.
Array reshape(const Array& a, const Dims& sizes) {
  if (a.contiguous && fits(a, sizes)) return a.reshaped(sizes);
  static StridesFunction resolve("resolve_shape"), function("reshape");
  const Owned wanted = checked(tuple_from(sizes.v, sizes.n));
  const Owned numel = checked(PyLong_FromLongLong(a.numel));
  const Dims resolved = dims_from(call(resolve, wanted, numel).get(), "reshape", "sizes");
  if (a.contiguous) return a.reshaped(resolved);
  const Owned layout = checked(layout_object(a));
  const Owned found = call(function, layout, wanted);
  return found.get() == Py_None ? clone(a).reshaped(resolved) : view_of(a, found.get());
}

// The bindings' question to norch_strides: how two arrays broadcast.
void broadcast(Array& a, Array& b) {
  static StridesFunction function("broadcast_strides");
  const Owned result = call(function, shape_of(a), strides_of(a), shape_of(b), strides_of(b));
  const Dims shape = dims_from(PyTuple_GET_ITEM(result.get(), 0), "broadcast", "sizes");
  const Dims new_a = dims_from(PyTuple_GET_ITEM(result.get(), 1), "broadcast", "strides");
  const Dims new_b = dims_from(PyTuple_GET_ITEM(result.get(), 2), "broadcast", "strides");
  restride(a, shape, new_a);
  restride(b, shape, new_b);
}

// An array of matrices seen as one of numbers, to ask how batches broadcast.
Array batch_of(Array a) {
  a.ndim -= 2;
  a.update();
  return a;
}

// The bindings' question to norch_strides: how one array spreads over the shape of another.
Array broadcast_to(const Array& a, const Array& model, const char* op) {
  if (a.same_shape(model)) return a;
  Array from = a, to = model;
  broadcast(from, to);
  if (!to.same_shape(model)) {
    raise<ShapeError>("[", op, "] a source of shape ", a.shape_text(),
                      " does not broadcast to the destination's shape ", model.shape_text());
  }
  return from;
}

// The bindings' question to norch_strides: how a Python call's arrays broadcast together.
void broadcast_all(Array* const* arrays, int count, const char* op) {
  for (int round = 0; round < 2; ++round) {  // the second pass brings the first arrays up to size
    for (int k = 1; k < count; ++k) {
      if (!arrays[0]->same_shape(*arrays[k])) broadcast(*arrays[0], *arrays[k]);
    }
  }
  for (int k = 1; k < count; ++k) {
    if (!arrays[0]->same_shape(*arrays[k])) {
      raise<ShapeError>("[", op, "] shapes do not broadcast together");
    }
  }
}
}  // namespace norch
