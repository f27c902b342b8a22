// Runs every kernel family on seeded inputs and prints what comes out, one line a result:
//     name dtype shape value value ...
// without Python, so that a machine that only an emulator knows can be compared with this one.
// tools/check_arm.py builds it twice and compares the lines. Each family is given its inputs in
// four layouts of memory. Random numbers are the same on every machine, so the inputs are too.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/array.h"
#include "core/thread_pool.h"
#include "more/ops/recurrent.h"
#include "more/ops/resample.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/conv.h"
#include "ops/copy.h"
#include "ops/elementwise.h"
#include "ops/histogram.h"
#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/norm.h"
#include "ops/optimizer.h"
#include "ops/pool.h"
#include "ops/random.h"
#include "ops/reduce.h"
#include "ops/softmax.h"
#include "ops/sort.h"

namespace norch {
namespace {

constexpr DType kAll[] = {DType::kBool,     DType::kUInt8,   DType::kInt8,
                          DType::kInt32,    DType::kInt64,   DType::kFloat16,
                          DType::kBFloat16, DType::kFloat32, DType::kFloat64};
constexpr DType kNumbers[] = {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};
constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat64};

// ---- Inputs
// --------------------------------------------------------------------------------------

enum class Layout { kRowMajor, kColumnMajor, kGaps, kBackwards };
constexpr const char* kLayoutNames[] = {"row-major", "column-major", "gaps", "backwards"};
Layout layout;       // of the inputs made now
uint64_t next_seed;  // every input has numbers of its own

Dims dims(std::initializer_list<int64_t> sizes) {
  Dims d;
  for (const int64_t size : sizes) d.push(size);
  return d;
}

// The same elements in the current layout.
Array laid_out(const Array& a) {
  if (layout == Layout::kRowMajor) return a;
  Dims steps;
  steps.n = a.ndim;
  int64_t step = layout == Layout::kGaps ? 2 : 1, first = 0;
  for (int k = 0; k < a.ndim; ++k) {
    const int i = layout == Layout::kColumnMajor ? k : a.ndim - 1 - k;
    steps[i] = layout == Layout::kBackwards ? -step : step;
    if (steps[i] < 0) first += step * (a.shape[i] - 1);
    step *= a.shape[i] + (layout == Layout::kGaps ? 1 : 0);
  }
  const Array memory = Array::empty(dims({step}), a.dtype);
  Dims shape;
  for (int i = 0; i < a.ndim; ++i) shape.push(a.shape[i]);
  Array moved = memory.view(shape, steps, first);
  copy_elements(moved, a);
  return moved;
}

Array input(const Dims& shape, DType dtype = DType::kFloat32, bool divides = false) {
  const uint64_t seed = ++next_seed;
  if (is_floating(dtype)) {
    return laid_out(cast(normal(shape, 0.0, 2.0, DType::kFloat64, seed, 0), dtype));
  }
  const int64_t least = dtype == DType::kBool || dtype == DType::kUInt8 ? 0 : -9;
  const int64_t low = divides ? 1 : least;
  return laid_out(cast(randint(shape, low, dtype == DType::kBool ? 2 : 10, seed, 0), dtype));
}

Array positive(const Dims& shape, DType dtype = DType::kFloat32) {
  return laid_out(cast(uniform(shape, 0.5, 2.0, DType::kFloat64, ++next_seed, 0), dtype));
}

Array places(const Dims& shape, int64_t below) {
  return laid_out(randint(shape, 0, below, ++next_seed, 0));
}

// ---- Output
// --------------------------------------------------------------------------------------

void print(const std::string& name, const Array& result) {
  const Array a = contiguous(result);
  std::printf("%s/%s %s %s", name.c_str(), kLayoutNames[int(layout)], name_of(a.dtype),
              a.ndim == 0 ? "()" : "(");
  for (int i = 0; i < a.ndim; ++i) std::printf(i + 1 < a.ndim ? "%ld," : "%ld)", long(a.shape[i]));
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < a.numel; ++i) {
      if constexpr (std::is_integral_v<Value<T>>)
        std::printf(" %lld", static_cast<long long>(a.data<T>()[i]));
      else
        std::printf(" %.17g", static_cast<double>(a.data<T>()[i]));
    }
  });
  std::printf("\n");
}

