// Checks and allocation for copy, fill, arange and cat; the conversion of blocks around a row.
#include "ops/copy.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/thread_pool.h"
#include "kernels/copy.h"
#include "ops/stream.h"

namespace norch {
// Door of copies: writes one array into another, casting, with the copying kernel.
void copy_elements(Array& destination, const Array& source) {
  if (destination.shares_storage(source)) {
    if (destination.same_layout(source) && destination.dtype == source.dtype) return;
    const Array apart = clone(source);  // they may overlap: read everything before writing
    return copy_elements(destination, apart);
  }
  const Array* operands[] = {&destination, &source};
  const Plan plan = make_plan(operands, 2);
  const int to = static_cast<int>(destination.dtype), from = static_cast<int>(source.dtype);
  const DType dtypes[] = {destination.dtype, source.dtype};
  walk_converting(plan, dtypes, dtypes, kernels<CopyTable>().row[to][from], nullptr, 1 << 16);
}

// Door of fills: writes a number everywhere, with the filling kernel.
void fill_elements(Array& destination, const Scalar& value, const char* op) {
  const Array* operands[] = {&destination};
  const Plan plan = make_plan(operands, 1);
  visit(destination.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T element = number_as<T>(value, op);
    const RowFn row = kernels<CopyTable>().fill[static_cast<int>(kDTypeOf<T>)];
    walk_converting(plan, &destination.dtype, &destination.dtype, row, &element, 1 << 16);
  });
}

// Door of clone.
Array clone(const Array& a) {
  Array out = Array::empty_like(a, a.dtype);
  copy_elements(out, a);
  return out;
}

// Door of contiguous.
Array contiguous(const Array& a) { return a.contiguous ? a : clone(a); }

// Door of cast.
Array cast(const Array& a, DType dtype) {
  if (a.dtype == dtype) return a;
  Array out = Array::empty_like(a, dtype);
  copy_elements(out, a);
  return out;
}

// An operand in the dtype and layout that a kernel reads.
Array contiguous_as(const Array& a, DType dtype) {
  return a.dtype == dtype ? contiguous(a) : cast(a, dtype);
}

// Door of full.
Array full(const Dims& shape, const Scalar& value, DType dtype) {
  Array out = Array::empty(shape, dtype);
  fill_elements(out, value, "full");
  return out;
}

namespace {
// How many numbers arange makes; an error where the step leads away.
int64_t arange_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (step.as_double() == 0 || std::isnan(step.as_double())) {
    raise<Error>("[arange] the step must not be zero");
  }
  const bool upwards = step.as_double() > 0;
  if (!start.is_float() && !end.is_float() && !step.is_float()) {
    const __int128 span = static_cast<__int128>(end.i) - start.i, by = step.i;
    if (upwards ? span < 0 : span > 0) {
      raise<Error>("[arange] from ", start.i, " to ", end.i, " with step ", step.i,
                   ": the step points away from the end");
    }
    return static_cast<int64_t>((span + by - (upwards ? 1 : -1)) / by);
  }
  const double length = std::ceil((end.as_double() - start.as_double()) / step.as_double());
  if (!(length >= 0) || length > 9e18) {
    raise<Error>("[arange] from ", start.as_double(), " to ", end.as_double(), " with step ",
                 step.as_double(), " is not a finite range in the direction of the step");
  }
  return static_cast<int64_t>(length);
}
}  // namespace

// Door of arange: checks the range, then writes it.
Array arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype) {
  const int64_t n = arange_length(start, end, step);
  const DType computed = is_floating(dtype) ? DType::kFloat64 : DType::kInt64;
  Array out = Array::empty(&n, 1, computed, "arange");
  if (is_floating(dtype)) {
    const double first = start.as_double(), by = step.as_double();
    double* p = out.data<double>();
    for (int64_t i = 0; i < n; ++i) p[i] = first + static_cast<double>(i) * by;
  } else {
    const uint64_t first = static_cast<uint64_t>(start.to<int64_t>());
    const uint64_t by = static_cast<uint64_t>(step.to<int64_t>());
    int64_t* p = out.data<int64_t>();
    for (int64_t i = 0; i < n; ++i) p[i] = static_cast<int64_t>(first + uint64_t(i) * by);
  }
  return cast(out, dtype);
}

