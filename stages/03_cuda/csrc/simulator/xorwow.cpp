// Skipping ahead in XORWOW: its step is linear over single bits, so n steps are one matrix.
//
// curand_kernel.h calls this. The matrices of 1, 2, 4, 8, ... steps are made when they are first
// needed, each from the one before.
#include <array>
#include <deque>
#include <mutex>

#include "simulator.h"

namespace norch_sim {
namespace {
constexpr unsigned kBits = 160;  // of the five words that a step shifts
using Words = std::array<uint32_t, 5>;
using Matrix = std::array<Words, kBits>;  // what becomes of each single bit

// Marsaglia's step, without the counter that is added to the outcome.
Words step(const Words& v) {
  uint32_t t = v[0] ^ v[0] >> 2;
  return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

Words multiply(const Matrix& matrix, const Words& words) {
  Words sum{};
  for (unsigned bit = 0; bit < kBits; bit++) {
    if (!(words[bit / 32] >> bit % 32 & 1)) continue;
    for (unsigned i = 0; i < 5; i++) sum[i] ^= matrix[bit][i];
  }
  return sum;
}

Matrix first_matrix() {
  Matrix matrix{};
  for (unsigned bit = 0; bit < kBits; bit++) {
    Words one{};
    one[bit / 32] = 1u << bit % 32;
    matrix[bit] = step(one);
  }
  return matrix;
}

// The matrix of 2^power steps.
const Matrix& matrix_of(unsigned power) {
  static std::mutex mutex;
  static std::deque<Matrix> made = {first_matrix()};
  std::lock_guard<std::mutex> lock(mutex);
  while (made.size() <= power) {
    const Matrix& last = made.back();
    Matrix twice{};
    for (unsigned bit = 0; bit < kBits; bit++) twice[bit] = multiply(last, last[bit]);
    made.push_back(twice);
  }
  return made[power];
}
}  // namespace

void skip_xorwow(uint32_t* state, uint64_t count, unsigned power) {
  Words words{state[0], state[1], state[2], state[3], state[4]};
  for (; count != 0; count >>= 1, power++) {
    if (count & 1) words = multiply(matrix_of(power), words);
  }
  for (unsigned i = 0; i < 5; i++) state[i] = words[i];
}
}  // namespace norch_sim
