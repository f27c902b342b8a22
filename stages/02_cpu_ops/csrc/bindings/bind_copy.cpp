// Creation, copies and in-place writes.
#include "bindings/exchange.h"
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "ops/copy.h"

namespace norch {
namespace {
// The binding that Python calls as empty.
Array empty(const Dims& shape, DType dtype) { return Array::empty(shape, dtype); }

// The binding that Python calls as zeros and ones.
template <int value>
Array full_of(const Dims& shape, DType dtype) {
  return full(shape, Scalar::of(int64_t{value}), dtype);
}

// The binding that Python calls as share_buffer.
Array share(PyObject* source) { return share_buffer(source, "share_buffer"); }

// The binding that Python calls as to_cpu and from_cpu: nothing has to move.
Array same_array(const Array& a) { return a; }

// The binding that Python calls as cat, from its sequence of arrays.
Array cat_all(const ArrayList& list, int64_t dim) {
  return cat(list.arrays.data(), list.count(), dim);
}

// The binding that Python calls as stack, from its sequence of arrays.
Array stack_all(const ArrayList& list, int64_t dim) {
  return stack(list.arrays.data(), list.count(), dim);
}

// The binding that Python calls as fill_; the GIL is let go for the writing.
void fill_(Array& destination, const Scalar& value) {
  visit(destination.dtype, [&](auto tag) {  // before anything is written
    number_as<typename decltype(tag)::type>(value, "fill_");
  });
  begin_write(destination, "fill_");
  without_gil(elements(destination), [&] { fill_elements(destination, value, "fill_"); });
}

// The binding that Python calls as copy_: a number, or an array that broadcasts.
void copy_(Array& destination, const Operand& source) {
  source.check("copy_");
  if (source.array == nullptr) return fill_(destination, source.scalar);
  const Array from = broadcast_to(*source.array, destination, "copy_");
  begin_write(destination, "copy_");
  without_gil(elements(destination), [&] { copy_elements(destination, from); });
}
}  // namespace

// Creation, copies and writes, as rows that become Python functions.
Table copy_table() {
  static const Operation rows[] = {
      {"empty(shape, dtype)", &empty, "Uninitialised elements.", kHoldsGil},
      {"full(shape, value, dtype)", &full, "Every element `value`."},
      {"zeros(shape, dtype)", &full_of<0>, "Every element 0."},
      {"ones(shape, dtype)", &full_of<1>, "Every element 1."},
      {"arange(start, end, step, dtype)", &arange, "start, start + step, ... below end."},
      {"from_list(nested, dtype=None)", &from_list,
       "Nested lists of numbers, copied; ragged lists are refused."},
      {"from_buffer(source)", &from_buffer, "A copy of any object with a buffer."},
      {"share_buffer(source)", &share,
       "The memory of any object with a buffer, which stays alive."},
      {"to_cpu(a)", &same_array, "The array itself: it is on the CPU.", kHoldsGil},
      {"from_cpu(a)", &same_array, "The array itself: it is on the CPU.", kHoldsGil},
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