namespace {
// Whether cat's door skips an array, as PyTorch does a one-dimensional empty array, whatever the
// others are shaped like.
bool is_skipped(const Array& a) { return a.ndim == 1 && a.shape[0] == 0; }

// Refuses to cat shapes that differ in another dim.
void check_cat_shapes(const Array& first, const Array& other, int dim) {
  bool fits = first.ndim == other.ndim;
  for (int i = 0; fits && i < first.ndim; ++i) fits = i == dim || first.shape[i] == other.shape[i];
  if (!fits) {
    raise<ShapeError>("[cat] shapes ", first.shape_text(), " and ", other.shape_text(),
                      " must be equal but for dim ", dim);
  }
}

// The dtype that all arrays of cat and stack are cast to.
DType common_dtype(const char* op, const Array* const* arrays, int64_t count) {
  if (count == 0) raise<Error>("[", op, "] expected at least one array, got none");
  DType dtype = arrays[0]->dtype;
  for (int64_t k = 1; k < count; ++k) dtype = promote_types(dtype, arrays[k]->dtype);
  return dtype;
}

// How the doors of cat and stack write `source` into `part`, which shows as much of `out`. Small
// arrays without gaps go as runs of bytes, one for each index of the dimensions before `dim`: a
// plan would cost more than the copy. (Bools do not: a copy leaves 0 or 1 of their bytes.)
void copy_part(const Array& out, int dim, Array& part, const Array& source) {
  constexpr int64_t kSmall = 1 << 14;
  const bool is_run = source.contiguous && source.dtype == out.dtype && out.dtype != DType::kBool;
  if (!is_run || source.nbytes() > kSmall) {
    part.update();
    return copy_elements(part, source);
  }
  if (source.numel == 0) return;
  int64_t runs = 1;
  for (int i = 0; i < dim; ++i) runs *= out.shape[i];
  const auto length = static_cast<size_t>(source.nbytes() / runs);
  const int64_t pitch = out.nbytes() / runs;
  for (int64_t i = 0; i < runs; ++i) {
    std::memcpy(part.bytes() + i * pitch, source.bytes() + i * static_cast<int64_t>(length),
                length);
  }
}
}  // namespace

// Door of cat: checks, allocates, copies part by part.
Array cat(const Array* const* arrays, int64_t count, int64_t dim) {
  const DType dtype = common_dtype("cat", arrays, count);
  const Array* model = arrays[0];
  for (int64_t k = 0; k < count; ++k) {
    if (is_skipped(*model)) model = arrays[k];
    if (arrays[k]->ndim == 0) raise<Error>("[cat] array ", k, " has no dimension to join along");
  }
  const int d = normalize_dim(dim, model->ndim, "cat");
  Dims sizes = dims_of(*model);
  sizes[d] = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (is_skipped(*arrays[k])) continue;
    check_cat_shapes(*model, *arrays[k], d);
    sizes[d] += arrays[k]->shape[d];
  }
  Array out = Array::empty(sizes, dtype);
  Array part = out;  // out[..., start : start + size, ...]
  for (int64_t k = 0; k < count; ++k) {
    if (is_skipped(*arrays[k])) continue;
    part.shape[d] = arrays[k]->shape[d];
    copy_part(out, d, part, *arrays[k]);
    part.offset += arrays[k]->shape[d] * out.strides[d];
  }
  return out;
}

// Door of stack: checks, allocates, copies part by part.
Array stack(const Array* const* arrays, int64_t count, int64_t dim) {
  const DType dtype = common_dtype("stack", arrays, count);
  const Array& model = *arrays[0];
  for (int64_t k = 1; k < count; ++k) {
    if (arrays[k]->same_shape(model)) continue;
    raise<ShapeError>("[stack] every array must have the same shape: number 0 has ",
                      model.shape_text(), ", number ", k, " has ", arrays[k]->shape_text());
  }
  if (model.ndim == kMaxDims) {
    raise<ShapeError>("[stack] an array has at most ", kMaxDims,
                      " dimensions, and these have them");
  }
  const int d = normalize_dim(dim, model.ndim + 1, "stack");
  Dims sizes(model.shape, d);
  sizes.push(count);
  for (int i = d; i < model.ndim; ++i) sizes.push(model.shape[i]);
  Array out = Array::empty(sizes, dtype);
  Array part = model;  // out[..., k, ...]
  part.storage = out.storage;
  part.dtype = dtype;
  part.offset = 0;
  for (int i = 0; i < model.ndim; ++i) part.strides[i] = out.strides[i < d ? i : i + 1];
  for (int64_t k = 0; k < count; ++k) {
    copy_part(out, d, part, *arrays[k]);
    part.offset += out.strides[d];
  }
  return out;
}