// Runs one operation; a refusal is a result too.
template <class F>
void run(const std::string& name, F operation) {
  try {
    print(name, operation());
  } catch (const Error& error) {
    std::printf("%s/%s raises %s\n", name.c_str(), kLayoutNames[int(layout)], error.what());
  }
}

std::string with(const char* name, DType dtype) { return std::string(name) + ":" + name_of(dtype); }

// ---- The families
// --------------------------------------------------------------------------------

void elementwise() {
  for (const DType t : kAll) {
    const Array a = input(dims({3, 37}), t), b = input(dims({3, 37}), t, true);
    for (int i = 0; i < kNumArithmeticOps; ++i) {
      const auto op = static_cast<ArithmeticOp>(i);
      run(with(name_of(op), t), [&] { return arithmetic(op, {&a, {}}, {&b, {}}); });
    }
    for (int i = 0; i < kNumCompareOps; ++i) {
      const auto op = static_cast<CompareOp>(i);
      run(with(name_of(op), t), [&] { return compare(op, {&a, {}}, {&b, {}}); });
    }
    for (int i = 0; i < kNumUnaryOps; ++i) {
      const auto op = static_cast<UnaryOp>(i);
      run(with(name_of(op), t), [&] { return unary(op, a); });
    }
    for (int i = 0; i < kNumTestOps; ++i) {
      const auto op = static_cast<TestOp>(i);
      run(with(name_of(op), t), [&] { return test(op, a); });
    }
    const Array condition = input(dims({3, 37}), DType::kBool);
    run(with("where", t), [&] { return where(condition, a, b); });
    const Scalar low = Scalar::of(int64_t{1}), high = Scalar::of(int64_t{4});
    run(with("clamp", t), [&] { return clamp(a, &low, &high); });
  }
}

void transposed_sum() {  // the walk in tiles
  const Array a = input(dims({70, 90})), b = input(dims({90, 70}));
  Array turned = b.view(dims({70, 90}), dims({b.strides[1], b.strides[0]}), b.offset);
  run("a+b.T", [&] { return arithmetic(ArithmeticOp::kAdd, {&a, {}}, {&turned, {}}); });
}

void copies() {
  for (const DType from : kAll) {
    const Array a = input(dims({5, 13}), from);
    for (const DType to : kAll) {
      run(with("cast", from) + "-" + name_of(to), [&] { return cast(a, to); });
    }
    const Array other = input(dims({2, 13}), from);
    const Array *parts[] = {&a, &other}, *alike[] = {&a, &a};
    run(with("cat", from), [&] { return cat(parts, 2, 0); });
    run(with("stack", from), [&] { return stack(alike, 2, 1); });
    run(with("full", from), [&] { return full(dims({7}), Scalar::of(int64_t{3}), from); });
  }
}

void activations() {
  for (const DType t : kFloats) {
    const Array a = input(dims({3, 41}), t), grad = input(dims({3, 41}), t);
    for (int i = 0; i < kNumActivations; ++i) {
      const auto kind = static_cast<Activation>(i);
      const std::string number = std::to_string(i);  // gelu comes twice
      if (kind < Activation::kTanh) {                // the others are unary operations
        run(with(name_of(kind), t) + number, [&] { return activation(kind, a); });
      }
      run(with(backward_name_of(kind), t) + number,
          [&] { return activation_backward(kind, grad, a); });
    }
  }
}

void reductions() {
  const Dims choices[] = {dims({0}), dims({1}), dims({2}), dims({0, 2}), dims({0, 1, 2})};
  for (const DType t : kAll) {
    const Array a = input(dims({5, 7, 19}), t);
    for (int i = 0; i < kNumReduceOps; ++i) {
      const auto op = static_cast<ReduceOp>(i);
      const bool ordered = op == ReduceOp::kArgmax || op == ReduceOp::kArgmin;
      for (const Dims& over : choices) {
        if (ordered && over.n > 1) continue;
        run(with(name_of(op), t) + "-" + std::to_string(over.n) + std::to_string(over[0]),
            [&] { return reduce(op, a, over, false, op == ReduceOp::kVar ? 1 : 0); });
      }
    }
    for (int64_t dim = 0; dim < 3; ++dim) {
      const std::string where = std::to_string(dim);
      run(with("max", t) + where, [&] { return extreme(ReduceOp::kArgmax, a, dim, false).second; });
      run(with("cumsum", t) + where, [&] { return cumsum(a, dim); });
      run(with("cumprod", t) + where, [&] { return cumprod(a, dim); });
      run(with("cummax", t) + where, [&] { return cumulative_extreme(a, dim, true).second; });
      run(with("cummin", t) + where, [&] { return cumulative_extreme(a, dim, false).second; });
      run(with("logcumsumexp", t) + where, [&] { return logcumsumexp(a, dim); });
    }
  }
  const Array large = input(dims({300, 400}));
  run("sum-large", [&] { return reduce(ReduceOp::kSum, large, dims({0, 1}), false); });
}

