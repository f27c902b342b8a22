// How a reduction is cut into tasks. The dims of the input fall into kept and reduced ones; a task
// is one tile of outputs and one block of the reduction. Tiles and blocks have fixed sizes, so a
// sum is the same number on any machine with any number of threads.
#include "ops/reduce.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/error.h"
#include "core/thread_pool.h"
#include "ops/copy.h"
#include "ops/lessons.h"
#include "scalar_kernels/cumulative.h"

namespace norch {
// What messages call a reduction.
const char* name_of(ReduceOp op) {
  constexpr const char* kNames[kNumReduceOps] = {"sum", "mean", "prod", "amax",   "amin",  "any",
                                                 "all", "var",  "std",  "argmax", "argmin"};
  return kNames[static_cast<int>(op)];
}

// The dims of a reduction as its door checks them: counted from 0, sorted, each once.
Dims dims_to_reduce(const std::optional<Dims>& dims, int ndim, const char* op) {
  Dims result;
  if (!dims || (dims->n == 0)) {
    for (int i = 0; i < ndim; ++i) result.push(i);
    return result;
  }
  for (const int64_t dim : *dims) result.push(normalize_dim(dim, ndim, op));
  std::sort(result.v, result.v + result.n);
  for (int i = 1; i < result.n; ++i) {
    if (result[i] == result[i - 1]) {
      raise<Error>("[", op, "] dim ", result[i], " appears more than once in the list of dims");
    }
  }
  if (ndim == 0) result.n = 0;
  return result;
}

namespace {
constexpr int64_t kBlock = 1 << 17;         // elements of a reduction that one task takes
constexpr int64_t kTile = 2048;             // outputs that are accumulated side by side
constexpr int64_t kTaskElements = 1 << 15;  // what is worth a thread's while
constexpr int64_t kShortLine = 32;          // below it, outputs side by side even when strided

// A list of dims with byte steps; neighbours that continue each other are merged.
struct Nest {
  int ndim = 0;
  int64_t numel = 1;
  int64_t shape[kMaxDims];
  int64_t steps[kMaxDims];

  void push(int64_t size, int64_t step) {
    numel *= size;
    if (size == 1) return;
    if (ndim > 0 && steps[ndim - 1] == step * size) {
      shape[ndim - 1] *= size;
      steps[ndim - 1] = step;
    } else {
      shape[ndim] = size;
      steps[ndim++] = step;
    }
  }
  int64_t inner_size() const { return ndim == 0 ? 1 : shape[ndim - 1]; }
  int64_t inner_step() const { return ndim == 0 ? 0 : steps[ndim - 1]; }
  int64_t offset_of(int64_t index) const {  // of the index-th element, row-major
    int64_t offset = 0;
    for (int i = ndim - 1; i >= 0; --i) {
      offset += index % shape[i] * steps[i];
      index /= shape[i];
    }
    return offset;
  }
};

struct Reduction {
  Nest kept, reduced;
  const char* data;
  bool side_by_side;  // accumulate a tile of outputs at once (Fold::across)
};

// Whether the reduction at the door goes over dim i.
bool is_reduced(const Dims& dims, int i) {
  return std::find(dims.begin(), dims.end(), i) != dims.end();
}

// Before the reduce kernel: where order does not matter, the tightest reduced dim goes innermost.
void sort_reduced(const Array& a, Dims& dims) {
  std::stable_sort(dims.v, dims.v + dims.n, [&](int64_t i, int64_t j) {
    return std::abs(a.strides[i]) > std::abs(a.strides[j]);
  });
}

// How the door of a reduction cuts an array: kept and reduced dims, outputs singly or side by side.
Reduction plan_reduction(const Array& a, Dims dims, bool ordered) {
  Reduction r;
  r.data = a.bytes();
  for (int i = 0; i < a.ndim; ++i) {
    if (!is_reduced(dims, i)) r.kept.push(a.shape[i], a.strides[i] * a.itemsize());
  }
  if (!ordered) sort_reduced(a, dims);
  for (const int64_t i : dims) r.reduced.push(a.shape[i], a.strides[i] * a.itemsize());
  const bool kept_is_tighter = std::abs(r.kept.inner_step()) < std::abs(r.reduced.inner_step());
  const bool many = r.kept.inner_size() >= 8;
  r.side_by_side = many && (kept_is_tighter || r.reduced.inner_size() < kShortLine);
  return r;
}

// The dims of a reduction as the plan that its door walks with the kernel's fold.
Plan plan_of(const Nest& nest, const char* data) {
  Plan p;
  p.num_operands = 1;
  p.ndim = std::max(1, nest.ndim);
  p.numel = nest.numel;
  p.shape[0] = nest.numel;
  p.steps[0][0] = 0;
  std::copy_n(nest.shape, nest.ndim, p.shape);
  std::copy_n(nest.steps, nest.ndim, p.steps[0]);
  p.data[0] = const_cast<char*>(data);
  return p;
}

// Tiles never straddle a row of outputs, so that a tile is a base address and a step.
struct Tiling {
  int64_t width, per_row, count;

