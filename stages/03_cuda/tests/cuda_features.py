"""What CUDA C++ offers to a kernel, a row each: a body, and what it must leave in `out`.

A body runs in one block of 64 threads with 4096 bytes of dynamic shared memory; `t` is the thread,
`out` holds 64 floats that were 0. The expectation is made from t = 0, 1, ..., 63. What stays out
follows at the end. test_cuda_features.py runs the rows, and shows them to NVIDIA's compiler.
"""
# ruff: noqa: E501 - CUDA in its own layout

from dataclasses import dataclass
from functools import cache

import numpy as np

T = np.arange(64)
LANE, WARP = T % 32, T // 32


@dataclass(frozen=True)
class Feature:
    """One row; `before` stands before the kernel."""

    group: str
    name: str
    body: str
    expected: object
    before: str = ""


INCLUDES = {
    "language": "#include <stdio.h>\n#include <assert.h>\n",
    "vectors": "",
    "warps": "",
    "atomics": "",
    "arithmetic": "",
    "half": "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n",
    "groups": "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n",
    "atomic_ref": "#include <cuda/atomic>\n",
    "wmma": "#include <mma.h>\nusing namespace nvcuda;\n",
}
# Compiled together, since each file costs a second.
FILES = [
    ["language", "vectors"],
    ["warps", "atomics", "arithmetic"],
    ["half", "groups"],
    ["atomic_ref", "wmma"],
]

