"""What a kernel declares and what Python gives: numbers, arrays, vectors, variables, names."""

import ctypes
import re

import numpy as np
import pytest
from cuda_lessons import SIM, array, kernel

import norch_cpu_ops as cpu
from norch_cuda import load_kernel, simulator
from norch_cuda.runtime.definitions import definitions
from norch_cuda.runtime.rewrite import rewrite

TEXT = """
__global__ void numbers(double* out, bool b, char c, unsigned char h, short s, int i, unsigned j,
                        long l, size_t z, long long x, unsigned long long y, float f, double d) {
  double all[] = {double(b), double(c), double(h), double(s), double(i), double(j), double(l),
                  double(z), double(x), double(y), double(f), d};
  for (int k = 0; k < 12; k++) out[k] = all[k];
}
template <typename T, int N>
__global__ void __launch_bounds__(N * 32, 2) scale(T* out, const T* x, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * factor + N;
}
__global__ void add(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1; }
__global__ void add(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 2; }
namespace mine {
__constant__ float weights[3] = {1, 2, 3};
__global__ void weigh(float* out) { out[threadIdx.x] = weights[threadIdx.x]; }
}
__device__ const float kThree = 3;
__constant__ const int kPrimes[2] = {2, 3};
__device__ unsigned long long total;
__device__ float twice(float x) { return 2 * x; }
__global__ void count(unsigned* large) { atomicAdd(&total, blockDim.x); atomicAdd(large, 1); }
struct Body { float3 place; int mass; };
__global__ void vectors(float* out, float4 v, uchar4 bytes, float2 pair, Body body, float* none) {
  float all[] = {v.x, v.w, float(bytes.y), pair.y, body.place.z, float(body.mass),
                 float(none == nullptr)};
  for (int k = 0; k < 7; k++) out[k] = all[k];
}
__global__ void wide(const float4* x, float* out) { out[threadIdx.x] = x[threadIdx.x].z; }
"""


class Body(ctypes.Structure):
    _fields_ = (("place", ctypes.c_float * 3), ("mass", ctypes.c_int))


def test_numbers_become_what_the_kernel_declares():
    out = SIM.zeros((12,), cpu.float64)
    given = (True, -5, 200, -300, -70000, 4294967295, -(2**40), 2**40, 2**62, 2**63, 1, 3)
    load_kernel(TEXT, "numbers")(1, 1, out, *given)
    assert out.tolist() == [float(value) for value in given]


def test_numpy_numbers_are_numbers():
    out = array(np.zeros(4))
    load_kernel(TEXT, "scale<float, 4>")(1, 4, out, array([1, 2, 3, 4]), np.float32(2), np.int64(4))
    assert out.tolist() == [6, 8, 10, 12]