// The matrix b once for every batch of a: what stage 1 decides when a Python call asks it.
void give_batch(Array& a, Array& b) {
  Array batch = a;
  batch.ndim -= 2;
  for (int i = 0; i < batch.ndim; ++i) batch.strides[i] = 0;
  b = with_batch(b, batch);
}

void products() {
  const int64_t sizes[][3] = {{1, 1, 1}, {5, 7, 3}, {13, 29, 31}, {70, 300, 65}, {1, 40, 50}};
  for (const DType t : kNumbers) {
    for (const auto& s : sizes) {
      const Array a = input(dims({s[0], s[1]}), t), b = input(dims({s[1], s[2]}), t);
      const std::string size = "-" + std::to_string(s[1]);
      for (const MatmulPath path : {MatmulPath::kNaive, MatmulPath::kBlocked}) {
        run(with("matmul", t) + size + "-" + std::to_string(int(path)),
            [&] { return matmul(a, b, path, nullptr); });
      }
    }
    const Array x = input(dims({2, 3, 11}), t), w = input(dims({6, 11}), t),
                bias = input(dims({6}), t);
    run(with("linear", t), [&] { return linear(x, w, &bias, &give_batch); });
  }
  const Array x = input(dims({5, 70}), DType::kFloat32), w = input(dims({6, 70}), DType::kInt8),
              scale = input(dims({6}), DType::kFloat32);
  run("linear_int8", [&] { return linear_int8(x, w, scale, &scale); });
}

void softmaxes() {
  for (const DType t : kFloats) {
    const Array a = input(dims({6, 10, 35}), t), grad = input(dims({6, 10, 35}), t);
    for (int64_t dim = 0; dim < 3; ++dim) {
      const std::string where = std::to_string(dim);
      run(with("softmax", t) + where, [&] { return softmax(a, dim); });
      run(with("log_softmax", t) + where, [&] { return log_softmax(a, dim); });
      run(with("softmax_backward", t) + where,
          [&] { return softmax_backward(grad, softmax(a, dim), dim); });
      run(with("logsumexp", t) + where, [&] { return logsumexp(a, dims({dim}), false); });
    }
    const Array logits = input(dims({9, 33}), t), target = contiguous(places(dims({9}), 33));
    const Array row = input(dims({9}), t);
    run(with("cross_entropy", t), [&] { return cross_entropy(logits, target, -100).first; });
    run(with("cross_entropy_backward", t), [&] {
      const Array lse = cross_entropy(logits, target, -100).second;
      return cross_entropy_backward(row, logits, lse, target, -100);
    });
  }
}

// A convolution that goes one of the ways, with its gradients.
struct Convolution {
  const char* name;
  Dims images, kernels;
  int64_t padding, stride[2], groups;
};