FEATURES = [
    # ---- the language ----
    Feature("language", "grid", "out[t] = blockDim.x * gridDim.x + blockIdx.x + threadIdx.x;", 64 + T),
    Feature("language", "shared", """__shared__ float s[64];
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];""", 63 - T),
    Feature("language", "shared_rows", """__shared__ int s[8][8 + 1];
  s[t / 8][t % 8] = t;
  __syncthreads();
  out[t] = s[t % 8][t / 8];""", T.reshape(8, 8).T.ravel()),
    Feature("language", "shared_struct", """__shared__ struct { int a; float b[64]; } s;
  if (t == 0) s.a = 5;
  s.b[t] = t;
  __syncthreads();
  out[t] = s.a + s.b[t ^ 1];""", 5 + (T ^ 1)),
    Feature("language", "shared_words_in_any_order", """__shared__ alignas(32) char before[33];
  __shared__ alignas(64) float a[64];
  __shared__ __align__(64) float b[64];
  alignas(64) __shared__ float c[64];
  __align__(64) __shared__ volatile float d[64];
  volatile __shared__ float __align__(64) e[64];
  before[t % 33] = t % 33;
  a[t] = b[t] = c[t] = d[t] = e[t] = t;
  __syncthreads();
  size_t places = (size_t)a | (size_t)b | (size_t)c | (size_t)d | (size_t)e;
  int other = 63 - t;
  out[t] = places % 64 + a[other] + b[other] + c[other] + d[other] + e[other];""", 5 * (63 - T)),
    Feature("language", "static_before_shared", """static volatile __shared__ float s[64];
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];""", 63 - T),
    Feature("language", "static_behind_shared", """__shared__ __align__(16) static volatile float s[64];
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];""", 63 - T),
    Feature("language", "dynamic_shared", """extern __shared__ float of_kernel[];
  of_kernel[t] = t;
  __syncthreads();
  out[t] = of_kernel[63 - t];""", 63 - T),
    Feature("language", "dynamic_shared_views", """extern __shared__ __align__(16) unsigned char raw[];
  double* d = reinterpret_cast<double*>(raw);
  int* i = (int*)(d + 64);
  d[t] = t / 2.0;
  i[t] = 3 * t;
  __syncthreads();
  out[t] = d[63 - t] + i[63 - t];""", 3.5 * (63 - T)),
    Feature("language", "dynamic_shared_of_file", """of_file[t] = t;
  __syncthreads();
  out[t] = last_of(of_file, t) + *(of_file + t);""", 63, """extern __shared__ float of_file[];
__device__ float last_of(const float* of_file, int t) { return of_file[63 - t]; }
"""),
    Feature("language", "constant_table", "out[t] = table[t % 3];", np.array([2, 3, 5])[T % 3],
            "__constant__ float table[3] = {2, 3, 5};\n"),
    Feature("language", "device_variable", """if (t == 0) global_value[1] = 4;
  __syncthreads();
  out[t] = global_value[0] + global_value[1];""", 11, "__device__ int global_value[2] = {7, 0};\n"),
    Feature("language", "overloads", "out[t] = sized(1) + 10 * sized(1.0f);", 41 * 0 + 12,
            "__device__ int sized(int) { return 2; }\n__device__ int sized(float) { return 1; }\n"),
    Feature("language", "template_function", "out[t] = power<3>(float(t));", T.astype(float) ** 3,
            """template <int N, class V> __device__ __forceinline__ V power(V x) {
  if constexpr (N == 0) return 1; else return x * power<N - 1>(x);
}
"""),
    Feature("language", "variadic_template", "out[t] = added(t, 1, 2.5f);", T + 3.5,
            "template <class... V> __device__ float added(V... v) { return (float(v) + ...); }\n"),
    Feature("language", "launch_bounds", "out[t] = 1;", 1),  # see ATTRIBUTES
    Feature("language", "lambda", """int k = 3;
  auto times = [=](int x) { return k * x; };
  out[t] = times(t);""", 3 * T),
    Feature("language", "class_and_operators", "Complex z{1, float(t)};\n  out[t] = (z * z).re;",
            1 - T.astype(float) ** 2, """struct Complex {
  float re, im;
  __host__ __device__ Complex operator*(const Complex& o) const {
    return {re * o.re - im * o.im, re * o.im + im * o.re};
  }
};
"""),
    Feature("language", "recursion", "out[t] = factorial(t % 8);",
            np.array([1, 1, 2, 6, 24, 120, 720, 5040])[T % 8],
            "__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }\n"),
    Feature("language", "unroll_and_local_array", """float mine[4];
  #pragma unroll
  for (int i = 0; i < 4; i++) mine[i] = t + i;
  #pragma unroll 2
  for (int i = 0; i < 4; i++) out[t] += mine[i];""", 4 * T + 6),
    Feature("language", "malloc_and_free", """int* mine = (int*)malloc(2 * sizeof(int));
  mine[0] = t; mine[1] = 2 * t;
  out[t] = mine[0] + mine[1];
  free(mine);""", 3 * T),
    Feature("language", "printf", 'if (t < 0) printf("thread %d\\n", t);\n  out[t] = 1;', 1),
    Feature("language", "assert", "assert(t < 64);\n  out[t] = 1;", 1),
    Feature("language", "function_pointer", "float (*f)(float) = t % 2 ? halved : doubled;\n  out[t] = f(t);",
            np.where(T % 2, T / 2, 2 * T), """__device__ float halved(float x) { return x / 2; }
__device__ float doubled(float x) { return 2 * x; }
"""),
    Feature("language", "volatile_shared", """__shared__ volatile float s[64];
  s[t] = t;
  __syncthreads();
  out[t] = s[t ^ 1];""", T ^ 1),
    Feature("language", "special_register", """unsigned lane, warp;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %warpid;" : "=r"(warp));
  out[t] = lane + 0 * warp;""", LANE),
    Feature("language", "global_timer", """unsigned long long begin, end;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
  out[t] = end >= begin;""", 1),
    Feature("language", "clock", """long long begin = clock64();
  clock_t also = clock();
  out[t] = clock64() >= begin && clock() >= also;""", 1),
    Feature("language", "architecture", "#if __CUDA_ARCH__ >= 700\n  out[t] = 1;\n#endif", 1),
    Feature("language", "fences", """out[t] = 1;
  __threadfence(); __threadfence_block(); __threadfence_system();""", 1),
    Feature("language", "syncthreads_count", "out[t] = __syncthreads_count(t % 3 == 0);", 22),
    Feature("language", "syncthreads_and_or",
            "out[t] = __syncthreads_and(t < 64) + 2 * __syncthreads_and(t < 63) +\n"
            "      4 * __syncthreads_or(t == 9) + 8 * __syncthreads_or(t == 64);", 5),
    Feature("language", "read_only_loads", "out[t] = 3;\n  out[t] += __ldg(&read_only[0]) + __ldcs(&read_only[1]);", 6,
            "__device__ float read_only[2] = {1, 2};\n"),
    # ---- vectors ----
    Feature("vectors", "float4", """float4 v = make_float4(t, t + 1, t + 2, t + 3);
  if (t < 16) reinterpret_cast<float4*>(out)[t] = make_float4(v.x, v.y, v.z, 4 * v.w);""",
            np.stack([T[:16], T[:16] + 1, T[:16] + 2, 4 * (T[:16] + 3)], 1).ravel()),
    Feature("vectors", "float2", "float2 v = {1.5f, float(t)};\n  v.x += v.y;\n  out[t] = v.x;", T + 1.5),
    Feature("vectors", "float3", "float3 v = make_float3(t, 2, 3);\n  out[t] = v.x + v.y * v.z + sizeof(float3);", T + 18),
    Feature("vectors", "double2", "double2 v = make_double2(t, 0.5);\n  out[t] = v.x * v.y;", T / 2),
    Feature("vectors", "int2_int3_int4", """int2 a = make_int2(t, 1);
  int3 b = make_int3(1, 2, t);
  int4 c = make_int4(1, 2, 3, 4);
  out[t] = a.x + b.z + c.w;""", 2 * T + 4),
    Feature("vectors", "uint2_uint4", """uint2 a = make_uint2(t, 1u);
  uint4 b = make_uint4(1, 2, 3, 4294967295u);
  out[t] = a.x + (b.w > 5);""", T + 1),
    Feature("vectors", "uchar4", """uchar4 pixel = make_uchar4(t, 255, 300 & 255, 7);
  out[t] = pixel.x + pixel.y + pixel.z + pixel.w + alignof(uchar4);""", T + 310),
    Feature("vectors", "short2_ushort4", """short2 a = make_short2(-t, 2);
  ushort4 b = make_ushort4(1, 2, 3, t);
  out[t] = a.x + b.w + a.y + longlong2{1, 2}.y;""", 4),
    Feature("vectors", "shared_float4", """__shared__ float4 s[64];
  s[t] = make_float4(t, 0, 0, 2 * t);
  __syncthreads();
  out[t] = s[63 - t].w + s[63 - t].x;""", 3 * (63 - T)),
    Feature("vectors", "dim3", "dim3 d(2, 3);\n  uint3 i = threadIdx;\n  out[t] = d.x * d.y * d.z + i.x;", T + 6),
    # ---- warps ----
    Feature("warps", "shfl", "out[t] = __shfl_sync(0xffffffff, t, 5);", 32 * WARP + 5),
    Feature("warps", "shfl_width", "out[t] = __shfl_sync(0xffffffff, t, 3, 8);", T // 8 * 8 + 3),
    Feature("warps", "shfl_up", "out[t] = __shfl_up_sync(0xffffffff, t, 2);", np.where(LANE >= 2, T - 2, T)),
    Feature("warps", "shfl_down", "out[t] = __shfl_down_sync(0xffffffff, float(t), 2);", np.where(LANE < 30, T + 2, T)),
    Feature("warps", "shfl_xor_of_8_bytes", """out[t] = __shfl_xor_sync(0xffffffff, 0.5 * t, 7) +
      __shfl_xor_sync(0xffffffff, (long long)t << 20, 7) / (1 << 20);""", 1.5 * (T ^ 7)),
    Feature("warps", "shfl_of_some_lanes", "if (t % 32 < 8) out[t] = __shfl_sync(0xff, t, 7);",
            np.where(LANE < 8, 32 * WARP + 7, 0)),
    Feature("warps", "votes", """out[t] = __any_sync(0xffffffff, t == 9) + 2 * __all_sync(0xffffffff, t < 40) +
      4 * __popc(__ballot_sync(0xffffffff, t % 2));""", np.where(WARP == 0, 3, 0) + 64),
    Feature("warps", "activemask", """if (t % 4 == 1) out[t] = __popc(__activemask());
  else out[t] = -1;""", np.where(T % 4 == 1, 8, -1)),
    Feature("warps", "match_any", "out[t] = __popc(__match_any_sync(0xffffffff, t % 5));",
            [int(np.sum((t // 32 == T // 32) & (t % 5 == T % 5))) for t in T]),
    Feature("warps", "match_all", """int same, other;
  unsigned mask = __match_all_sync(0xffffffff, t / 32, &same);
  __match_all_sync(0xffffffff, t, &other);
  out[t] = (mask == 0xffffffff) + 2 * same + 4 * other;""", 3),
    Feature("warps", "reduce_add", "out[t] = __reduce_add_sync(0xffffffff, t);", np.where(WARP == 0, 496, 1520)),
    Feature("warps", "reduce_min_max", """out[t] = __reduce_min_sync(0xffffffff, t - 5) +
      100 * __reduce_max_sync(0xffffffff, unsigned(t));""", 32 * WARP - 5 + 100 * (32 * WARP + 31)),
    Feature("warps", "reduce_bits", """unsigned u = t;
  out[t] = __reduce_and_sync(0xffffffff, u | 3) + __reduce_or_sync(0xffffffff, u) +
      __reduce_xor_sync(0xffffffff, u);""", np.where(WARP == 0, 3 + 31, 35 + 63)),
    Feature("warps", "syncwarp", """__shared__ int s[64];
  s[t] = t;
  __syncwarp();
  int a = s[t ^ 1];
  if (t % 32 < 16) __syncwarp(0x0000ffff);
  out[t] = a;""", T ^ 1),
    # ---- atomics ----
    Feature("atomics", "atomic_add_int", "__shared__ int s;\n  ONCE(s = 0)\n  atomicAdd(&s, t);\n  SHOW(s)", 2016),
    Feature("atomics", "atomic_add_unsigned_and_64", """__shared__ unsigned s; __shared__ unsigned long long l;
  ONCE(s = 0; l = 1ull << 40)
  atomicAdd(&s, 1u); atomicAdd(&l, 2);
  SHOW(s + (l - (1ull << 40)))""", 192),
    Feature("atomics", "atomic_add_float_and_double", """__shared__ double d;
  ONCE(d = 0)
  atomicAdd(&d, 0.5); atomicAdd(&out[0], 1);
  __syncthreads();
  out[t] = t ? float(d) : out[0] + float(d) - 32;""", np.where(T == 0, 64, 32)),
    Feature("atomics", "atomic_sub", "__shared__ int s;\n  ONCE(s = 100)\n  atomicSub(&s, 1);\n  SHOW(s)", 36),
    Feature("atomics", "atomic_inc_and_dec", """__shared__ unsigned s, d;
  ONCE(s = 0; d = 0)
  atomicInc(&s, 9); atomicDec(&d, 9);
  SHOW(s * 100 + d)""", 406),
    Feature("atomics", "atomic_and_or_xor", """__shared__ int a; __shared__ unsigned o; __shared__ unsigned long long x;
  ONCE(a = -1; o = 0; x = 0)
  atomicAnd(&a, ~(1 << t % 3)); atomicOr(&o, 1u << t % 4); atomicXor(&x, 1ull << t);
  SHOW((a == -8) + o + (x == ~0ull))""", 17),
    Feature("atomics", "atomic_min_and_max", """__shared__ int i; __shared__ unsigned u; __shared__ long long l;
  __shared__ unsigned long long m;
  ONCE(i = 0; u = 0; l = 0; m = 99)
  atomicMin(&i, -t); atomicMax(&u, 4294967290u + t % 4); atomicMax(&l, (1ll << 40) + t);
  atomicMin(&m, 7ull + t);
  SHOW(i + (u == 4294967293u) + (l - (1ll << 40)) + m)""", 8),
    Feature("atomics", "atomic_exchange", """__shared__ unsigned s;
  ONCE(s = 7)
  unsigned old = t == 3 ? atomicExch(&s, 9u) : 0;
  __syncthreads();
  out[t] = s + old + 0 * atomicExch(&out[t], 1.5f);""", np.where(T == 3, 16, 9)),
    Feature("atomics", "atomic_cas", """__shared__ int s; __shared__ unsigned long long l;
  ONCE(s = 5; l = 5)
  int found = atomicCAS(&s, 5, 6);
  atomicCAS(&l, 5, 1ull << 33);
  int first = __syncthreads_count(found == 5);
  SHOW(first + s + (l == 1ull << 33))""", 8),
    Feature("atomics", "atomic_cas_16", """__shared__ unsigned short s[2];
  ONCE(s[0] = 1; s[1] = 2)
  atomicCAS(&s[1], (unsigned short)2, (unsigned short)40000);
  SHOW(s[0] + s[1])""", 40001),
    Feature("atomics", "atomic_of_any_operation", "product(&out[0], t % 2 ? 2.0f : 1.0f, t == 0);", np.where(T == 0, 2.0**32, 0),
            """__device__ void product(float* address, float value, bool first) {
  if (first) *address = 1;
  __syncthreads();
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) * value));
  } while (assumed != old);
}
"""),
    Feature("atomics", "atomic_scopes", """__shared__ int s;
  ONCE(s = 0)
  atomicAdd_block(&s, 1); atomicAdd_system(&s, 1); atomicMax_block(&s, -1);
  SHOW(s)""", 128),
    # ---- arithmetic ----
    Feature("arithmetic", "popc_clz_ffs", """out[t] = __popc(t) + 100 * __clz(t) + 10000 * __ffs(t) +
      __popcll(0) + __clzll(-1ll) + __ffsll(0);""",
            [bin(t).count("1") + 100 * (32 - int(t).bit_length()) + 10000 * (int(t) & -int(t)).bit_length() for t in T]),
    Feature("arithmetic", "brev_and_perm", "out[t] = __brev(t << 26) + (__brevll(1) >> 60) + __byte_perm(0x0403, t, 0x0041) * 0;",
            [int(f"{t:06b}"[::-1], 2) + 8 for t in T]),
    Feature("arithmetic", "shifts_and_high_parts", """out[t] = __funnelshift_l(0x80000000u, t, 1) + __umulhi(1u << 31, 2u * t) +
      __mulhi(-1, 1) + __mul24(t, 2) + (__umul64hi(1ull << 63, 2) == 1) + __sad(3, t, 0u) * 0 +
      100 * (umin(t, 5u) == min(t, 5) && llmax(-t, -5) == max(-t, -5) && __usad(2u, 7u, 1u) == 6 &&
             __hadd(-1, 2) == 0 && __rhadd(-1, 2) == 1 && __urhadd(~0u, ~0u - 1) == ~0u) - 100;""",
            2 * T + 1 + T - 1 + 2 * T + 1),
    Feature("arithmetic", "dp4a", "out[t] = __dp4a(0x01020304, 0x01010101, t);", T + 10),
    Feature("arithmetic", "bits_of_floats", "out[t] = __int_as_float(__float_as_int(t)) + __uint_as_float(0x40000000u) +\n"
            "      __longlong_as_double(__double_as_longlong(1.0)) + __hiloint2double(__double2hiint(2.0), 0);", T + 5),
    Feature("arithmetic", "conversions", """float x = t + 0.5f;
  out[t] = __float2int_rz(-x) + __float2int_ru(x) + 100 * __float2int_rn(x) + __float2uint_rd(x) +
      __int2float_rn(1) + (__float2int_rz(1e20f) == 2147483647);""",
            -T + T + 1 + 100 * (T + T % 2) + T + 1 + 1),
    Feature("arithmetic", "fast_math", "out[t] = __expf(0) + __logf(1) + __sinf(0) + __cosf(0) + __powf(2, 3) + __fdividef(t, 2) +\n"
            "      __saturatef(t) + __fmul_rn(2, 3) + __fadd_rn(1, 1) + __frcp_rn(0.5f) + __fsqrt_rn(4);", 22 + T / 2 + (T > 0)),
    Feature("arithmetic", "float_functions", """float s, c;
  sincosf(0.0f, &s, &c);
  out[t] = rsqrtf(0.25f) + fmaf(t, 2, 1) + s + c + fmaxf(t, 3) - fminf(t, 3) + hypotf(3, 4) +
      norm3df(1, 2, 2) + copysignf(1, -2) + rsqrt(4.0) + erff(0) + exp2f(3) + cbrtf(8) + normcdff(0);""",
            2 + 2 * T + 1 + 1 + np.maximum(T, 3) - np.minimum(T, 3) + 5 + 3 - 1 + 0.5 + 8 + 2 + 0.5),
    Feature("arithmetic", "min_and_max_of_mixed_types", "out[t] = max(0.5f, t - 3.0) + min(t, 7u) + max((long long)t, 2ll) + min(1.5, 2.5f);",
            np.maximum(0.5, T - 3.0) + np.minimum(T, 7) + np.maximum(T, 2) + 1.5),
    Feature("arithmetic", "classes_of_numbers", """float zero = t * 0.0f, n = zero / zero, i = 1 / zero;
  out[t] = isnan(n) + 2 * isinf(i) + 4 * isfinite(n) + 8 * isnan(1.0) + 16 * (abs(-2) == 2) + 32 * signbit(-1.0f);""", 51),
    # ---- half ----
    Feature("half", "half_conversions", """half h = __float2half(t / 3.0f);
  out[t] = __half2float(h) + __half2int_rz(h) + float(half(1)) + __half2float(__ushort_as_half(0x4000));""",
            (T / np.float32(3)).astype(np.float16).astype(np.float32) + np.trunc((T / np.float32(3)).astype(np.float16).astype(np.float32)) + 3),
    Feature("half", "half_arithmetic", """half a = __int2half_rn(t), b = __float2half(0.1f);
  half c = a * b + b;
  c -= __float2half_rn(0.5f);
  out[t] = c / __hadd(b, b);""",
            ((((T.astype(np.float16) * np.float16(0.1)) + np.float16(0.1)) - np.float16(0.5)) / (np.float16(0.1) + np.float16(0.1))).astype(np.float32)),
    Feature("half", "half_comparisons", """half a = __float2half(t), b = __float2half(9.0f);
  out[t] = (a < b) + 2 * __hge(a, b) + 4 * (a == b) + 8 * __hisnan(a);""",
            np.where(T < 9, 1, np.where(T == 9, 6, 2))),
    Feature("half", "half_functions", """half x = __float2half(4.0f);
  out[t] = __half2float(hsqrt(x)) + __half2float(hexp(__float2half(0))) + __half2float(hrcp(x)) +
      __half2float(__hfma(x, x, x)) + __half2float(__hmax(x, __float2half(t))) + __half2float(__habs(__hneg(x)));""",
            2 + 1 + 0.25 + 20 + np.maximum(4, T) + 4),
    Feature("half", "half2", """half2 a = __floats2half2_rn(t, 1), b = __float2half2_rn(0.5f);
  half2 c = __hfma2(a, b, __hadd2(a, b));
  float2 f = __half22float2(c);
  out[t] = f.x + __high2float(__hmul2(c, b)) + __low2float(a * b) + __half2float(__low2half(a));""",
            1.5 * T + 0.5 + 1 + T / 2 + T),
    Feature("half", "half2_in_memory", """__shared__ half2 s[64];
  s[t] = __halves2half2(__float2half(t), __float2half(-t));
  __syncthreads();
  half2 other = reinterpret_cast<half2*>(s)[63 - t];
  out[t] = __half2float(other.x) - __half2float(__high2half(other));""", 2 * (63 - T)),
    Feature("half", "half_atomics", """__shared__ half h; __shared__ half2 p;
  if (t == 0) { h = __float2half(0); p = __float2half2_rn(0); }
  __syncthreads();
  atomicAdd(&h, __float2half(1)); atomicAdd(&p, __floats2half2_rn(1, 2));
  __syncthreads();
  out[t] = __half2float(h) + __low2float(p) + __high2float(p);""", 256),
    Feature("half", "half_shuffles", """out[t] = __half2float(__shfl_xor_sync(0xffffffff, __float2half(t), 1)) +
      __low2float(__shfl_down_sync(0xffffffff, __float2half2_rn(t), 1));""",
            (T ^ 1) + np.where(LANE < 31, T + 1, T)),
    Feature("half", "bfloat16", """__nv_bfloat16 a = __float2bfloat16(t + 0.5f), b = __float2bfloat16_rn(2);
  out[t] = __bfloat162float(a * b) + __bfloat162float(__hadd(b, b)) + __bfloat162float(__hfma(b, b, b)) +
      (a < b) + float(__ushort_as_bfloat16(0x3f80));""", 2 * T + 1 + 4 + 6 + (T < 2) + 1),
    Feature("half", "bfloat162", """__nv_bfloat162 a = __floats2bfloat162_rn(t, 1), b = __float2bfloat162_rn(0.5f);
  __nv_bfloat162 c = __hfma2(a, b, b);
  float2 f = __bfloat1622float2(__hmul2(c, b));
  out[t] = f.x + f.y + __bfloat162float(__high2bfloat16(a));""", 0.25 * T + 0.25 + 0.5 + 1),
    # ---- cooperative groups ----
    Feature("groups", "thread_block", """cg::thread_block block = cg::this_thread_block();
  __shared__ int s[64];
  s[block.thread_rank()] = t;
  block.sync();
  out[t] = s[63 - t] + block.size() + block.group_index().x + block.thread_index().x;""", 63 + 64),
    Feature("groups", "tile_32", """auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = t;
  for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
  out[t] = tile.shfl(v, 0) + tile.meta_group_rank();""", np.where(WARP == 0, 496, 1521)),
    Feature("groups", "tile_4", """cg::thread_block_tile<4> tile = cg::tiled_partition<4>(cg::this_thread_block());
  out[t] = tile.thread_rank() + 10 * tile.shfl_xor(t, 1) + 1000 * tile.ballot(t % 2) + tile.any(t == 5) + tile.all(t < 8);""",
            T % 4 + 10 * (T ^ 1) + 10000 + (T // 4 == 1) + (T < 8)),
    Feature("groups", "tile_of_tile", """auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<8>(warp);
  tile.sync();
  out[t] = tile.shfl_up(t, 1) + tile.num_threads();""", np.where(T % 8, T - 1, T) + 8),
    Feature("groups", "reduce", """auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[t] = cg::reduce(tile, t, cg::plus<int>()) + cg::reduce(tile, float(t), cg::less<float>()) +
      cg::reduce(tile, t, cg::greater<int>()) + cg::reduce(tile, unsigned(t), cg::bit_or<unsigned>()) * 0;""",
            T // 16 * 256 + 120 + T // 16 * 16 + T // 16 * 16 + 15),
    Feature("groups", "scan", """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[t] = cg::inclusive_scan(tile, 2) + 100 * cg::exclusive_scan(tile, 1, cg::plus<int>());""",
            2 * (T % 8 + 1) + 100 * (T % 8)),
    Feature("groups", "coalesced_threads", """if (t % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[t] = active.size() + 100 * active.thread_rank() + 10000 * active.shfl(t, 0);
  }""", [0 if t % 3 else 11 + 100 * sum(i % 3 == 0 for i in range(t // 32 * 32, t)) + 10000 * (33 if t > 31 else 0) for t in T.tolist()]),
    Feature("groups", "aggregated_atomic", """__shared__ int s;
  if (t == 0) s = 0;
  __syncthreads();
  if (t % 2) {
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(&s, active.size());
  }
  __syncthreads();
  out[t] = s;""", 32),
    Feature("groups", "labeled_partition", """auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(tile, t % 4);
  out[t] = same.size() + same.thread_rank();""", 8 + LANE // 4),
    Feature("groups", "thread_group", "out[t] = sum_of(cg::this_thread_block()) + sum_of(cg::tiled_partition<32>(cg::this_thread_block()));", 96,
            "__device__ int sum_of(cg::thread_group g) { g.sync(); return g.size(); }\n"),
    Feature("groups", "grid_group", "cg::grid_group grid = cg::this_grid();\n  out[t] = grid.thread_rank() + grid.size();", T + 64),
    # ---- cuda::atomic_ref ----
    Feature("atomic_ref", "atomic_ref_add", """__shared__ int s;
  if (t == 0) s = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ref(s);
  ref.fetch_add(2, cuda::memory_order_relaxed); ref++;
  __syncthreads();
  out[t] = ref.load();""", 192),
    Feature("atomic_ref", "atomic_ref_min_max_exchange", """__shared__ int s[3];
  if (t < 3) s[t] = 20;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_device>(s[0]).fetch_min(t);
  cuda::atomic_ref<int, cuda::thread_scope_device>(s[1]).fetch_max(t);
  cuda::atomic_ref<int, cuda::thread_scope_device>(s[2]).exchange(5);
  __syncthreads();
  out[t] = s[0] + s[1] + s[2];""", 68),
    Feature("atomic_ref", "atomic_ref_compare_exchange", """__shared__ float s;
  if (t == 0) s = 1;
  __syncthreads();
  cuda::atomic_ref<float, cuda::thread_scope_block> ref(s);
  float old = ref.load(cuda::memory_order_relaxed);
  while (!ref.compare_exchange_weak(old, old + 0.5f)) {}
  __syncthreads();
  out[t] = s;""", 33),
    # ---- wmma ----
    Feature("wmma", "wmma_half", """__shared__ half a[256], b[256]; __shared__ float c[256];
  for (int i = t; i < 256; i += 64) { a[i] = __float2half(i % 5); b[i] = __float2half(i % 3); c[i] = 1; }
  __syncthreads();
  if (t < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, b, 16);
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2;
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  }
  __syncthreads();
  out[t] = c[4 * t];""",
            2 * (np.arange(256).reshape(16, 16) % 5 @ (np.arange(256).reshape(16, 16) % 3).T + 1).ravel()[::4]),
    Feature("wmma", "wmma_half_accumulator", """__shared__ half a[256];
  for (int i = t; i < 256; i += 64) a[i] = __float2half(i / 16 == i % 16 ? 2 : 0);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fc;
  wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, a, 16);
  wmma::fill_fragment(fc, __float2half(1));
  wmma::mma_sync(fc, fa, fb, fc);
  __syncthreads();
  if (t < 32) wmma::store_matrix_sync(a, fc, 16, wmma::mem_col_major);
  __syncthreads();
  out[t] = __half2float(a[t]);""", 1 + 4 * (np.eye(16)[:4].ravel())),
    Feature("wmma", "wmma_bfloat16", """__shared__ __nv_bfloat16 a[32 * 16]; __shared__ float c[32 * 8];
  for (int i = t; i < 512; i += 64) a[i] = __float2bfloat16(1.5f);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, a, 8);
  wmma::mma_sync(fc, fa, fb, fc);
  if (t < 32) wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
  __syncthreads();
  out[t] = c[t];""", 36),
    Feature("wmma", "wmma_tf32", """__shared__ float a[128], c[256];
  for (int i = t; i < 128; i += 64) a[i] = i % 7 + 1.0f / 4096;
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::load_matrix_sync(fa, a, 8); wmma::load_matrix_sync(fb, a, 8);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::fill_fragment(fc, 0.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  if (t < 32) wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  __syncthreads();
  out[t] = roundf(c[t]);""",
            np.round((np.arange(128).reshape(16, 8) % 7) @ (np.arange(128).reshape(16, 8) % 7).T)[:4].ravel()),
    Feature("wmma", "wmma_int8", """__shared__ signed char a[256]; __shared__ int c[256];
  for (int i = t; i < 256; i += 64) a[i] = i % 9 - 4;
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, a, 16); wmma::load_matrix_sync(fb, a, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  if (t < 32) wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  __syncthreads();
  out[t] = c[t];""",
            ((np.arange(256).reshape(16, 16) % 9 - 4) @ (np.arange(256).reshape(16, 16) % 9 - 4))[:4].ravel()),
]  # fmt: skip

# What cuda-sim has not: a kernel that NVIDIA's compiler takes, and what our error says.
STAYS_OUT = {
    "textures": ("", "out[t] = tex2D<float>(cudaTextureObject_t(0), t, 0);", "tex2D"),
    "inline assembler that computes": (
        "", 'asm("add.s32 %0, %0, %1;" : "+r"(t) : "r"(t));\n  out[t] = t;',
        "kernel.cu:3: error: cuda-sim runs no assembler of a GPU",
    ),
    "inline assembler with operands of a GPU": (
        "", 'asm("ld.global.f32 %0, [%1];" : "=f"(out[t]) : "l"(out + t));',
        "kernel.cu:3: error: cuda-sim runs no assembler of a GPU",
    ),
    "inline assembler without operands": (
        "", 'asm("bar.sync 1, 64;");', "kernel.cu:3: error: cuda-sim runs no assembler of a GPU",
    ),
    "a barrier of the whole grid": (
        INCLUDES["groups"], "cg::this_grid().sync();\n  out[t] = 1;", "cudaLaunchCooperativeKernel",
    ),
    "launches from a kernel": (
        "__global__ void child(float*) {}\n", "child<<<1, 1>>>(out);", "could not compile",
    ),
}  # fmt: skip


def left_out_text(name):
    """A text whose kernel uses what stays out."""
    before, body, _ = STAYS_OUT[name]
    return (
        f"{before}__global__ void left_out(float* out) {{\n  int t = threadIdx.x;\n  {body}\n}}\n"
    )


ATTRIBUTES = {"launch_bounds": "__launch_bounds__(64, 2)"}
HELPERS = """#define ONCE(statements) if (t == 0) { statements; } __syncthreads();
#define SHOW(value) __syncthreads(); out[t] = float(value);
"""


@cache
def file_text(number):
    """The text of file `number`: all its kernels, each named as its row."""
    groups = FILES[number]
    parts = [INCLUDES[group] for group in groups] + [HELPERS]
    for feature in (f for f in FEATURES if f.group in groups):
        bounds = ATTRIBUTES.get(feature.name, "")
        parts.append(
            f"{feature.before}__global__ void {bounds} {feature.name}_kernel(float* out) {{\n"
            f"  int t = threadIdx.x;\n  {feature.body}\n}}\n"
        )
    return "".join(parts)
