// uniform, normal, randint, randperm, bernoulli; and philox itself, for the tests.
#include "bindings/python.h"
#include "kernels/philox.h"
#include "ops/random.h"

namespace norch {
namespace {

// Elements asked for, however absurd the shape; the door itself reports what is wrong with it.
int64_t size_of(const Dims& shape) {
  double n = 1;
  for (const int64_t size : shape) n *= static_cast<double>(size);
  return n < 1e15 ? static_cast<int64_t>(n) : 0;
}

py::tuple philox_block(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key0,
                       uint32_t key1) {
  const philox::Block block = philox::philox4x32(philox::Block{{a, b, c, d}}, key0, key1);
  return py::make_tuple(block.word[0], block.word[1], block.word[2], block.word[3]);
}

}  // namespace

void bind_random(py::module_& m) {
  using py::arg;
  m.def(
      "uniform",
      [](const Dims& shape, double low, double high, DType dtype, uint64_t seed, uint64_t offset) {
        return without_gil(size_of(shape),
                           [&] { return uniform(shape, low, high, dtype, seed, offset); });
      },
      "Uniform numbers in [low, high).", arg("shape"), arg("low"), arg("high"), arg("dtype"),
      arg("seed"), arg("offset"));
  m.def(
      "normal",
      [](const Dims& shape, double mean, double std, DType dtype, uint64_t seed, uint64_t offset) {
        return without_gil(size_of(shape),
                           [&] { return normal(shape, mean, std, dtype, seed, offset); });
      },
      "Normal numbers (Box-Muller).", arg("shape"), arg("mean"), arg("std"), arg("dtype"),
      arg("seed"), arg("offset"));
  m.def(
      "randint",
      [](const Dims& shape, int64_t low, int64_t high, uint64_t seed, uint64_t offset) {
        return without_gil(size_of(shape), [&] { return randint(shape, low, high, seed, offset); });
      },
      "Whole numbers low ... high - 1 as int64, without bias.", arg("shape"), arg("low"),
      arg("high"), arg("seed"), arg("offset"));
  m.def(
      "randperm",
      [](int64_t n, uint64_t seed, uint64_t offset) {
        return without_gil(n, [&] { return randperm(n, seed, offset); });
      },
      "The numbers 0 ... n - 1 in random order (Fisher-Yates).", arg("n"), arg("seed"),
      arg("offset"));
  m.def(
      "bernoulli",
      [](const Dims& shape, double p, DType dtype, uint64_t seed, uint64_t offset) {
        return without_gil(size_of(shape),
                           [&] { return bernoulli(shape, p, dtype, seed, offset); });
      },
      "1 with probability p, else 0.", arg("shape"), arg("p"), arg("dtype"), arg("seed"),
      arg("offset"));
  m.def("philox4x32", &philox_block,
        "The four words of one Philox4x32-10 block, from a counter of four and a key of two.");
}

}  // namespace norch
