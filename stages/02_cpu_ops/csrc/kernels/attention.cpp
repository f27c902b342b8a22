// The scores of one head are an L x S matrix; it is never made. A block of queries meets the keys
// one block after the other (FlashAttention): the scores of a block live in scratch memory of fixed
// size, the output is a running sum, and when a later block brings a larger maximum, what was
// summed so far is scaled down to it. Backward makes the blocks again from the logsumexp.
// A head's keys and values are packed once (packed.h) for all its blocks of queries.
// A query that may look at nothing gets the output 0, as PyTorch's.
#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/thread_pool.h"
#include "kernels/math.h"
#include "kernels/packed.h"

namespace norch {
namespace {
constexpr int64_t kQueries = 64, kKeys = 512;  // of one block: 128 KiB of float32 scores
constexpr int kWide = 32;                      // a row of scores is worked on in blocks of so many
constexpr int64_t kGrain = 1 << 15;            // scores: below, waking a thread does not pay

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// The columns of a row of scores, filled up to whole blocks.
int64_t round_up(int64_t n) { return (n + kWide - 1) / kWide * kWide; }
// For attention's kernels: the rows of an array's matrices.
int64_t rows_of(const Array& a) { return a.shape[a.ndim - 2]; }
// For attention's kernels: the columns of an array's matrices.
int64_t cols_of(const Array& a) { return a.shape[a.ndim - 1]; }

// One head's matrix of a batch.
template <class T>
MatrixView<T> matrix_of(const Array& a, int64_t item) {
  return {a.data<T>() + outer_start(a, a.ndim - 2, item), rows_of(a), cols_of(a),
          a.strides[a.ndim - 2], a.strides[a.ndim - 1]};
}

template <class T>
T* pointer_to(const MatrixView<T>& a, int64_t row) {  // of a matrix that we own
  return const_cast<T*>(a.at(row, 0));
}

// Queries first..first+rows against keys begin..begin+cols, and the room for their scores.
template <class T>
struct Block {
  int64_t first, rows, begin, cols;
  T* scores;  // (rows, width)
  int64_t width;

  T* row(int64_t r) const { return scores + r * width; }
  MatrixView<T> matrix() const { return {scores, rows, cols, width, 1}; }
};

template <class T>
struct Mask {
  const Bool* allowed = nullptr;  // one of the two, or neither
  const T* added = nullptr;
  int64_t row_stride = 0, col_stride = 0;

  Mask(const Array* mask, int64_t item) {
    if (mask == nullptr) return;
    const int64_t start = outer_start(*mask, mask->ndim - 2, item);
    if (mask->dtype == DType::kBool)
      allowed = mask->data<Bool>() + start;
    else
      added = mask->data<T>() + start;
    row_stride = mask->strides[mask->ndim - 2];
    col_stride = mask->strides[mask->ndim - 1];
  }