namespace {
constexpr int64_t kBlock = 1024;

struct Conversion {
  RowFn row;
  const void* context;
  int count;
  int64_t block;                // elements at a time
  RowFn cast[kMaxOperands];     // null where the operand is stored as the row wants it
  int64_t width[kMaxOperands];  // bytes of one element as the row wants it
  bool gathers[kMaxOperands];   // cast only where elements do not stand side by side

  bool passes(int k, const int64_t* step) const {
    return cast[k] == nullptr || (gathers[k] && step[k] == width[k]);
  }
};

// One block of a row that a door has converted: operand 0 is written, the others are read. An
// operand that stands still is converted once and stands still in the buffer too.
void convert_block(const Conversion& c, char* const* data, const int64_t* step, int64_t n) {
  alignas(64) char buffer[kMaxOperands][kBlock * 8];
  char* at[kMaxOperands];
  int64_t steps[kMaxOperands];
  for (int k = 0; k < c.count; ++k) {
    const bool passes = c.passes(k, step);
    at[k] = passes ? data[k] : buffer[k];
    steps[k] = passes ? step[k] : step[k] == 0 ? 0 : c.width[k];
    if (k == 0 || passes) continue;
    char* const ends[] = {buffer[k], data[k]};
    const int64_t both[] = {c.width[k], step[k]};
    c.cast[k](ends, both, step[k] == 0 ? 1 : n, nullptr);
  }
  c.row(at, steps, n, c.context);
  if (c.cast[0] == nullptr) return;
  char* const ends[] = {data[0], buffer[0]};
  const int64_t both[] = {step[0], c.width[0]};
  c.cast[0](ends, both, n, nullptr);
}

// How a door runs a kernel on arrays of another dtype: converts a row around it, block by block.
void convert_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& c = *static_cast<const Conversion*>(context);
  for (int64_t start = 0; start < n; start += c.block) {
    char* at[kMaxOperands];
    for (int k = 0; k < c.count; ++k) at[k] = data[k] + start * step[k];
    convert_block(c, at, step, std::min(c.block, n - start));
  }
}

// Whether a door gathers an operand into a buffer before it calls the kernel. Rows are written for
// elements side by side: they take others one by one. Where that is costly, it pays to gather
// first. For a cheap row it pays only if vectors gather, every second element, and not from memory:
// there a plain loop, which reads and writes at once, is as fast.
bool is_worth_gathering(const Plan& p, int k, int64_t grain) {
  constexpr int64_t kFewest = 32, kCheap = 1 << 15, kCached = 1 << 22;
  const int inner = p.ndim - 1;
  const int64_t step = p.steps[k][inner], size = p.itemsize[k];
  if (p.shape[inner] < kFewest || step == 0 || step == size) return false;
  if (grain > kCheap) return false;  // a copy gathers itself
  return grain < kCheap || (step == 2 * size && p.numel * size <= kCached);
}

}  // namespace

// The doors' walk of a plan whose operands are stored in other dtypes than the kernel's.
void walk_converting(const Plan& plan, const DType* stored, const DType* computed, RowFn row,
                     const void* context, int64_t grain) {
  const int count = plan.num_operands;
  Conversion c{row, context, count, kBlock, {}, {}, {}};
  bool any = false;
  for (int k = 0; k < count; ++k) {
    c.width[k] = itemsize_of(computed[k]);
    c.gathers[k] = k > 0 && stored[k] == computed[k] && is_worth_gathering(plan, k, grain);
    if (stored[k] == computed[k] && !c.gathers[k]) continue;
    any = true;
    const int from = static_cast<int>(stored[k]), to = static_cast<int>(computed[k]);
    c.cast[k] = kernels<CopyTable>().row[k == 0 ? from : to][k == 0 ? to : from];
  }
  if (c.cast[0] == nullptr && is_worth_streaming(plan)) {
    Plan streamed = plan;
    streamed.streams = true;
    c.cast[0] = kernels<CopyTable>().stream;
    c.block = std::min(kBlock, kPieceBytes / c.width[0]);
    return walk(streamed, &convert_row, &c, grain);
  }
  if (!any) return walk(plan, row, context, grain);
  walk(plan, &convert_row, &c, grain);
}
}  // namespace norch
