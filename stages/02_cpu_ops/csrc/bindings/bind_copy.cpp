// Creation, copies and in-place writes.
#include "bindings/buffer.h"
#include "bindings/from_list.h"
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "ops/copy.h"

namespace norch {
namespace {

Array empty(const Dims& shape, DType dtype) { return Array::empty(shape, dtype); }

template <int value>
Array filled(const Dims& shape, DType dtype) {
  return full(shape, Scalar::of(int64_t{value}), dtype);
}

Array shared(PyObject* source) { return share_buffer(source, "share_buffer"); }

Array itself(const Array& a) { return a; }

Array cat_all(const ArrayList& list, int64_t dim) {
  return cat(list.arrays.data(), list.count(), dim);
}

Array stack_all(const ArrayList& list, int64_t dim) {
  return stack(list.arrays.data(), list.count(), dim);
}

void fill_(Array& destination, const Scalar& value) {
  visit(destination.dtype, [&](auto tag) {  // before anything is written
    number_as<typename decltype(tag)::type>(value, "fill_");
  });
  begin_write(destination, "fill_");
  without_gil(elements(destination), [&] { fill_elements(destination, value, "fill_"); });
}

void copy_(Array& destination, const Operand& source) {
  source.check("copy_");
  if (source.array == nullptr) return fill_(destination, source.scalar);
  const Array from = broadcast_to(*source.array, destination, "copy_");
  begin_write(destination, "copy_");
  without_gil(elements(destination), [&] { copy_elements(destination, from); });
}

}  // namespace

Table copy_table() {
  static const Operation rows[] = {
      {"empty(shape, dtype)", &empty, "Uninitialised elements.", kHoldsGil},
      {"full(shape, value, dtype)", &full, "Every element `value`."},
      {"zeros(shape, dtype)", &filled<0>, "Every element 0."},
      {"ones(shape, dtype)", &filled<1>, "Every element 1."},
      {"arange(start, end, step, dtype)", &arange, "start, start + step, ... below end."},
      {"from_list(nested, dtype=None)", &from_list,
       "Nested lists of numbers, copied; ragged lists are refused."},
      {"from_buffer(source)", &from_buffer, "A copy of any object with a buffer."},
      {"share_buffer(source)", &shared,
       "The memory of any object with a buffer, which stays alive."},
      {"to_cpu(a)", &itself, "The array itself: it is on the CPU.", kHoldsGil},
      {"from_cpu(a)", &itself, "The array itself: it is on the CPU.", kHoldsGil},
      {"contiguous(a)", &contiguous, "Row-major without gaps; the same storage if it is already."},
      {"clone(a)", &clone, "A row-major copy."},
      {"cast(a, dtype)", &cast,
       "The elements as another dtype; the same storage if it is that already."},
      {"cat(arrays, dim=0)", &cat_all, "Joined along `dim`."},
      {"stack(arrays, dim=0)", &stack_all, "Arrays of one shape, joined along a new `dim`."},
      {"copy_(destination, source)", &copy_,
       "Write `source`, broadcast and cast, into `destination`.", kHoldsGil},
      {"fill_(destination, value)", &fill_, "Write `value` everywhere.", kHoldsGil},
  };
  return rows;
}

}  // namespace norch