@pytest.mark.parametrize(
    ("position", "value", "expected"),
    [
        (1, np.int32, "argument 1 is an array of int32: the kernel declares a pointer to float, "
                      "expected an array of float32"),
        (2, 3, r"argument 2 is 3 \(int\): the kernel declares a pointer to float"),
        (3, "x", "argument 3 is of type str: the kernel declares float"),
        (4, 1.5, r"argument 4 is 1.5 \(float\): the kernel declares int"),
        (4, 2**31, r"argument 4 is 2147483648 \(int\): the kernel declares int"),
        (4, None, "argument 4 is of type NoneType: the kernel declares int"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(position, value, expected):
    given = [array(np.zeros(4)), array(np.ones(4)), 2.0, 4]
    given[position - 1] = array(np.zeros(4), value) if position == 1 else value
    with pytest.raises(TypeError, match=expected):
        load_kernel(TEXT, "scale<float, 4>")(1, 4, *given)


def test_too_few_arguments_name_all_there_are():
    with pytest.raises(TypeError, match=r"takes 2 arguments \(a pointer to float, int\) and was"):
        load_kernel(TEXT, "add(float*, int)")(1, 4)


@pytest.mark.parametrize("element", ["float16", "bfloat16"])
def test_half_numbers_round_to_nearest(element):
    dtype = getattr(cpu, element)
    keep = kernel("    out[0] = x;", "T x, T* out", element)
    out = SIM.zeros((1,), dtype)
    for number in [0.1, -1 / 3, 1e-7, 65504.0, float("inf"), 7]:
        keep(1, 1, number, out)
        assert out.item() == SIM.cast(array([number]), dtype).item()
    keep(1, 1, float("nan"), out)
    assert np.isnan(out.item())


def test_vectors_structs_and_null():
    out = array(np.zeros(7))
    body = Body((ctypes.c_float * 3)(1, 2, 3), 9)
    load_kernel(TEXT, "vectors")(1, 1, out, (1, 2, 3, 4.5), (5, 6, 7, 8), [0.5, 1.5], body, None)
    assert out.tolist() == [1, 4.5, 6, 1.5, 3, 9, 1]
    with pytest.raises(TypeError, match=r"argument 2 is of type tuple: .* a vector of 4 float"):
        load_kernel(TEXT, "vectors")(1, 1, out, (1, 2), (5, 6, 7, 8), (0, 0), body, None)


def test_an_array_of_floats_is_one_of_float4():
    out = array(np.zeros(2))
    load_kernel(TEXT, "wide")(1, 2, array(np.arange(8)), out)
    assert out.tolist() == [2, 6]


def test_kernels_are_named_as_in_cpp():
    floats, whole = array(np.zeros(4)), array(np.zeros(4), np.int32)
    load_kernel(TEXT, "add(float*, int)")(1, 4, floats, 3)
    load_kernel(TEXT, "add(int*, int)")(1, 4, whole, 3)
    assert (floats.tolist(), whole.tolist()) == ([1, 1, 1, 0], [2, 2, 2, 0])
    load_kernel(TEXT, "mine::weigh")(1, 3, floats)
    assert floats.tolist() == [1, 2, 3, 0]
    doubles = SIM.zeros((4,), cpu.float64)
    load_kernel(TEXT, "scale<double, 1>")(1, 4, doubles, SIM.zeros((4,), cpu.float64), 1, 4)
    assert doubles.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scale", r'is a template: say what for, as in load_kernel\(text, "scale<float>"\)'),
        ("add", "2 kernels have this name: say the parameters too"),
        ("ad", "no such kernel; there are numbers, scale, add, mine::weigh, count"),
    ],
)
def test_a_name_that_tells_no_kernel(name, expected):
    with pytest.raises(RuntimeError, match=expected):
        load_kernel(TEXT, name)


def test_launch_bounds_hold():
    out = array(np.zeros(4))
    with pytest.raises(RuntimeError, match="block of 65 threads: __launch_bounds__ allows 64"):
        load_kernel(TEXT, "scale<float, 2>")(1, 65, out, out, 1, 4)


@pytest.mark.parametrize("check", [False, True])
def test_variables_of_the_text_are_arrays(check):
    lesson = load_kernel(TEXT, "mine::weigh")
    weights, out = lesson.get_global("mine::weights"), array(np.zeros(3))
    SIM.copy_(weights, array([4, 5, 6]))
    with simulator(check=check):
        lesson(1, 3, out)
    assert out.tolist() == [4, 5, 6]
    for name in ("weight", "kThree", "kPrimes"):  # nobody writes to what is const
        with pytest.raises(
            RuntimeError, match=r"is no __constant__ or __device__ variable .* total"
        ):
            lesson.get_global(name)


def test_a_variable_may_be_read_as_any_dtype():
    text = (
        "__device__ bool done[3] = {true, false, true};\n__global__ void k() { done[1] = true; }\n"
    )
    lesson = load_kernel(text, "k")
    lesson(1, 1)
    for dtype in ("bool", "uint8", "int8"):
        assert lesson.get_global("done", dtype).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match=r"\[get_global\] dtype 'half': expected one of float32"):
        lesson.get_global("done", "half")


def test_plain_and_checked_runs_share_the_variables():
    lesson = load_kernel(TEXT, "count")
    total, large = lesson.get_global("total", "int64"), array([0], np.int32)
    SIM.copy_(total, array([7], np.int64))
    for check in (False, True, False):
        with simulator(check=check):
            lesson(1, 10, large)
    assert (total.item(), large.item()) == (307, 30)


def test_shared_memory_must_be_asked_for():
    text = """extern __shared__ double all[];
__global__ void last(double* out, int n) {
  all[n - 1] = 5;
  out[0] = all[n - 1];
}"""
    out, n = SIM.zeros((1,), cpu.float64), 232448 // 8
    with pytest.raises(RuntimeError, match="has 49152 bytes of shared memory"):
        load_kernel(text, "last")(1, 1, out, 6200, dynamic_shared=8 * 6200)
    lesson = load_kernel(text, "last", max_dynamic_shared=8 * n)
    lesson(1, 1, out, n - 1, dynamic_shared=8 * (n - 1))
    assert out.item() == 5
    with pytest.raises(RuntimeError, match="has at most 232448 bytes of shared memory"):
        lesson(1, 1, out, n, dynamic_shared=8 * n + 1)