  explicit Tiling(const Reduction& r) {
    const int64_t row = r.side_by_side ? r.kept.inner_size() : 1;
    width = std::min(kTile, row);
    per_row = (row + width - 1) / width;
    count = r.kept.numel / row * per_row;
  }
  int64_t first(const Reduction& r, int64_t tile) const {  // number of its first output
    const int64_t row = r.side_by_side ? r.kept.inner_size() : 1;
    return tile / per_row * row + tile % per_row * width;
  }
  int64_t size(const Reduction& r, int64_t tile) const {
    const int64_t row = r.side_by_side ? r.kept.inner_size() : 1;
    return std::min(width, row - tile % per_row * width);
  }
};

// Calls the kernel's fold on elements begin..end of the reduction, for one tile.
void fold_block(const Reduction& r, const Fold& fold, const Tiling& tiling, int64_t tile,
                int64_t begin, int64_t end, char* accumulators) {
  const char* base = r.data + r.kept.offset_of(tiling.first(r, tile));
  const int64_t n = tiling.size(r, tile);
  fold.init(accumulators, n, begin);
  if (begin >= end) return;
  const Plan plan = plan_of(r.reduced, base);
  if (r.side_by_side) {
    const Across context{accumulators, r.kept.inner_step(), n};
    walk_range(plan, fold.across, &context, begin, end);
  } else {
    walk_range(plan, fold.along, accumulators, begin, end);
  }
}

struct Outputs {
  char* data[2] = {nullptr, nullptr};
  int64_t itemsize[2] = {0, 0};

  void finish(const Fold& fold, const char* accumulators, int64_t first, int64_t n,
              double param) const {
    char* const at[2] = {data[0] + first * itemsize[0],
                         data[1] == nullptr ? nullptr : data[1] + first * itemsize[1]};
    fold.finish(accumulators, n, at, param);
  }
};

constexpr int64_t kMaxAccumulator = 32;

// How the door runs many outputs or a short reduction: each tile is one task for the kernel's fold.
void reduce_whole(const Reduction& r, const Fold& fold, const Outputs& out, double param) {
  const Tiling tiling(r);
  const int64_t work = std::max<int64_t>(1, tiling.width * r.reduced.numel);
  parallel_for(
      tiling.count, std::max<int64_t>(1, kTaskElements / work), [&](int64_t begin, int64_t end) {
        alignas(64) char accumulators[kTile * kMaxAccumulator];
        for (int64_t tile = begin; tile < end; ++tile) {
          fold_block(r, fold, tiling, tile, 0, r.reduced.numel, accumulators);
          out.finish(fold, accumulators, tiling.first(r, tile), tiling.size(r, tile), param);
        }
      });
}

// How the door runs a long reduction with few outputs: blocks are tasks too, merged in order.
void reduce_blocks(const Reduction& r, const Fold& fold, const Outputs& out, double param,
                   int64_t block) {
  const Tiling tiling(r);
  const int64_t blocks = (r.reduced.numel + block - 1) / block;
  const int64_t bytes = tiling.width * fold.accumulator_bytes;
  // aligned for any scalar
  const auto partial = std::make_unique<char[]>(to_size(tiling.count * blocks * bytes));
  parallel_for(tiling.count * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t from = task % blocks * block;
      fold_block(r, fold, tiling, task / blocks, from, std::min(r.reduced.numel, from + block),
                 partial.get() + task * bytes);
    }
  });
  for (int64_t tile = 0; tile < tiling.count; ++tile) {
    char* first = partial.get() + tile * blocks * bytes;
    for (int64_t b = 1; b < blocks; ++b) fold.merge(first, first + b * bytes, tiling.size(r, tile));
    out.finish(fold, first, tiling.first(r, tile), tiling.size(r, tile), param);
  }
}

// Behind the door of a reduction: the choice between tasks of whole tiles and tasks of blocks.
void run(const Reduction& r, const Fold& fold, const Outputs& out, double param) {
  const Tiling tiling(r);
  const int64_t block = std::max<int64_t>(1, kBlock / tiling.width);  // rows of a tile
  if (tiling.count >= 64 || r.reduced.numel <= block)
    reduce_whole(r, fold, out, param);
  else
    reduce_blocks(r, fold, out, param, block);
}

