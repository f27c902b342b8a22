// The table of transposes; transpose_block.h does the work.
#include "core/transpose.h"

#include "core/transpose_block.h"

namespace norch {
namespace {
// Turns a block of a matrix over, whose elements are as large as T.
template <class T>
void block(char* out, const char* in, int64_t step, int64_t rows, int64_t lines) {
  transpose_block(reinterpret_cast<T*>(out), lines, in, step, rows, lines);
}
}  // namespace

template <>
const TransposeTable& table<TransposeTable, kIsa>() {
  static constexpr TransposeTable t{
      {&block<uint8_t>, &block<uint16_t>, &block<uint32_t>, &block<uint64_t>}};
  return t;
}
}  // namespace norch
