// Merging dimensions and walking over what is left.
#include "core/plan.h"

#include <algorithm>
#include <cstdlib>

#include "core/thread_pool.h"

namespace norch {
namespace {

void swap_dims(Plan& p, int i, int j) {
  std::swap(p.shape[i], p.shape[j]);
  for (int k = 0; k < p.num_operands; ++k) std::swap(p.steps[k][i], p.steps[k][j]);
}

// Outermost the dimension over which operand 0 strides widest; ties keep their order.
void sort_dims(Plan& p) {
  for (int i = 1; i < p.ndim; ++i) {
    for (int j = i; j > 0 && std::abs(p.steps[0][j - 1]) < std::abs(p.steps[0][j]); --j) {
      swap_dims(p, j - 1, j);
    }
  }
}

// Two neighbours are one loop when, for every operand, the outer step continues the inner one.
bool merges(const Plan& p, int outer, int inner) {
  for (int k = 0; k < p.num_operands; ++k) {
    if (p.steps[k][outer] != p.steps[k][inner] * p.shape[inner]) return false;
  }
  return true;
}

void merge_dims(Plan& p) {
  int last = 0;
  for (int i = 1; i < p.ndim; ++i) {
    if (merges(p, last, i)) {
      p.shape[last] *= p.shape[i];
    } else {
      p.shape[++last] = p.shape[i];
    }
    for (int k = 0; k < p.num_operands; ++k) p.steps[k][last] = p.steps[k][i];
  }
  p.ndim = last + 1;
}

}  // namespace

Plan make_plan(const Array* const* operands, int num_operands) {
  Plan p;
  p.num_operands = num_operands;
  p.numel = operands[0]->numel;
  bool all_contiguous = true;
  for (int k = 0; k < num_operands; ++k) {
    p.data[k] = operands[k]->bytes();
    all_contiguous &= operands[k]->contiguous;
  }
  if (all_contiguous) {  // the common case, and the fast one
    p.ndim = 1;
    p.shape[0] = p.numel;
    for (int k = 0; k < num_operands; ++k) p.steps[k][0] = operands[k]->itemsize();
    return p;
  }
  for (int i = 0; i < operands[0]->ndim; ++i) {
    if (operands[0]->shape[i] == 1) continue;
    p.shape[p.ndim] = operands[0]->shape[i];
    for (int k = 0; k < num_operands; ++k) {
      p.steps[k][p.ndim] = operands[k]->strides[i] * operands[k]->itemsize();
    }
    ++p.ndim;
  }
  if (p.ndim == 0) {
    p.ndim = 1;
    p.shape[0] = p.numel;
    for (int k = 0; k < num_operands; ++k) p.steps[k][0] = operands[k]->itemsize();
    return p;
  }
  if (!operands[0]->contiguous) sort_dims(p);
  merge_dims(p);
  return p;
}

void insert_single(Plan& p, int k, char* element) {
  for (int j = p.num_operands++; j > k; --j) {
    p.data[j] = p.data[j - 1];
    std::copy_n(p.steps[j - 1], p.ndim, p.steps[j]);
  }
  p.data[k] = element;
  std::fill_n(p.steps[k], p.ndim, 0);
}

void walk_range(const Plan& p, RowFn row, const void* context, int64_t begin, int64_t end) {
  const int inner = p.ndim - 1;
  int64_t index[kMaxDims];
  char* data[kMaxOperands];
  std::copy_n(p.data, p.num_operands, data);
  int64_t rest = begin;
  for (int i = inner; i >= 0; --i) {
    index[i] = rest % p.shape[i];
    rest /= p.shape[i];
    for (int k = 0; k < p.num_operands; ++k) data[k] += index[i] * p.steps[k][i];
  }
  int64_t step[kMaxOperands];
  for (int k = 0; k < p.num_operands; ++k) step[k] = p.steps[k][inner];
  while (begin < end) {
    const int64_t n = std::min(p.shape[inner] - index[inner], end - begin);
    row(data, step, n, context);
    begin += n;
    for (int k = 0; k < p.num_operands; ++k) data[k] -= index[inner] * step[k];
    index[inner] = 0;
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
  }
}

void walk(const Plan& p, RowFn row, const void* context, int64_t grain) {
  if (p.numel == 0) return;
  if (p.ndim == 1 && p.numel <= grain) {
    int64_t step[kMaxOperands];
    for (int k = 0; k < p.num_operands; ++k) step[k] = p.steps[k][0];
    return row(p.data, step, p.numel, context);
  }
  parallel_for(p.numel, grain,
               [&](int64_t begin, int64_t end) { walk_range(p, row, context, begin, end); });
}

}  // namespace norch