  void apply(T* x, int64_t n, int64_t row, int64_t begin) const {
    const int64_t start = row * row_stride + begin * col_stride, step = col_stride;
    if (allowed != nullptr) {
      const Bool* m = allowed + start;
      for (int64_t j = 0; j < n; ++j) x[j] = m[j * step] ? x[j] : -kInfinity<T>;
    } else if (added != nullptr) {
      const T* m = added + start;
      if (step == 1) {
        for (int64_t j = 0; j < n; ++j) x[j] += m[j];
      } else {
        for (int64_t j = 0; j < n; ++j) x[j] += m[j * step];
      }
    }
  }
};

// The masked scores of a block; what a row may not see, and what fills it up to its width, is
// -infinity, whose exp adds nothing.
template <class T>
void fill_scores(const Block<T>& b, const MatrixView<T>& q, const Packed<T>& k_columns,
                 const Mask<T>& mask, bool is_causal, T scale) {
  k_columns.multiply_columns(q.row_range(b.first, b.rows), b.begin, b.cols, b.scores, b.width);
  for (int64_t r = 0; r < b.rows; ++r) {
    T* x = b.row(r);
    const int64_t i = b.first + r;
    const int64_t seen = is_causal ? std::clamp<int64_t>(i + 1 - b.begin, 0, b.cols) : b.cols;
    for (int64_t j = 0; j < seen; ++j) x[j] *= scale;
    mask.apply(x, seen, i, b.begin);
    for (int64_t j = seen; j < b.width; ++j) x[j] = -kInfinity<T>;
  }
}

// The largest score of a row, in lanes of vectors.
template <class T>
T max_of(const T* x, int64_t width) {
  T most[kWide];
  for (int j = 0; j < kWide; ++j) most[j] = -kInfinity<T>;
  for (int64_t i = 0; i < width; i += kWide) {
    for (int j = 0; j < kWide; ++j) most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
  }
  for (int half = kWide / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) most[j] = most[j] > most[j + half] ? most[j] : most[j + half];
  }
  return most[0];
}

// The sum of the lanes of a row of scores.
template <class T>
T sum_of(T* lanes) {
  for (int half = kWide / 2; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  return lanes[0];
}

// x = exp(x - shift); returns the sum.
template <class T>
T exponentiate(T* x, int64_t width, T shift) {
  T sums[kWide] = {};
  for (int64_t i = 0; i < width; i += kWide) {
    for (int j = 0; j < kWide; ++j) {
      x[i + j] = math::exp(x[i + j] - shift);
      sums[j] += x[i + j];
    }
  }
  return sum_of(sums);
}

// One block's step of the running softmax: `most` and `sum` of each row as far as seen, and the
// rows of out scaled to the new maximum.
template <class T>
void soften(const Block<T>& b, T* most, T* sum, T* out, int64_t ldo, int64_t n) {
  for (int64_t r = 0; r < b.rows; ++r) {
    T* x = b.row(r);
    const T peak = std::max(most[r], max_of(x, b.width));
    const T shift = peak == -kInfinity<T> ? T(0) : peak;  // -inf - -inf is NaN
    const T fade = math::exp(most[r] - shift);
    sum[r] = sum[r] * fade + exponentiate(x, b.width, shift);
    most[r] = peak;
    if (b.begin == 0 || fade == T(1)) continue;
    for (int64_t j = 0; j < n; ++j) out[r * ldo + j] *= fade;
  }
}

// Divides the rows of attention's output by their sums; their logsumexp.
template <class T>
void finish(int64_t rows, const T* most, const T* sum, T* out, int64_t ldo, int64_t n, T* lse) {
  for (int64_t r = 0; r < rows; ++r) {
    const bool saw_nothing = most[r] == -kInfinity<T> && sum[r] == T(0);
    const T share = saw_nothing ? T(0) : 1 / sum[r];
    lse[r] = saw_nothing ? -kInfinity<T> : most[r] + std::log(sum[r]);
    for (int64_t j = 0; j < n; ++j) out[r * ldo + j] *= share;
  }
}

template <class T>
struct Problem {
  MatrixView<T> q, k, v;
  Mask<T> mask;
  bool is_causal;
  T scale;

  Problem(const AttentionInput& in, int64_t item)
      : q(matrix_of<T>(in.q, item)),
        k(matrix_of<T>(in.k, item)),
        v(matrix_of<T>(in.v, item)),
        mask(in.mask, item),
        is_causal(in.is_causal),
        scale(T(in.scale)) {}

  // Keys that some query before `end` sees.
  int64_t keys_seen(int64_t end) const { return is_causal ? std::min(k.rows, end) : k.rows; }
};

// Queries first..first+rows of one head from begin to end.
template <class T>
void attend(const Problem<T>& p, const Packed<T>& k_columns, const Packed<T>& v, int64_t first,
            int64_t rows, T* scores, T* out, int64_t ldo, T* lse) {
  const int64_t seen = p.keys_seen(first + rows), n = p.v.cols;
  T most[kQueries], sum[kQueries] = {};
  std::fill_n(most, rows, -kInfinity<T>);
  if (seen == 0) {
    for (int64_t r = 0; r < rows; ++r) std::fill_n(out + r * ldo, n, T(0));
  }
  for (int64_t begin = 0; begin < seen; begin += kKeys) {
    const int64_t cols = std::min(kKeys, seen - begin);
    const Block<T> b{first, rows, begin, cols, scores, round_up(cols)};
    fill_scores(b, p.q, k_columns, p.mask, p.is_causal, p.scale);
    soften(b, most, sum, out, ldo, n);
    v.multiply(b.matrix(), out, ldo, begin > 0, begin);
  }
  finish(rows, most, sum, out, ldo, n, lse);
}

// How many heads a batch has.
int64_t items_of(const Array& q) {
  int64_t items = 1;
  for (int i = 0; i < q.ndim - 2; ++i) items *= q.shape[i];
  return items;
}

// Blocks group, group + groups, ... of one head's queries: they share its packed keys and values,
// and under a causal mask every group has short and long blocks.
template <class T>
void attend_group(const AttentionInput& in, int64_t item, int64_t group, int64_t groups, Array& out,
                  Array& logsumexp) {
  const Problem<T> p(in, item);
  const int64_t queries = p.q.rows, keys = p.keys_seen(queries);
  const Packed<T> k_columns(p.k.row_range(0, keys).transposed()), v(p.v.row_range(0, keys));
  const Room<T> room(kQueries * round_up(std::min(keys, kKeys)));
  const MatrixView<T> o = matrix_of<T>(out, item);
  for (int64_t first = group * kQueries; first < queries; first += groups * kQueries) {
    attend(p, k_columns, v, first, std::min(kQueries, queries - first), room.data(),
           pointer_to(o, first), o.row_stride, logsumexp.data<T>() + item * queries + first);
  }
}

// The kernel of attention: blocks of queries of all heads, in parallel.
void attention(const AttentionInput& in, Array& out, Array& logsumexp) {
  const int64_t queries = rows_of(in.q), items = items_of(in.q), threads = get_num_threads();
  if (logsumexp.numel == 0) return;
  const int64_t blocks = (queries + kQueries - 1) / kQueries;
  const int64_t groups = items >= threads ? 1 : std::min(blocks, 2 * threads);
  const int64_t work = (queries / groups + 1) * (rows_of(in.k) + 1);
  visit_floating(in.q.dtype, "scaled_dot_product_attention", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, kGrain / work);
    parallel_for(items * groups, grain, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        attend_group<T>(in, task / groups, task % groups, groups, out, logsumexp);
      }
    });
  });
}

