// Merging dimensions and walking over what is left.
#include "core/plan.h"

#include <algorithm>
#include <cstdlib>

#include "core/thread_pool.h"
#include "core/transpose.h"

namespace norch {
namespace {
// Exchanges two dims of a plan.
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

// The loops over some arrays of one shape, as few as their strides allow.
Plan make_plan(const Array* const* operands, int num_operands) {
  Plan p;
  p.num_operands = num_operands;
  p.numel = operands[0]->numel;
  bool all_contiguous = true;
  for (int k = 0; k < num_operands; ++k) {
    p.data[k] = operands[k]->bytes();
    p.itemsize[k] = operands[k]->itemsize();
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

// One element becomes an operand of the plan.
void insert_single(Plan& p, int k, char* element) {
  for (int j = p.num_operands++; j > k; --j) {
    p.data[j] = p.data[j - 1];
    p.itemsize[j] = p.itemsize[j - 1];
    std::copy_n(p.steps[j - 1], p.ndim, p.steps[j]);
  }
  p.data[k] = element;
  std::fill_n(p.steps[k], p.ndim, 0);
}

namespace {
// `rows` whole rows, one below the other; the pointers end on the last one. Short rows spend their
// time between rows, so the number of operands is known to the compiler.
template <int N>
void walk_rows(char** data, const int64_t* step, const int64_t* down, int64_t n, int64_t rows,
               RowFn row, const void* context) {
  row(data, step, n, context);
  while (--rows > 0) {
    for (int k = 0; k < N; ++k) data[k] += down[k];
    row(data, step, n, context);
  }
}

using RowsFn = void (*)(char**, const int64_t*, const int64_t*, int64_t, int64_t, RowFn,
                        const void*);
constexpr RowsFn kWalkRows[kMaxOperands + 1] = {nullptr,       &walk_rows<1>, &walk_rows<2>,
                                                &walk_rows<3>, &walk_rows<4>, &walk_rows<5>};
}  // namespace

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
  int64_t step[kMaxOperands], down[kMaxOperands];
  for (int k = 0; k < p.num_operands; ++k) {
    step[k] = p.steps[k][inner];
    down[k] = inner > 0 ? p.steps[k][inner - 1] : 0;
  }
  while (begin < end) {
    const int64_t n = std::min(p.shape[inner] - index[inner], end - begin);
    int64_t rows = 1;
    if (inner > 0 && n == p.shape[inner]) {
      rows = std::min(p.shape[inner - 1] - index[inner - 1], (end - begin) / n);
      index[inner - 1] += rows - 1;
    }
    kWalkRows[p.num_operands](data, step, down, n, rows, row, context);
    begin += n * rows;
    if (begin == end) return;
    for (int k = 0; k < p.num_operands; ++k) data[k] -= index[inner] * step[k];
    index[inner] = 0;
    // ex 2.1 begin
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
    // ex 2.1 end
  }
}

namespace {
// An operand that runs across the rows (b in a + b.T) would touch a new cache line per element.
// Such a plan is walked in tiles of the plane (down, inner): the tile of that operand is turned
// over into a small buffer first, reading whole lines, and the row kernel reads the buffer.
constexpr int64_t kTileRows = 32, kTileLines = 64;

struct Tiling {
  int down = -1;  // the dim along which the operands in `turned` are contiguous
  bool turned[kMaxOperands] = {};
};

// The dim along which operand k is contiguous, if that is another than the innermost.
int contiguous_dim(const Plan& p, int k) {
  const int inner = p.ndim - 1;
  if (p.steps[k][inner] == p.itemsize[k] || p.steps[k][inner] == 0) return -1;
  for (int i = 0; i < inner; ++i) {
    if (p.steps[k][i] == p.itemsize[k] && p.shape[i] >= 8 && p.shape[inner] >= 8) return i;
  }
  return -1;
}

// Which operands run across the rows and are to be turned over.
Tiling find_tiling(const Plan& p) {
  Tiling t;
  for (int k = 1; k < p.num_operands && p.ndim > 1; ++k) {
    const int dim = contiguous_dim(p, k);
    if (dim < 0 || (t.down >= 0 && dim != t.down)) continue;
    t.down = dim;
    t.turned[k] = true;
  }
  return t;
}

struct Tiles {
  const Plan& plan;
  Tiling tiling;
  int64_t row_tiles, line_tiles, planes;

  Tiles(const Plan& p, const Tiling& t) : plan(p), tiling(t) {
    const int64_t rows = p.shape[t.down], lines = p.shape[p.ndim - 1];
    row_tiles = (rows + kTileRows - 1) / kTileRows;
    line_tiles = (lines + kTileLines - 1) / kTileLines;
    planes = p.numel / (rows * lines);
  }

  int64_t count() const { return planes * line_tiles * row_tiles; }

  void run(int64_t tile, RowFn row, const void* context) const {
    const int inner = plan.ndim - 1;
    const int64_t first_row = tile % row_tiles * kTileRows;
    const int64_t first_line = tile / row_tiles % line_tiles * kTileLines;
    char* data[kMaxOperands];
    int64_t step[kMaxOperands], down[kMaxOperands];
    for (int k = 0; k < plan.num_operands; ++k) {
      step[k] = plan.steps[k][inner];
      down[k] = plan.steps[k][tiling.down];
      data[k] = plan.data[k] + first_row * down[k] + first_line * step[k];
    }
    seek(tile / row_tiles / line_tiles, data);
    const int64_t rows = std::min(kTileRows, plan.shape[tiling.down] - first_row);
    const int64_t lines = std::min(kTileLines, plan.shape[inner] - first_line);
    alignas(64) char buffer[kMaxOperands - 1][kTileRows * kTileLines * 8];
    for (int k = 1; k < plan.num_operands; ++k) {
      if (tiling.turned[k]) turn(k, buffer[k - 1], rows, lines, data[k], step[k], down[k]);
    }
    for (int64_t r = 0; r < rows; ++r) {
      row(data, step, lines, context);
      for (int k = 0; k < plan.num_operands; ++k) data[k] += down[k];
    }
  }

 private:
  void seek(int64_t plane, char** data) const {
    for (int i = plan.ndim - 2; i >= 0; --i) {
      if (i == tiling.down) continue;
      const int64_t index = plane % plan.shape[i];
      plane /= plan.shape[i];
      for (int k = 0; k < plan.num_operands; ++k) data[k] += index * plan.steps[k][i];
    }
  }

  void turn(int k, char* buffer, int64_t rows, int64_t lines, char*& data, int64_t& step,
            int64_t& down) const {
    const int size = plan.itemsize[k];
    kernels<TransposeTable>().block[__builtin_ctz(static_cast<unsigned>(size))](buffer, data, step,
                                                                                rows, lines);
    data = buffer;
    step = size;
    down = lines * size;
  }
};

// Stores past the caches reach other threads in their own time: waits for this thread's.
void finish_streams([[maybe_unused]] const Plan& p) {
#ifdef __SSE2__
  if (p.streams) __builtin_ia32_sfence();
#endif
}

// Walks a plan tile by tile, in parallel.
void walk_tiles(const Tiles& tiles, RowFn row, const void* context, int64_t grain) {
  const int64_t tiles_per_chunk = std::max<int64_t>(1, grain / (kTileRows * kTileLines));
  parallel_for(tiles.count(), tiles_per_chunk, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) tiles.run(tile, row, context);
    finish_streams(tiles.plan);
  });
}

// Some grains are over before sleeping helpers have come; two are so even if they stand by.
bool is_short(int64_t numel, int64_t grain) {
  constexpr int64_t kAwake = 2, kAsleep = 16;
  return numel <= kAwake * grain || (numel < kAsleep * grain && !pays_for_short_jobs());
}
}  // namespace

// Runs a row kernel over all elements of a plan.
void walk(const Plan& p, RowFn row, const void* context, int64_t grain) {
  if (p.numel == 0) return;
  if (is_short(p.numel, grain)) grain = p.numel;
  if (p.ndim == 1 && p.numel <= grain && !p.streams) {
    int64_t step[kMaxOperands];
    for (int k = 0; k < p.num_operands; ++k) step[k] = p.steps[k][0];
    return row(p.data, step, p.numel, context);
  }
  const Tiling tiling = find_tiling(p);
  if (tiling.down >= 0) return walk_tiles(Tiles(p, tiling), row, context, grain);
  // A row is cut where its kernel may cut it into blocks: no block is another with more threads.
  constexpr int64_t kBlock = 1024;
  const int64_t inner = p.shape[p.ndim - 1];
  const auto cut = [&](int64_t i) { return i == p.numel ? i : i - i % inner % kBlock; };
  parallel_for(p.numel, grain, [&](int64_t i, int64_t end) {
    walk_range(p, row, context, cut(i), cut(end));
    finish_streams(p);
  });
}
}  // namespace norch
