// <curand.h> for programs: generators of the host, whose numbers come to memory of the device.
//
// XORWOW deals its numbers out as cuRAND does: number n is number n / 4096 of sequence n % 4096.
// Philox, here in one sequence, and what follows a first call were not compared with a GPU.
#pragma once
#include <curand_kernel.h>
#include <device_work.h>

#include <vector>

enum curandStatus_t {
  CURAND_STATUS_SUCCESS,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE,
  CURAND_STATUS_LAUNCH_FAILURE = 201
};
typedef curandStatus_t curandStatus;
enum curandRngType_t {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
};
typedef struct curandGenerator_st {
  bool is_philox, on_host;
  unsigned long long seed = 0, offset = 0;
  cudaStream_t stream = nullptr;
}* curandGenerator_t;

inline curandStatus_t norch_curand_create(curandGenerator_t* generator, curandRngType_t type,
                                          bool on_host) {
  if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW &&
      type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st{type == CURAND_RNG_PSEUDO_PHILOX4_32_10, on_host};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return norch_curand_create(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                curandRngType_t type) {
  return norch_curand_create(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
  return generator->seed = seed, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
  return generator->offset = offset, CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return generator->stream = stream, CURAND_STATUS_SUCCESS;
}

namespace norch_sim {
// Calls put(i, state) for each of `count` numbers, or groups that one state draws together, from
// number `begin` of all on.
template <class State, class Put>
void deal(unsigned long long seed, unsigned long long begin, size_t count, size_t lanes,
          const Put& put) {
  size_t used = count < lanes ? count : lanes;
  for (size_t lane = 0; lane < used; lane++) {
    State state;
    unsigned long long first = begin + lane;
    curand_init(seed, first % lanes, first / lanes, &state);
    for (size_t i = lane; i < count; i += lanes) put(i, &state);
  }
}

template <class Put>
curandStatus_t generate(const char* name, curandGenerator_t generator, size_t count, unsigned words,
                        const Put& put, Place at) {
  curandGenerator_st one = *generator;
  auto body = [=] {
    if (one.is_philox) {
      deal<curandStatePhilox4_32_10>(one.seed, one.offset, count, 1, put);
    } else {
      deal<curandStateXORWOW>(one.seed, one.offset, count, 4096, put);
    }
  };
  generator->offset += count * words;
  if (one.on_host) return body(), CURAND_STATUS_SUCCESS;
  on_device(name, body, one.stream, at);
  return cudaPeekAtLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS
                                              : CURAND_STATUS_LAUNCH_FAILURE;
}
}  // namespace norch_sim

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t n,
                                     NORCH_AT) {
  auto put = [=](size_t i, auto* state) { out[i] = curand(state); };
  return norch_sim::generate("curandGenerate", generator, n, 1, put, at);
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n,
                                            NORCH_AT) {
  auto put = [=](size_t i, auto* state) { out[i] = curand_uniform(state); };
  return norch_sim::generate("curandGenerateUniform", generator, n, 1, put, at);
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                                  size_t n, NORCH_AT) {
  auto put = [=](size_t i, auto* state) { out[i] = curand_uniform_double(state); };
  return norch_sim::generate("curandGenerateUniformDouble", generator, n, 1, put, at);
}
// Pairs: an odd number of them is refused.
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n,
                                           float mean, float deviation, NORCH_AT) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  auto put = [=](size_t i, auto* state) {
    float2 pair = curand_normal2(state);
    out[2 * i] = mean + deviation * pair.x, out[2 * i + 1] = mean + deviation * pair.y;
  };
  return norch_sim::generate("curandGenerateNormal", generator, n / 2, 2, put, at);
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                                 double mean, double deviation, NORCH_AT) {
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  auto put = [=](size_t i, auto* state) {
    double2 pair = curand_normal2_double(state);
    out[2 * i] = mean + deviation * pair.x, out[2 * i + 1] = mean + deviation * pair.y;
  };
  return norch_sim::generate("curandGenerateNormalDouble", generator, n / 2, 2, put, at);
}
