// The atomic functions of CUDA, for the types CUDA has them for; each also as _block and _system.
//
// An operation is a struct with apply(old, value); the simulator applies it to the bytes, all or
// nothing. Everything is inlined, so that what the checker reports is the user's line. Included by
// cuda_on_cpu.h; half types add their own.
#pragma once

namespace norch_sim {

template <class T>
uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "an atomic operation takes at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class Operation, class T>
uint64_t next_bits(uint64_t old, uint64_t operand) {
  return to_bits<T>(Operation::apply(from_bits<T>(old), from_bits<T>(operand)));
}
template <class Operation, class T>
__forceinline__ T atomic(T* address, T value) {
  return from_bits<T>(atomic_update(address, sizeof(T), next_bits<Operation, T>, to_bits(value)));
}
template <class T>
__forceinline__ T atomic_cas(T* address, T expected, T desired) {
  return from_bits<T>(
      atomic_compare_exchange(address, sizeof(T), to_bits(expected), to_bits(desired)));
}

#define NORCH_OPERATION(name, expression) \
  struct name {                           \
    template <class T>                    \
    static T apply(T old, T value) {      \
      return expression;                  \
    }                                     \
  };
NORCH_OPERATION(Add, static_cast<T>(old + value))
NORCH_OPERATION(Sub, static_cast<T>(old - value))
NORCH_OPERATION(Min, value < old ? value : old)
NORCH_OPERATION(Max, old < value ? value : old)
NORCH_OPERATION(And, old& value)
NORCH_OPERATION(Or, old | value)
NORCH_OPERATION(Xor, old ^ value)
NORCH_OPERATION(Replace, (void(old), value))
NORCH_OPERATION(Inc, old >= value ? 0 : old + 1)
NORCH_OPERATION(Dec, old == 0 || old > value ? value : old - 1)
#undef NORCH_OPERATION

}  // namespace norch_sim

#define NORCH_ATOMIC_ONE(name, Operation, T)                        \
  __forceinline__ T name(T* address, T value) {                     \
    return norch_sim::atomic<norch_sim::Operation>(address, value); \
  }
#define NORCH_ATOMIC(name, Operation, T)       \
  NORCH_ATOMIC_ONE(name, Operation, T)         \
  NORCH_ATOMIC_ONE(name##_block, Operation, T) \
  NORCH_ATOMIC_ONE(name##_system, Operation, T)
#define NORCH_ATOMIC_CAS_ONE(name, T)                         \
  __forceinline__ T name(T* address, T expected, T desired) { \
    return norch_sim::atomic_cas(address, expected, desired); \
  }
#define NORCH_ATOMIC_CAS(T)                \
  NORCH_ATOMIC_CAS_ONE(atomicCAS, T)       \
  NORCH_ATOMIC_CAS_ONE(atomicCAS_block, T) \
  NORCH_ATOMIC_CAS_ONE(atomicCAS_system, T)

NORCH_ATOMIC(atomicAdd, Add, int)
NORCH_ATOMIC(atomicAdd, Add, unsigned)
NORCH_ATOMIC(atomicAdd, Add, unsigned long long)
NORCH_ATOMIC(atomicAdd, Add, float)
NORCH_ATOMIC(atomicAdd, Add, double)
NORCH_ATOMIC(atomicSub, Sub, int)
NORCH_ATOMIC(atomicSub, Sub, unsigned)
NORCH_ATOMIC(atomicExch, Replace, int)
NORCH_ATOMIC(atomicExch, Replace, unsigned)
NORCH_ATOMIC(atomicExch, Replace, unsigned long long)
NORCH_ATOMIC(atomicExch, Replace, float)
NORCH_ATOMIC(atomicInc, Inc, unsigned)
NORCH_ATOMIC(atomicDec, Dec, unsigned)
#define NORCH_ATOMIC_EXTREMES(T)  \
  NORCH_ATOMIC(atomicMin, Min, T) \
  NORCH_ATOMIC(atomicMax, Max, T)
NORCH_ATOMIC_EXTREMES(int)
NORCH_ATOMIC_EXTREMES(unsigned)
NORCH_ATOMIC_EXTREMES(long long)
NORCH_ATOMIC_EXTREMES(unsigned long long)
#define NORCH_ATOMIC_BITS(T)      \
  NORCH_ATOMIC(atomicAnd, And, T) \
  NORCH_ATOMIC(atomicOr, Or, T)   \
  NORCH_ATOMIC(atomicXor, Xor, T)
NORCH_ATOMIC_BITS(int)
NORCH_ATOMIC_BITS(unsigned)
NORCH_ATOMIC_BITS(unsigned long long)
NORCH_ATOMIC_CAS(int)
NORCH_ATOMIC_CAS(unsigned)
NORCH_ATOMIC_CAS(unsigned short)
NORCH_ATOMIC_CAS(unsigned long long)