void convolutions() {
  const Convolution all[] = {
      {"1x1", dims({2, 4, 11, 9}), dims({6, 2, 1, 1}), 0, {1, 1}, 2},
      {"3x3", dims({2, 4, 11, 9}), dims({6, 2, 3, 3}), 1, {1, 1}, 2},
      {"5x5", dims({2, 4, 11, 9}), dims({6, 2, 5, 5}), 2, {1, 2}, 2},
      {"winograd", dims({1, 32, 14, 14}), dims({16, 32, 3, 3}), 0, {1, 1}, 1},
      {"unpadded", dims({3, 9, 5, 4}), dims({18, 9, 3, 3}), 1, {2, 1}, 1},
      {"depthwise", dims({2, 11, 9, 10}), dims({11, 1, 3, 3}), 1, {2, 1}, 11},
      {"3d", dims({1, 2, 4, 5, 6}), dims({3, 2, 2, 3, 2}), 0, {1, 1}, 1},
  };
  for (const DType t : kFloats) {
    for (const Convolution& c : all) {
      const int directions = c.images.n - 2;
      ConvOptions o;
      o.groups = c.groups;
      o.padding[1] = o.padding[2] = c.padding;
      std::copy_n(c.stride, 2, o.stride + 1);
      const Array x = input(c.images, t), w = input(c.kernels, t),
                  bias = input(dims({c.kernels[0]}), t);
      const Array grad = input(dims_of(conv(x, directions, w, &bias, o)), t);
      const std::string way = std::string("-") + c.name;
      run(with("conv", t) + way, [&] { return conv(x, directions, w, &bias, o); });
      run(with("conv_backward_input", t) + way,
          [&] { return conv_backward_input(grad, directions, w, c.images, o); });
      run(with("conv_backward_weight", t) + way,
          [&] { return conv_backward_weight(grad, directions, x, c.kernels, o); });
    }
  }
}

void pools_of_volumes() {
  for (const DType t : kFloats) {
    const Dims shape = dims({2, 3, 4, 7, 6});
    const Array x = input(shape, t), grad = input(dims({2, 3, 3, 4, 5}), t);
    PoolOptions p;
    for (int i = 0; i < kDirections; ++i) p.kernel[i] = 2;
    p.stride[1] = 2;
    p.padding[1] = 1;
    run(with("max_pool3d", t), [&] { return max_pool(x, 3, p).first; });
    run(with("max_pool3d_backward", t),
        [&] { return max_pool_backward(grad, 3, max_pool(x, 3, p).second, shape); });
    run(with("avg_pool3d", t), [&] { return avg_pool(x, 3, p); });
    run(with("avg_pool3d_backward", t), [&] { return avg_pool_backward(grad, 3, shape, p); });
  }
}

void pools() {
  for (const DType t : kFloats) {
    const Array x = input(dims({2, 4, 11, 9}), t), grad = input(dims({2, 4, 5, 4}), t);
    const Dims shape = dims({2, 4, 11, 9});
    PoolOptions p;
    p.kernel[1] = p.kernel[2] = p.stride[1] = p.stride[2] = 2;
    run(with("max_pool2d", t), [&] { return max_pool(x, 2, p).first; });
    run(with("max_pool2d_backward", t),
        [&] { return max_pool_backward(grad, 2, max_pool(x, 2, p).second, shape); });
    run(with("avg_pool2d", t), [&] { return avg_pool(x, 2, p); });
    run(with("avg_pool2d_backward", t), [&] { return avg_pool_backward(grad, 2, shape, p); });
    for (const auto how : {Resample::kAdaptive, Resample::kNearest, Resample::kBilinear,
                           Resample::kBilinearCorners}) {
      const std::string kind = std::to_string(int(how));
      run(with("resample2d", t) + kind, [&] { return resample2d(x, how, dims({7, 13}), nullptr); });
      run(with("resample2d_backward", t) + kind,
          [&] { return resample2d_backward(grad, how, dims({11, 9}), nullptr); });
    }
    run(with("adaptive_max_pool2d", t), [&] { return adaptive_max_pool2d(x, dims({3, 5})).first; });
    run(with("adaptive_max_pool2d_index", t),
        [&] { return adaptive_max_pool2d(x, dims({3, 5})).second; });
    PatchOptions o;
    o.kernel[1] = o.kernel[2] = 3;
    run(with("im2col", t), [&] { return im2col(x, o); });
    run(with("col2im", t), [&] { return col2im(im2col(x, o), dims({11, 9}), o); });
  }
}

