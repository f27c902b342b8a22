// The conversion of blocks around a row; operands with gaps are gathered on the way.
#include "ops/convert_walk.h"

#include <algorithm>

#include "kernels/copy.h"

namespace norch {
namespace {

constexpr int64_t kBlock = 1024;

struct Conversion {
  RowFn row;
  const void* context;
  int count;
  RowFn cast[kMaxOperands];     // null where the operand is stored as the row wants it
  int64_t width[kMaxOperands];  // bytes of one element as the row wants it
  bool gathers[kMaxOperands];   // cast only where elements do not stand side by side

  bool passes(int k, const int64_t* step) const {
    return cast[k] == nullptr || (gathers[k] && step[k] == width[k]);
  }
};

// One block: operand 0 is written, the others are read. An operand that stands still is converted
// once and stands still in the buffer too.
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

void convert_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& c = *static_cast<const Conversion*>(context);
  for (int64_t start = 0; start < n; start += kBlock) {
    char* at[kMaxOperands];
    for (int k = 0; k < c.count; ++k) at[k] = data[k] + start * step[k];
    convert_block(c, at, step, std::min(kBlock, n - start));
  }
}

// Rows are written for elements side by side: they take others one by one. Where that is costly, it
// pays to gather them first. For a cheap row it pays only if vectors gather, every second element,
// and not from memory: there a plain loop, which reads and writes at once, is as fast.
bool is_worth_gathering(const Plan& p, int k, int64_t grain) {
  constexpr int64_t kFewest = 32, kCheap = 1 << 15, kCached = 1 << 22;
  const int inner = p.ndim - 1;
  const int64_t step = p.steps[k][inner], size = p.itemsize[k];
  if (p.shape[inner] < kFewest || step == 0 || step == size) return false;
  return grain < kCheap || (step == 2 * size && p.numel * size <= kCached);
}

}  // namespace

void walk_converting(const Plan& plan, const DType* stored, const DType* computed, RowFn row,
                     const void* context, int64_t grain) {
  const int count = plan.num_operands;
  Conversion c{row, context, count, {}, {}, {}};
  bool any = false;
  for (int k = 0; k < count; ++k) {
    c.width[k] = itemsize_of(computed[k]);
    c.gathers[k] = k > 0 && stored[k] == computed[k] && is_worth_gathering(plan, k, grain);
    if (stored[k] == computed[k] && !c.gathers[k]) continue;
    any = true;
    const int from = static_cast<int>(stored[k]), to = static_cast<int>(computed[k]);
    c.cast[k] = kernels<CopyTable>().row[k == 0 ? from : to][k == 0 ? to : from];
  }
  if (!any) return walk(plan, row, context, grain);
  walk(plan, &convert_row, &c, grain);
}

}  // namespace norch
