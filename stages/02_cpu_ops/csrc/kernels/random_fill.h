// Ranges of random numbers, many at a time; the rule they follow is stated in philox.h.
// Included by random.cpp only; never sees an Array.
// A batch of kBatch words is computed side by side (the compiler makes vectors of the loops), then
// turned into numbers; every range begins inside some batch, so that slices of a stream agree.
#pragma once

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/math.h"
#include "kernels/philox.h"

namespace norch {
namespace {
constexpr int kQuads = 32, kBatch = 4 * kQuads;

// words[i] = word(4 quad + i, lane) for one batch: philox4x32 of philox.h, one array per word.
void batch_words(uint64_t seed, uint64_t quad, uint32_t lane, uint32_t* words) {
  uint32_t a[kQuads], b[kQuads], c[kQuads], d[kQuads];
  for (int i = 0; i < kQuads; ++i) {
    a[i] = uint32_t(quad + uint64_t(i));
    b[i] = uint32_t((quad + uint64_t(i)) >> 32);
    c[i] = lane;
    d[i] = 0;
  }
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < philox::kRounds; ++round) {
    // ex 2.7 begin
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
    // ex 2.7 end
  }
  for (int i = 0; i < kQuads; ++i) {
    words[4 * i] = a[i];
    words[4 * i + 1] = b[i];
    words[4 * i + 2] = c[i];
    words[4 * i + 3] = d[i];
  }
}

// words[i] = word64(4 quad + i, lane).
void batch_words(uint64_t seed, uint64_t quad, uint32_t lane, uint64_t* words) {
  uint32_t high[kBatch], low[kBatch];
  batch_words(seed, quad, 2 * lane, high);
  batch_words(seed, quad, 2 * lane + 1, low);
  for (int i = 0; i < kBatch; ++i) words[i] = uint64_t(high[i]) << 32 | low[i];
}

// out[i] = numbers at position first + i.  `convert(words, quad, numbers)` handles one whole batch.
template <class Word, class T, class Convert>
void fill_range(uint64_t seed, uint64_t first, int64_t count, T* out, Convert convert) {
  Word words[kBatch];
  T numbers[kBatch];
  int64_t skip = int64_t(first % 4);
  for (uint64_t quad = first / 4; count > 0; quad += kQuads, skip = 0) {
    batch_words(seed, quad, 0, words);
    convert(words, quad, numbers);
    const int64_t take = kBatch - skip < count ? kBatch - skip : count;
    std::memcpy(out, numbers + skip, size_t(take) * sizeof(T));
    out += take;
    count -= take;
  }
}

// low + (high - low) u, which rounding may lift to high itself: that value is taken back to low.
template <class T, class Word>
void fill_uniform(uint64_t seed, uint64_t first, int64_t count, double low, double high, T* out) {
  const T start = T(low), range = T(high - low), end = T(high);
  fill_range<Word>(seed, first, count, out, [=](const Word* words, uint64_t, T* numbers) {
    for (int i = 0; i < kBatch; ++i) {
      const T value = start + range * philox::to_uniform(words[i]);
      numbers[i] = value < end ? value : start;
    }
  });
}

// cos and sin of 2 pi word / 2^32.  The word itself says which quarter turn it is in, exactly.
void cos_sin_turn(uint32_t word, float& cosine, float& sine) {
  const uint32_t quarter = (word + (1u << 29)) >> 30;
  const float x = float(int32_t(word - (quarter << 30))) * 1.46291807926715968e-9f;
  const float z = x * x;
  const float s = x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
  const float c =
      1.0f - 0.5f * z +
      z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  const float even = quarter & 1 ? s : c, odd = quarter & 1 ? c : s;
  cosine = (quarter + 1) & 2 ? -even : even;
  sine = quarter & 2 ? -odd : odd;
}

// Normal numbers in float32 by Box-Muller.
void fill_normal(uint64_t seed, uint64_t first, int64_t count, double mean, double std,
                 float* out) {
  const float shift = float(mean), scale = float(std);
  fill_range<uint32_t>(
      seed, first, count, out, [=](const uint32_t* words, uint64_t, float* numbers) {
        for (int i = 0; i < kBatch; i += 2) {
          const float u = (float(int32_t(words[i] >> 1)) + 0.5f) * (1.0f / 2147483648.0f);
          const float radius = std::sqrt(-2.0f * math::log(u));
          float cosine, sine;
          cos_sin_turn(words[i + 1], cosine, sine);
          numbers[i] = shift + scale * (radius * cosine);
          numbers[i + 1] = shift + scale * (radius * sine);
        }
      });
}

// Normal numbers in float64 by Box-Muller.
void fill_normal(uint64_t seed, uint64_t first, int64_t count, double mean, double std,
                 double* out) {
  constexpr double kTurn = 6.283185307179586476925;
  fill_range<uint64_t>(
      seed, first, count, out, [=](const uint64_t* words, uint64_t, double* numbers) {
        for (int i = 0; i < kBatch; i += 2) {
          const double u = (double(words[i] >> 11) + 0.5) * (1.0 / 9007199254740992.0);
          const double radius = std::sqrt(-2.0 * std::log(u));
          const double angle = kTurn * philox::to_uniform(words[i + 1]);
          numbers[i] = mean + std * (radius * std::cos(angle));
          numbers[i + 1] = mean + std * (radius * std::sin(angle));
        }
      });
}

// Integers low ... low + range - 1.  A batch takes lane 0; the rare rejected one goes on alone.
void fill_integers(uint64_t seed, uint64_t first, int64_t count, int64_t low, uint64_t range,
                   int64_t* out) {
  const uint64_t reject = (uint64_t(0) - range) % range;
  fill_range<uint64_t>(
      seed, first, count, out, [=](const uint64_t* words, uint64_t quad, int64_t* numbers) {
        for (int i = 0; i < kBatch; ++i) {
          const uint64_t value = words[i] >= reject
                                     ? words[i] % range
                                     : philox::below(seed, 4 * quad + uint64_t(i), range);
          numbers[i] = int64_t(uint64_t(low) + value);
        }
      });
}

// 1 where word < threshold (threshold = probability * 2^32, so 2^32 means always), else 0.
template <class T>
void fill_bernoulli(uint64_t seed, uint64_t first, int64_t count, uint64_t threshold, T* out) {
  fill_range<uint32_t>(seed, first, count, out, [=](const uint32_t* words, uint64_t, T* numbers) {
    for (int i = 0; i < kBatch; ++i) numbers[i] = T(words[i] < threshold);
  });
}
}  // namespace
}  // namespace norch