// The door allocates a reduction's result.
Array output_of(const Array& a, const Dims& dims, bool keepdim, DType dtype) {
  Dims shape;
  for (int i = 0; i < a.ndim; ++i) {
    if (!is_reduced(dims, i))
      shape.push(a.shape[i]);
    else if (keepdim)
      shape.push(1);
  }
  return Array::empty(shape, dtype);
}

// The result's dtype: sum and prod of integers are int64; any and all are bool, but uint8 for
// uint8, as in PyTorch.
DType result_dtype(ReduceOp op, DType t) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kProd:
      return is_integral(t) ? DType::kInt64 : t;
    case ReduceOp::kAny:
    case ReduceOp::kAll:
      return DType::kBool;
    case ReduceOp::kArgmax:
    case ReduceOp::kArgmin:
      return DType::kInt64;
    default:
      return t;
  }
}

// Refuses the mean and variance of whole numbers.
void check_dtype(ReduceOp op, DType t) {
  const bool is_real = op == ReduceOp::kMean || op == ReduceOp::kVar || op == ReduceOp::kStd;
  if (is_real && is_integral(t)) {
    raise<DTypeError>("[", name_of(op), "] expected a floating dtype, got ", name_of(t),
                      ": cast to float32 first");
  }
}

// Whether the door must keep the order of the elements for an operation.
bool is_ordered(ReduceOp op) { return op == ReduceOp::kArgmax || op == ReduceOp::kArgmin; }

// Refuses the extreme of nothing, which does not exist.
void check_not_empty(ReduceOp op, const Array& a, const Dims& dims) {
  if (op != ReduceOp::kAmax && op != ReduceOp::kAmin && !is_ordered(op)) return;
  for (const int64_t dim : dims) {
    if (a.shape[dim] == 0) {
      raise<IndexError>("[", name_of(op), "] dim ", dim, " of shape ", a.shape_text(),
                        " has size 0: there is no extreme of nothing");
    }
  }
}

// The door's look into the kernels' table: the fold for a reduction and a dtype.
const Fold& fold_of(ReduceOp op, DType dtype) {
  return kernels<ReduceTable>().fold[static_cast<int>(op)][static_cast<int>(dtype)];
}
}  // namespace

// Door of sum, amax and the like: checks, result type, then the tasks.
Array reduce(ReduceOp op, const Array& a, const Dims& dims, bool keepdim, double param) {
  check_dtype(op, a.dtype);
  check_not_empty(op, a, dims);
  if (a.dtype == DType::kInt8) {  // folds have no rows of its own
    return cast(reduce(op, cast(a, DType::kInt32), dims, keepdim, param),
                result_dtype(op, a.dtype));
  }
  Array out = output_of(a, dims, keepdim, result_dtype(op, compute_type(a.dtype)));
  const Reduction r = plan_reduction(a, dims, is_ordered(op));
  const Outputs outputs{{out.bytes(), nullptr}, {out.itemsize(), 0}};
  if (op == ReduceOp::kMean) param = static_cast<double>(r.reduced.numel);
  if (op == ReduceOp::kSum && lesson_sums(a, out)) return out;
  if (out.numel > 0) run(r, fold_of(op, a.dtype), outputs, param);
  if ((op == ReduceOp::kAny || op == ReduceOp::kAll) && a.dtype == DType::kUInt8) {
    return cast(out, DType::kUInt8);
  }
  return cast(out, result_dtype(op, a.dtype));
}

// Door of max and min along a dim: values and places.
std::pair<Array, Array> extreme(ReduceOp op, const Array& a, int64_t dim, bool keepdim) {
  Dims dims;
  dims.push(normalize_dim(dim, a.ndim, op == ReduceOp::kArgmax ? "max" : "min"));
  if (a.ndim == 0) dims.n = 0;
  check_not_empty(op, a, dims);
  if (a.dtype == DType::kInt8) {
    const auto [values, indices] = extreme(op, cast(a, DType::kInt32), dim, keepdim);
    return {cast(values, a.dtype), indices};
  }
  Array values = output_of(a, dims, keepdim, compute_type(a.dtype));
  Array indices = output_of(a, dims, keepdim, DType::kInt64);
  const Outputs outputs{{indices.bytes(), values.bytes()}, {indices.itemsize(), values.itemsize()}};
  if (values.numel > 0) run(plan_reduction(a, dims, true), fold_of(op, a.dtype), outputs, 0);
  return {cast(values, a.dtype), indices};
}

