// float4 and its kind: two to four numbers that are read and written at once, so they are aligned.
//
// As in CUDA they have members and make_..., and no arithmetic of their own. Included by
// cuda_on_cpu.h.
#pragma once

#define NORCH_VECTORS(name, element)                                                   \
  struct name##1 { element x; };                                                       \
  struct alignas(2 * sizeof(element)) name##2 { element x, y; };                       \
  struct alignas(4 * sizeof(element) > 16 ? 16 : 4 * sizeof(element)) name##4 {        \
    element x, y, z, w;                                                                \
  };                                                                                   \
  inline name##1 make_##name##1(element x) { return {x}; }                             \
  inline name##2 make_##name##2(element x, element y) { return {x, y}; }               \
  inline name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; } \
  inline name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }
#define NORCH_VECTOR3(name, element) \
  struct name##3 { element x, y, z; };

NORCH_VECTOR3(char, signed char)
NORCH_VECTOR3(uchar, unsigned char)
NORCH_VECTOR3(short, short)
NORCH_VECTOR3(ushort, unsigned short)
NORCH_VECTOR3(int, int)  // uint3 is what threadIdx is: simulator.h
NORCH_VECTOR3(longlong, long long)
NORCH_VECTOR3(ulonglong, unsigned long long)
NORCH_VECTOR3(float, float)
NORCH_VECTOR3(double, double)
NORCH_VECTORS(char, signed char)
NORCH_VECTORS(uchar, unsigned char)
NORCH_VECTORS(short, short)
NORCH_VECTORS(ushort, unsigned short)
NORCH_VECTORS(int, int)
NORCH_VECTORS(uint, unsigned)
NORCH_VECTORS(longlong, long long)
NORCH_VECTORS(ulonglong, unsigned long long)
NORCH_VECTORS(float, float)
NORCH_VECTORS(double, double)
#undef NORCH_VECTORS
#undef NORCH_VECTOR3