void normalisations() {
  for (const DType t : kFloats) {
    const Array x = input(dims({7, 37}), t), grad = input(dims({7, 37}), t);
    const Array w = input(dims({37}), t), b = input(dims({37}), t);
    const LayerNorm n = layer_norm(x, &w, &b, 1e-5);
    run(with("layer_norm", t), [&] { return n.out; });
    const LayerNormGradients g = layer_norm_backward(grad, x, n.mean, n.rstd, &w);
    run(with("layer_norm_dx", t), [&] { return g.dx; });
    run(with("layer_norm_dweight", t), [&] { return g.dweight; });
    const RmsNorm r = rms_norm(x, &w, 1e-5);
    run(with("rms_norm", t), [&] { return r.out; });
    run(with("rms_norm_dx", t), [&] { return rms_norm_backward(grad, x, r.rstd, &w).dx; });
    const Array image = input(dims({3, 6, 5, 7}), t), up = input(dims({3, 6, 5, 7}), t);
    const BatchNorm batch = batch_norm(image, nullptr, nullptr, 1e-5);
    run(with("batch_norm", t), [&] { return batch.out; });
    const Array mean = input(dims({6}), t), var = positive(dims({6}), t);
    run(with("batch_norm_eval", t),
        [&] { return batch_norm_eval(image, mean, var, nullptr, nullptr, 1e-5); });
    run(with("batch_norm_dx", t),
        [&] { return batch_norm_backward(up, image, batch.mean, batch.var, nullptr, 1e-5).dx; });
    const GroupNorm group = group_norm(image, 2, nullptr, nullptr, 1e-5);
    run(with("group_norm", t), [&] { return group.out; });
    run(with("group_norm_dx", t),
        [&] { return group_norm_backward(up, image, group.mean, group.rstd, 2, nullptr).dx; });
  }
}

void indexing() {
  for (const DType t : kAll) {
    const Array a = input(dims({9, 17}), t), row = input(dims({5, 17}), t);
    const Array index = places(dims({5}), 9), each = places(dims({5, 17}), 9);
    run(with("index_select", t), [&] { return index_select(a, 0, index); });
    run(with("index_add", t), [&] { return index_add(a, 0, index, row); });
    run(with("gather", t), [&] { return gather(a, 0, each); });
    run(with("scatter_add", t), [&] { return scatter_add(a, 0, each, row); });
    run(with("scatter", t), [&] { return scatter(a, 0, each, row); });
    run(with("scatter_reduce", t), [&] { return scatter_reduce(a, 0, each, row, "amax", true); });
    run(with("nonzero", t), [&] { return nonzero(a); });
    run(with("sort", t), [&] { return sort(a, 1, false).second; });
    run(with("topk", t), [&] { return topk(a, 3, 0, true).first; });
    run(with("kthvalue", t), [&] { return kthvalue(a, 4, 1, false).first; });
    run(with("median", t), [&] { return median(a, 1, false).first; });
    run(with("unique", t), [&] { return std::get<0>(unique(a)); });
    run(with("histc", t), [&] { return histc(a, 5, -4, 4); });
    run(with("bincount", t), [&] { return bincount(contiguous(cast(index, t)), nullptr, 0); });
    run(with("searchsorted", t),
        [&] { return searchsorted(sort(input(dims({40}), t), 0, false).first, a, true); });
  }
  const Array grad = input(dims({6, 8}));
  run("embedding_backward",
      [&] { return embedding_backward(grad, places(dims({6}), 5), 5, -1, true); });
}

void random_numbers() {
  for (const DType t : kFloats) {
    run(with("uniform", t), [&] { return uniform(dims({101}), -1, 2, t, 7, 13); });
    run(with("normal", t), [&] { return normal(dims({101}), 1, 3, t, 7, 13); });
    run(with("bernoulli", t), [&] { return bernoulli(dims({101}), 0.3, t, 7, 13); });
  }
  run("randint", [] { return randint(dims({101}), -50, 1000, 7, 13); });
  run("randperm", [] { return randperm(53, 7, 13); });
}

void optimizers() {
  for (const DType t : kFloats) {
    Arrays params{clone(input(dims({3, 21}), t))}, grads{input(dims({3, 21}), t)};
    Arrays means{clone(input(dims({3, 21}), t))}, squares{clone(positive(dims({3, 21}), t))}, none;
    sgd_step(params, grads, means, {0.1, 0.9, 0, 0.01, true, false});
    run(with("sgd_step", t), [&] { return params[0]; });
    adam_step(params, grads, means, squares, none, {3}, {0.1, 0.9, 0.99, 1e-8, 0.01, true});
    run(with("adam_step", t), [&] { return params[0]; });
  }
}