namespace {
// The lines of a running sum: every dim but one, read from x and written to out.
struct Lines {
  Nest read, write;

  Lines(const Array& x, const Array& out, int dim, int dims) {
    for (int i = 0; i < dims; ++i) {
      if (i == dim) continue;
      read.push(x.shape[i], x.strides[i] * x.itemsize());
      write.push(x.shape[i], out.strides[i] * out.itemsize());
    }
  }
};

// For the door of cumsum: calls the kernel line by line, along the last dim.
void cumsum_lines(const Array& x, Array& out, int dim) {
  const Lines lines(x, out, dim, x.ndim);
  const RowFn row = kernels<ReduceTable>().cumsum[static_cast<int>(x.dtype)];
  const int64_t step[] = {out.strides[dim] * out.itemsize(), x.strides[dim] * x.itemsize()};
  const int64_t grain = std::max<int64_t>(1, kTaskElements / x.shape[dim]);
  parallel_for(lines.read.numel, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* const data[] = {out.bytes() + lines.write.offset_of(i),
                            x.bytes() + lines.read.offset_of(i)};
      row(data, step, x.shape[dim], nullptr);
    }
  });
}

// For the door of cumsum: along an outer dim the kernel takes lines side by side, a tile at a time.
void cumsum_tiles(const Array& x, Array& out, int dim) {
  const int last = x.ndim - 1;
  const Lines outer(x, out, dim, last);
  const RowFn across = kernels<ReduceTable>().cumsum_across[static_cast<int>(x.dtype)];
  const int64_t step[] = {out.strides[dim] * out.itemsize(), x.strides[dim] * x.itemsize()};
  const int64_t width = std::min(kTile, x.shape[last]);
  const int64_t tiles = (x.shape[last] + width - 1) / width;
  const int64_t grain = std::max<int64_t>(1, kTaskElements / (width * x.shape[dim]));
  parallel_for(outer.read.numel * tiles, grain, [&](int64_t begin, int64_t end) {
    alignas(64) char totals[kTile * sizeof(double)];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % tiles * width;
      char* const data[] = {
          out.bytes() + outer.write.offset_of(i / tiles) + first * out.itemsize(),
          x.bytes() + outer.read.offset_of(i / tiles) + first * x.strides[last] * x.itemsize()};
      const Across context{totals, x.strides[last] * x.itemsize(),
                           std::min(width, x.shape[last] - first)};
      across(data, step, x.shape[dim], &context);
    }
  });
}
}  // namespace

// Door of cumsum: result type, then lines or tiles.
Array cumsum(const Array& a, int64_t dim) {
  const int d = normalize_dim(dim, a.ndim, "cumsum");
  const DType compute = compute_type(a.dtype), result = result_dtype(ReduceOp::kSum, a.dtype);
  const Array x = cast(a, compute);
  if (a.ndim == 0) return reduce(ReduceOp::kSum, a, Dims(), false);
  Array out = Array::empty_like(a, result_dtype(ReduceOp::kSum, compute));
  if (out.numel == 0) return cast(out, result);
  if (d == a.ndim - 1)
    cumsum_lines(x, out, d);
  else
    cumsum_tiles(x, out, d);
  return cast(out, result);
}

// Door of cumprod.
Array cumprod(const Array& a, int64_t dim) {
  const int d = normalize_dim(dim, a.ndim, "cumprod");
  Array out = Array::empty_like(a, is_integral(a.dtype) ? DType::kInt64 : a.dtype);
  if (out.numel > 0) cumprod_lines(a, d, out);
  return out;
}

// Door of cummax and cummin.
std::pair<Array, Array> cumulative_extreme(const Array& a, int64_t dim, bool largest) {
  const int d = normalize_dim(dim, a.ndim, largest ? "cummax" : "cummin");
  Array values = Array::empty_like(a, a.dtype), indices = Array::empty_like(a, DType::kInt64);
  if (values.numel > 0) cumulative_extreme_lines(a, d, largest, values, indices);
  return {values, indices};
}

// Door of logcumsumexp: checks the dtype, then the loop.
Array logcumsumexp(const Array& a, int64_t dim) {
  const int d = normalize_dim(dim, a.ndim, "logcumsumexp");
  if (!is_floating(a.dtype)) {
    raise<DTypeError>("[logcumsumexp] expected a floating dtype, got ", name_of(a.dtype),
                      ": cast to float32 first");
  }
  Array out = Array::empty_like(a, a.dtype);
  if (out.numel > 0) logcumsumexp_lines(a, d, out);
  return out;
}
}  // namespace norch
