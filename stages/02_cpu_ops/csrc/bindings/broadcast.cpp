// Calls into norch_strides.
#include "bindings/broadcast.h"

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

}  // namespace

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
