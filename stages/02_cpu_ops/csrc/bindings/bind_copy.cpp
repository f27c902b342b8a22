// Creation, copies and in-place writes.
#include "bindings/buffer.h"
#include "bindings/from_list.h"
#include "bindings/layouts.h"
#include "bindings/python.h"
#include "ops/copy.h"

namespace norch {
namespace {

using py::arg;

Array to_contiguous(const Operand& a) {
  const Array& x = a.as_array("contiguous");
  return without_gil(x.numel, [&] { return contiguous(x); });
}

Array to_clone(const Operand& a) {
  const Array& x = a.as_array("clone");
  return without_gil(x.numel, [&] { return clone(x); });
}

Array to_dtype(const Operand& a, DType dtype) {
  const Array& x = a.as_array("cast");
  return without_gil(x.numel, [&] { return cast(x, dtype); });
}

void fill_(const Operand& destination, const Operand& value) {
  Array& out = destination.as_array("fill_");
  if (!value.is_number) {
    raise<TypeError>("[fill_] expected a number, got ", Py_TYPE(value.object)->tp_name);
  }
  visit(out.dtype, [&](auto tag) {  // before anything is written
    number_as<typename decltype(tag)::type>(value.scalar, "fill_");
  });
  begin_write(out, "fill_");
  without_gil(out.numel, [&] { fill_elements(out, value.scalar, "fill_"); });
}

void copy_(const Operand& destination, const Operand& source) {
  Array& out = destination.as_array("copy_");
  source.check("copy_");
  if (source.array == nullptr) return fill_(destination, source);
  const Array from = broadcast_to(*source.array, out, "copy_");
  begin_write(out, "copy_");
  without_gil(out.numel, [&] { copy_elements(out, from); });
}

Array cat_list(const std::vector<Array>& arrays, int64_t dim) {
  return without_gil(int64_t(1) << 14,
                     [&] { return cat(arrays.data(), static_cast<int64_t>(arrays.size()), dim); });
}

}  // namespace

void bind_copy(py::module_& m) {
  m.def(
      "empty", [](const Dims& shape, DType dtype) { return Array::empty(shape, dtype); },
      "Uninitialised elements.", arg("shape"), arg("dtype"));
  m.def(
      "full",
      [](const Dims& shape, const Scalar& value, DType dtype) { return full(shape, value, dtype); },
      "Every element `value`.", arg("shape"), arg("value"), arg("dtype"));
  m.def(
      "zeros",
      [](const Dims& shape, DType dtype) { return full(shape, Scalar::of(int64_t(0)), dtype); },
      "Every element 0.", arg("shape"), arg("dtype"));
  m.def(
      "ones",
      [](const Dims& shape, DType dtype) { return full(shape, Scalar::of(int64_t(1)), dtype); },
      "Every element 1.", arg("shape"), arg("dtype"));
  m.def("arange", &arange, "start, start + step, ... below end.", arg("start"), arg("end"),
        arg("step"), arg("dtype"));
  m.def("from_list", &from_list, "Nested lists of numbers, copied; ragged lists are refused.",
        arg("nested"), arg("dtype") = py::none());
  m.def(
      "from_buffer", [](py::handle source) { return from_buffer(source.ptr()); },
      "A copy of any object with a buffer.", arg("source"));
  m.def(
      "share_buffer", [](py::handle source) { return share_buffer(source.ptr(), "share_buffer"); },
      "The memory of any object with a buffer, which stays alive.", arg("source"));
  m.def(
      "to_cpu", [](const Operand& a) { return a.as_array("to_cpu"); },
      "The array itself: it is on the CPU.", arg("a"));
  m.def(
      "from_cpu", [](const Operand& a) { return a.as_array("from_cpu"); },
      "The array itself: it is on the CPU.", arg("a"));
  m.def("contiguous", &to_contiguous, "Row-major without gaps; the same storage if it is already.",
        arg("a"));
  m.def("clone", &to_clone, "A row-major copy.", arg("a"));
  m.def("cast", &to_dtype, "The elements as another dtype; the same storage if it is that already.",
        arg("a"), arg("dtype"));
  m.def("cat", &cat_list, "Joined along `dim`.", arg("arrays"), arg("dim") = 0);
  m.def("copy_", &copy_, "Write `source`, broadcast and cast, into `destination`.",
        arg("destination"), arg("source"));
  m.def("fill_", &fill_, "Write `value` everywhere.", arg("destination"), arg("value"));
}

}  // namespace norch
