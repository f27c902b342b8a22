// uniform, normal, randint, randperm, bernoulli; and philox itself, for the tests.
#include "bindings/operation.h"
#include "kernels/philox.h"
#include "ops/random.h"

namespace norch {
namespace {
// The binding that Python calls as randperm; the GIL is let go for long ones.
Array randperm_of(int64_t n, uint64_t seed, uint64_t offset) {
  return without_gil(static_cast<double>(n), [&] { return randperm(n, seed, offset); });
}

using Words = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

// The binding that Python calls as philox4x32, for the tests.
Words philox_block(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key0, uint32_t key1) {
  const philox::Block block = philox::philox4x32(philox::Block{{a, b, c, d}}, key0, key1);
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}
}  // namespace

// The random numbers, as rows that become Python functions.
Table random_table() {
  static const Operation rows[] = {
      {"uniform(shape, low, high, dtype, seed, offset)", &uniform,
       "Uniform numbers in [low, high)."},
      {"normal(shape, mean, std, dtype, seed, offset)", &normal, "Normal numbers (Box-Muller)."},
      {"randint(shape, low, high, seed, offset)", &randint,
       "Whole numbers low ... high - 1 as int64, without bias."},
      {"randperm(n, seed, offset)", &randperm_of,
       "The numbers 0 ... n - 1 in random order (Fisher-Yates).", kHoldsGil},
      {"bernoulli(shape, p, dtype, seed, offset)", &bernoulli, "1 with probability p, else 0."},
      {"philox4x32(a, b, c, d, key0, key1)", &philox_block,
       "The four words of one Philox4x32-10 block, from a counter of four and a key of two."},
  };
  return rows;
}
}  // namespace norch