// Backward, with P the probabilities, made again as exp(scores - logsumexp):
//   dv = P^T grad,  dP = grad v^T,  dS = scale P (dP - D),  dq = dS k,  dk = dS^T q
// where D = sum(P dP) over a row = sum(grad out) over the same row.
template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sums[kWide] = {};
  int64_t j = 0;
  for (; j + kWide <= n; j += kWide) {
    for (int k = 0; k < kWide; ++k) sums[k] += x[j + k] * y[j + k];
  }
  for (int k = 0; j < n; ++j, ++k) sums[k] += x[j] * y[j];
  return sum_of(sums);
}

template <class T>
void to_probabilities(const Block<T>& b, const T* lse) {  // scores -> probabilities
  for (int64_t r = 0; r < b.rows; ++r) {
    const T shift = lse[b.first + r] == -kInfinity<T> ? T(0) : lse[b.first + r];
    T* x = b.row(r);
    for (int64_t j = 0; j < b.width; ++j) x[j] = math::exp(x[j] - shift);
  }
}

template <class T>
void score_gradients(const Block<T>& b, const T* delta, T scale, T* ds) {  // dP -> dS
  for (int64_t r = 0; r < b.rows; ++r) {
    const T *p = b.row(r), d = delta[b.first + r];
    T* x = ds + r * b.width;
    for (int64_t j = 0; j < b.cols; ++j) x[j] = p[j] * (x[j] - d) * scale;
  }
}

