// What a kernel's parameters are, worked out by the compiler and read by Python
// (runtime/arguments.py).
//
// Two characters a parameter. The first: ' ' a value, 'P' a pointer, '2', '3' or '4' a vector by
// value. The second: its element, by the letters of Python's module struct, and E bfloat16, v void,
// S Layout, W Windows, s any other struct. Included by generated code only; needs no other header.
#pragma once

struct Layout;
struct Windows;
struct Bool;
struct Float16;
struct BFloat16;
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
#ifndef __CUDACC_RTC__  // NVRTC has these of its own, and a declaration would hide them
struct char2;
struct char3;
struct char4;
struct uchar2;
struct uchar3;
struct uchar4;
struct short2;
struct short3;
struct short4;
struct ushort2;
struct ushort3;
struct ushort4;
struct int2;
struct int3;
struct int4;
struct uint2;
struct uint3;
struct uint4;
struct float2;
struct float3;
struct float4;
struct double2;
struct longlong2;
struct ulonglong2;
#endif

namespace norch {

struct Parameter {
  char kind, element;
};

template <class P>
struct ParameterOf {
  static constexpr Parameter value{' ', 's'};
};
template <class P>
struct ParameterOf<const P> : ParameterOf<P> {};
template <class P>
struct ParameterOf<volatile P> : ParameterOf<P> {};
template <class P>
struct ParameterOf<P*> {
  static constexpr Parameter target = ParameterOf<P>::value;
  static constexpr Parameter value{'P', target.kind == 'P' ? 's' : target.element};
};

#define NORCH_PARAMETER(type, kind, element)         \
  template <>                                        \
  struct ParameterOf<type> {                         \
    static constexpr Parameter value{kind, element}; \
  };
NORCH_PARAMETER(void, ' ', 'v')
NORCH_PARAMETER(bool, ' ', '?')
NORCH_PARAMETER(char, ' ', 'b')
NORCH_PARAMETER(signed char, ' ', 'b')
NORCH_PARAMETER(unsigned char, ' ', 'B')
NORCH_PARAMETER(short, ' ', 'h')
NORCH_PARAMETER(unsigned short, ' ', 'H')
NORCH_PARAMETER(int, ' ', 'i')
NORCH_PARAMETER(unsigned, ' ', 'I')
NORCH_PARAMETER(long, ' ', sizeof(long) == 8 ? 'q' : 'i')
NORCH_PARAMETER(unsigned long, ' ', sizeof(long) == 8 ? 'Q' : 'I')
NORCH_PARAMETER(long long, ' ', 'q')
NORCH_PARAMETER(unsigned long long, ' ', 'Q')
NORCH_PARAMETER(float, ' ', 'f')
NORCH_PARAMETER(double, ' ', 'd')
NORCH_PARAMETER(Layout, ' ', 'S')
NORCH_PARAMETER(Windows, ' ', 'W')
NORCH_PARAMETER(Bool, ' ', '?')
NORCH_PARAMETER(Float16, ' ', 'e')
NORCH_PARAMETER(BFloat16, ' ', 'E')
NORCH_PARAMETER(__half, ' ', 'e')
NORCH_PARAMETER(__half2, '2', 'e')
NORCH_PARAMETER(__nv_bfloat16, ' ', 'E')
NORCH_PARAMETER(__nv_bfloat162, '2', 'E')
#define NORCH_PARAMETER_VECTORS(name, element) \
  NORCH_PARAMETER(name##2, '2', element)       \
  NORCH_PARAMETER(name##3, '3', element)       \
  NORCH_PARAMETER(name##4, '4', element)
NORCH_PARAMETER_VECTORS(char, 'b')
NORCH_PARAMETER_VECTORS(uchar, 'B')
NORCH_PARAMETER_VECTORS(short, 'h')
NORCH_PARAMETER_VECTORS(ushort, 'H')
NORCH_PARAMETER_VECTORS(int, 'i')
NORCH_PARAMETER_VECTORS(uint, 'I')
NORCH_PARAMETER_VECTORS(float, 'f')
NORCH_PARAMETER(longlong2, '2', 'q')
NORCH_PARAMETER(ulonglong2, '2', 'Q')
NORCH_PARAMETER(double2, '2', 'd')
#undef NORCH_PARAMETER_VECTORS
#undef NORCH_PARAMETER

template <auto kernel>
struct Signature;
template <class... P, void (*kernel)(P...)>
struct Signature<kernel> {
  static constexpr Parameter items[] = {ParameterOf<P>::value..., {0, 0}};
};

}  // namespace norch