# ---- reading the text --------------------------------------------------------------------


def test_kernels_and_variables_are_found_among_everything_else():
    text = """
// __global__ void comment() {}
const char* words = "__global__ void string() {";
#define UNUSED __global__ void macro() {}
extern "C" { __global__ void __launch_bounds__(kMost<1, 2>, 3) inside(int a[2]) { if (a) {} } }
namespace a { namespace b { template <class T = float> __global__ static void deep(T*) {} } }
__global__ void declared(int);
static __device__ __align__(16) float table[2][3] = {{1}}, single;
__device__ int function(int x) { return x; }
__device__ int function(int);
__constant__ int first;
template <class T> __device__ T general;
"""
    kernels, variables = definitions(text)
    heads = [(head.name, head.template, head.bounds) for head in kernels]
    assert heads == [
        ("inside", "", "kMost < 1 , 2 >"),
        ("a::b::deep", "template < class T = float >", ""),
    ]
    assert variables == ("table", "first")


def test_shared_arrays_of_the_launch_are_put_otherwise_on_the_same_lines():
    text = "__global__ void k() {\nextern __shared__ __align__(16)\nfloat s[][32];\n}"
    put = rewrite(text, program=False).text
    kind = "norch_element<float [ 32 ]>"
    assert f"{kind}* s = norch_dynamic_shared<{kind}>();" in put
    assert put.count("\n") == text.count("\n")
    text = 'asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));'
    assert "(lane = norch_sim::register_laneid())" in rewrite(text, program=False).text


def test_ordinary_text_gets_no_names_of_ours():
    text = """typedef int T;
struct Layout { int at; };
__device__ T infinity() { return 3; }
__global__ void own(int* out) { Layout kept{2}; out[0] = infinity() + kept.at; }"""
    out = array([0], np.int32)
    load_kernel(text, "own")(1, 1, out)
    assert out.item() == 5


MACROS = """
#define KERNEL __global__ void
#define MAKE(name, f) \\
  __global__ void name(float* out) { out[threadIdx.x] = f(out[threadIdx.x]); }
MAKE(take_root, sqrtf)
MAKE(take_exp, expf)
KERNEL /* spelt */ count // by a macro
    (float* out) { out[threadIdx.x] = threadIdx.x; }
"""


def test_kernels_that_a_macro_of_the_text_defines():
    x = array([1.0, 4.0])
    load_kernel(MACROS, "take_root")(1, 2, x)
    assert x.tolist() == [1.0, 2.0]
    load_kernel(MACROS, "count")(1, 2, x)
    assert x.tolist() == [0.0, 1.0]
    with pytest.raises(RuntimeError, match="take_sine"):
        load_kernel(MACROS, "take_sine")(1, 2, x)


def test_comments_stand_anywhere():
    text = """__global__ /* a */ void // b
  mirror /* c */ (float* /* d */ out // e
  ) { extern /* f */ __shared__ /* g */ float tile[ /* h
  */ ]; // extern __shared__ int tile[];
  const char* words = "/* no comment"; char brace = '{';
  tile[threadIdx.x] = threadIdx.x + (words[1] == '*') + (brace == '{');
  __syncthreads();
  out[threadIdx.x] = tile[1 - threadIdx.x];
}"""
    out = array([0.0, 0.0])
    load_kernel(text, "mirror")(1, 2, out, dynamic_shared=8)
    assert out.tolist() == [3.0, 2.0]


@pytest.mark.parametrize(
    ("size", "error", "says"),
    [
        (1.0, TypeError, "size 1.0: expected a whole number"),
        ("32", TypeError, "size '32'"),
        ((1, None), TypeError, "size (1, None)"),
        (0, ValueError, "each at least 1"),
        ((1, 1, 1, 1), ValueError, "one to three numbers"),
    ],
)
def test_sizes_of_a_launch(size, error, says):
    with pytest.raises(error, match=re.escape(says)):
        load_kernel(TEXT, "mine::weigh")(size, 1, array([0.0]))


def test_sizes_of_a_launch_may_be_numpys():
    out = array([0.0] * 3)
    load_kernel(MACROS, "count")(np.int64(1), (np.int32(3), 1), out)
    assert out.tolist() == [0.0, 1.0, 2.0]