template <class T>
struct Gradients {
  MatrixView<T> out, dq, dk, dv;  // of the output, and what is to be found
};

// What all blocks of a head share.
template <class T>
struct PackedHead {
  Packed<T> k_columns, v_columns, k, q, grad;

  PackedHead(const Problem<T>& p, const MatrixView<T>& g, int64_t keys)
      : k_columns(p.k.row_range(0, keys).transposed()),
        v_columns(p.v.row_range(0, keys).transposed()),
        k(p.k.row_range(0, keys)),
        q(p.q),
        grad(g) {}
};

// What one block of scores adds to dq, dk and dv.
template <class T>
void block_gradients(const Problem<T>& p, const PackedHead<T>& packed, const Gradients<T>& g,
                     const Block<T>& b, const T* lse, const T* delta, T* ds) {
  const MatrixView<T> grad = g.out.row_range(b.first, b.rows);
  fill_scores(b, p.q, packed.k_columns, p.mask, p.is_causal, p.scale);
  to_probabilities(b, lse);
  packed.grad.multiply(b.matrix().transposed(), pointer_to(g.dv, b.begin), g.dv.row_stride, true,
                       b.first);
  packed.v_columns.multiply_columns(grad, b.begin, b.cols, ds, b.width);
  score_gradients(b, delta, p.scale, ds);
  const MatrixView<T> d{ds, b.rows, b.cols, b.width, 1};
  packed.k.multiply(d, pointer_to(g.dq, b.first), g.dq.row_stride, true, b.begin);
  packed.q.multiply(d.transposed(), pointer_to(g.dk, b.begin), g.dk.row_stride, true, b.first);
}

// The gradients of one head of attention, block by block.
template <class T>
void head_gradients(const Problem<T>& p, const Gradients<T>& g, const MatrixView<T>& out,
                    const T* lse) {
  const int64_t queries = p.q.rows, keys = p.keys_seen(queries);
  const int64_t size = kQueries * round_up(std::min(keys, kKeys));
  const Room<T> room(2 * size + queries);
  T *scores = room.data(), *ds = scores + size, *delta = ds + size;
  const PackedHead<T> packed(p, g.out, keys);
  for (int64_t i = 0; i < queries; ++i) delta[i] = dot(g.out.at(i, 0), out.at(i, 0), out.cols);
  for (int64_t begin = 0; begin < keys; begin += kKeys) {
    for (int64_t first = p.is_causal ? begin : 0; first < queries; first += kQueries) {
      const int64_t rows = std::min(kQueries, queries - first);
      const int64_t cols = std::min(kKeys, p.keys_seen(first + rows) - begin);
      const Block<T> b{first, rows, begin, cols, scores, round_up(cols)};
      block_gradients(p, packed, g, b, lse, delta, ds);
    }
  }
}

// The kernel of attention's gradient: head by head, in parallel.
void attention_backward(const Array& grad, const AttentionInput& in, const Array& out,
                        const Array& logsumexp, Array& dq, Array& dk, Array& dv) {
  const int64_t queries = rows_of(in.q), items = items_of(in.q);
  if (logsumexp.numel == 0) return;
  visit_floating(in.q.dtype, "scaled_dot_product_attention_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const Gradients<T> g{matrix_of<T>(grad, item), matrix_of<T>(dq, item),
                             matrix_of<T>(dk, item), matrix_of<T>(dv, item)};
        head_gradients(Problem<T>(in, item), g, matrix_of<T>(out, item),
                       logsumexp.data<T>() + item * queries);
      }
    };
    if (items < get_num_threads()) return work(0, items);  // the threads share each product
    parallel_for(items, std::max<int64_t>(1, kGrain / (queries * (rows_of(in.k) + 1))), work);
  });
}
}  // namespace

template <>
const AttentionTable& table<AttentionTable, kIsa>() {
  static constexpr AttentionTable t{&attention, &attention_backward};
  return t;
}
}  // namespace norch
