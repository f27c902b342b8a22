// Calls into norch_strides.
#include "bindings/layouts.h"

#include "ops/copy.h"

namespace norch {
namespace {

// Looked up once, at first use: importing the module stays fast, and the call stays cheap.
PyObject* strides_function(const char* name) {
  return py::object(py::module_::import("norch_strides").attr(name)).release().ptr();
}

py::object call(PyObject* function, PyObject* const* arguments, size_t count) {
  auto result =
      py::reinterpret_steal<py::object>(PyObject_Vectorcall(function, arguments, count, nullptr));
  if (!result) throw py::error_already_set();
  return result;
}

py::object own(PyObject* tuple) { return py::reinterpret_steal<py::object>(tuple); }

// `a` under a shape and strides that stage 1 worked out for it.
void restride(Array& a, const Dims& shape, const Dims& strides) {
  a.ndim = shape.n;
  std::copy_n(shape.v, shape.n, a.shape);
  std::copy_n(strides.v, strides.n, a.strides);
  a.update();
}

// The sizes, without a -1, hold as many elements as there are.
bool fits(const Array& a, const Dims& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return false;
  }
  return count == a.numel;
}

}  // namespace

PyObject* layout_object(const Array& a) {
  static auto* const type = reinterpret_cast<PyTypeObject*>(strides_function("Layout"));
  const py::object shape = own(tuple_from(a.shape, a.ndim));
  const py::object strides = own(tuple_from(a.strides, a.ndim));
  const py::tuple fields = py::make_tuple(shape, strides, a.offset);
  const py::tuple arguments = py::make_tuple(fields);
  // A Layout is a named tuple: made as a tuple, it is spared the Python function of its class.
  return PyTuple_Type.tp_new(type, arguments.ptr(), nullptr);
}

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

Array reshape(const Array& a, const Dims& sizes) {
  if (a.contiguous && fits(a, sizes)) return a.reshaped(sizes);
  static PyObject* const resolve = strides_function("resolve_shape");
  static PyObject* const function = strides_function("reshape");
  const py::object wanted = own(tuple_from(sizes.v, sizes.n));
  const py::object numel = own(PyLong_FromLongLong(a.numel));
  PyObject* const given[] = {wanted.ptr(), numel.ptr()};
  const Dims resolved = dims_from(call(resolve, given, 2).ptr(), "reshape", "sizes");
  if (a.contiguous) return a.reshaped(resolved);
  const py::object layout = own(layout_object(a));
  PyObject* const arguments[] = {layout.ptr(), wanted.ptr()};
  const py::object found = call(function, arguments, 2);
  return found.is_none() ? clone(a).reshaped(resolved) : view_of(a, found.ptr());
}

void broadcast(Array& a, Array& b) {
  static PyObject* const function = strides_function("broadcast_strides");
  const py::object shape_a = own(tuple_from(a.shape, a.ndim));
  const py::object strides_a = own(tuple_from(a.strides, a.ndim));
  const py::object shape_b = own(tuple_from(b.shape, b.ndim));
  const py::object strides_b = own(tuple_from(b.strides, b.ndim));
  PyObject* arguments[] = {shape_a.ptr(), strides_a.ptr(), shape_b.ptr(), strides_b.ptr()};
  const py::object result = call(function, arguments, 4);
  const Dims shape = dims_from(PyTuple_GET_ITEM(result.ptr(), 0), "broadcast", "sizes");
  const Dims new_a = dims_from(PyTuple_GET_ITEM(result.ptr(), 1), "broadcast", "strides");
  const Dims new_b = dims_from(PyTuple_GET_ITEM(result.ptr(), 2), "broadcast", "strides");
  restride(a, shape, new_a);
  restride(b, shape, new_b);
}

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