void more_optimizers() {
  for (const DType t : kFloats) {
    const Dims shape = dims({3, 21});
    Arrays params{clone(input(shape, t))}, grads{input(shape, t)}, means{clone(input(shape, t))};
    Arrays squares{clone(positive(shape, t))}, sums{clone(positive(shape, t))}, none;
    rmsprop_step(params, grads, squares, none, means, {0.1, 0.9, 1e-8, 0.01, 0.9});
    run(with("rmsprop_step", t), [&] { return params[0]; });
    adagrad_step(params, grads, sums, {3}, {0.1, 0.01, 1e-8, 0.01});
    run(with("adagrad_step", t), [&] { return params[0]; });
    adadelta_step(params, grads, squares, sums, {0.5, 0.9, 1e-6, 0.01});
    run(with("adadelta_step", t), [&] { return params[0]; });
    lion_step(params, grads, means, {0.1, 0.9, 0.99, 0.01});
    run(with("lion_step", t), [&] { return params[0]; });
  }
}

void attentions() {
  for (const DType t : kFloats) {
    const Array q = input(dims({2, 9, 12}), t), k = input(dims({2, 11, 12}), t);
    const Array v = input(dims({2, 11, 10}), t), grad = input(dims({2, 9, 10}), t);
    for (const bool causal : {false, true}) {
      const Attention a = attention(q, k, v, nullptr, causal, std::nullopt);
      const std::string how = causal ? "-causal" : "";
      run(with("attention", t) + how, [&] { return a.out; });
      const AttentionGradients g =
          attention_backward(grad, q, k, v, a.out, a.logsumexp, nullptr, causal, std::nullopt);
      run(with("attention_dq", t) + how, [&] { return g.dq; });
      run(with("attention_dk", t) + how, [&] { return g.dk; });
      run(with("attention_dv", t) + how, [&] { return g.dv; });
    }
  }
}

void recurrent() {
  for (const DType t : kFloats) {
    const Array x = input(dims({3, 5, 6}), t), h0 = input(dims({5, 7}), t),
                c0 = input(dims({5, 7}), t);
    const Array w_ih = input(dims({28, 6}), t), w_hh = input(dims({28, 7}), t);
    const LstmInput in{x, h0, c0, w_ih, w_hh, false};
    const LstmLayer layer = lstm_layer(in, nullptr, nullptr);
    run(with("lstm_layer", t), [&] { return layer.y; });
    const Array grad = input(dims({3, 5, 7}), t);
    const LstmLayerGradients g = lstm_layer_backward({&grad, nullptr, nullptr}, in, layer);
    run(with("lstm_layer_dx", t), [&] { return g.dx; });
    run(with("lstm_layer_dw", t), [&] { return g.dw_hh; });
    const Array gates = input(dims({5, 28}), t);
    const LstmCell lstm = lstm_cell(gates, c0);
    run(with("lstm_cell", t), [&] { return lstm.h; });
    const LstmCellGradients back = lstm_cell_backward(&h0, nullptr, lstm.activated, c0, lstm.c);
    run(with("lstm_cell_backward", t), [&] { return back.dgates; });
    run(with("lstm_cell_backward_dc", t), [&] { return back.dc; });
    const Array a = input(dims({5, 21}), t), b = input(dims({5, 21}), t);
    const GruCell cell = gru_cell(a, b, h0);
    run(with("gru_cell", t), [&] { return cell.h; });
    run(with("gru_cell_backward", t), [&] { return gru_cell_backward(h0, cell.saved, c0).dh; });
  }
}

}  // namespace
}  // namespace norch

int main() {
  using namespace norch;
  set_num_threads(2);
  for (const Layout each :
       {Layout::kRowMajor, Layout::kColumnMajor, Layout::kGaps, Layout::kBackwards}) {
    layout = each;
    next_seed = 0;
    for (void (*family)() :
         {&elementwise, &transposed_sum, &copies, &activations, &reductions, &products, &softmaxes,
          &convolutions, &pools, &pools_of_volumes, &normalisations, &indexing, &random_numbers,
          &optimizers, &more_optimizers, &attentions, &recurrent}) {
      family();
    }
  }
}
