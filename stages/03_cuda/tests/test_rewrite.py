"""What rewrite.py makes of CUDA C++: of the tokens, and what runs of texts that need it."""

import pytest
from cuda_lessons import SIM

import norch_cpu_ops as cpu
from norch_cuda import load_kernel
from norch_cuda.runtime.definitions import definitions
from norch_cuda.runtime.rewrite import rewrite
from norch_cuda.runtime.simulator_options import simulator


def put(text, program=True, announce=False):
    """What a text becomes, blanks aside."""
    return " ".join(rewrite(text, program, announce).text.split())


# Inside of a function: what is written, and what it becomes.
LAUNCHES = {
    "shifted sizes": (
        "k<<<1 << 3, n >> 2>>>(x);",
        "(norch_sim::configure(1 << 3 , n >> 2), k (x));",
    ),
    "plain": ("k<<<2, 3>>>(x);", "(norch_sim::configure(2 , 3), k (x));"),
    "one of two": (
        "b ? k<<<1, 2>>>(x) : other<<<1, 2>>>(x);",
        "b ? (norch_sim::configure(1 , 2), k (x)) : (norch_sim::configure(1 , 2), other (x));",
    ),
    "behind return": ("return k<<<1, 2>>>(x);", "return (norch_sim::configure(1 , 2), k (x));"),
    "behind else": ("else k<<<1, 2>>>(x);", "else (norch_sim::configure(1 , 2), k (x));"),
    "a name of a namespace": (
        "a::b::k<<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), a::b::k (x));",
    ),
    "a name of no namespace": ("::k<<<1, 2>>>();", "(norch_sim::configure(1 , 2), ::k ());"),
    "a template": (
        "k<float, (3 > 2)><<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), k<float, (3 > 2)> (x));",
    ),
    "templates in templates": (
        "k<A<B<int>>><<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), k<A<B<int>>> (x));",
    ),
    "a template's template": (
        "T::template k<3><<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), T::template k<3> (x));",
    ),
    "a pointer": ("(*f)<<<1, 2>>>(x);", "(norch_sim::configure(1 , 2), (*f) (x));"),
    "a pointer of an array": (
        "this->table[i].f<<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), this->table[i].f (x));",
    ),
    "what a call gives": (
        "choose(n)<<<1, 2>>>(x);",
        "(norch_sim::configure(1 , 2), choose(n) (x));",
    ),
    "all four sizes": (
        "k<<<dim3(2, 2), f(1), 4 * sizeof(int), s>>>(x);",
        "(norch_sim::configure(dim3 ( 2 , 2 ) , f ( 1 ) , 4 * sizeof ( int ) , s), k (x));",
    ),
    "in a lambda": (
        "run([&](int n) { k<<<n, 1>>>(x); });",
        "run([&](int n) { (norch_sim::configure(n , 1), k (x)); });",
    ),
    "spaces in the brackets": ("k<< <1, 2>> >(x);", "(norch_sim::configure(1 , 2), k (x));"),
    "no launch": ("int y = 1 << 2; z = a<b<c<d>>>::e;", "int y = 1 << 2; z = a<b<c<d>>>::e;"),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_becomes_a_call(name):
    written, expected = LAUNCHES[name]
    assert put(f"void f() {{ {written} }}") == f"void f() {{ {expected} }}"


def test_a_launch_over_lines_keeps_the_lines_behind_it():
    text = 'void f() {\n  k<<<1,\n# 3 "k.cu" 3 4\n   (64)\n# 3 "k.cu"\n   >>>(x);\n}\n'
    made = rewrite(text, True).text
    assert "(norch_sim::configure(1 , ( 64 )), k" in made
    assert made.count("\n") == text.count("\n")


def test_shared_arrays_of_a_class_leave_the_class_there():
    inside = "int* f() { extern __shared__ int s[]; return s; }"
    made = rewrite(f"template <> struct Shared<int> {{ {inside} }};", True).text
    assert "struct Shared<int>" in made and "return s;" in made
    assert "norch_element<int>* s = norch_dynamic_shared" in made


SELF = "(norch_sim::self->"
WORDS = {
    "strings": ('const char* s = R"(__global__ k<<<1>>>(x))" "threadIdx";', None),
    "characters and digits": ("int n = 1'000'000 + '<' + '\\'';", None),
    "threadIdx": ("int i = threadIdx.x;", f"int i = {SELF}thread_index).x;"),
    "a member of that name": ("n = config.blockDim.x + p->gridDim.x;", None),
    "a variable of that name": ("dim3 blockDim(8, 8); g(blockDim);", None),
    "the second of that name": ("dim3 grid(1), blockDim(8); g(grid, blockDim);", None),
    "an argument": (
        "dim3 grid(n, blockDim.x);",
        f"dim3 grid(n, {SELF}block_dim).x);",
    ),
    "assembler": (
        'asm volatile("mov.u32 %0, %%smid;" : "=r"(x[0]));',
        "(x [ 0 ] = norch_sim::register_smid()) ;",
    ),
    "other assembler": ('asm("bar.sync 1, 64;");', None),
    "noinline": ("__noinline__ int g();", "__attribute__((noinline)) int g();"),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_of_a_function(name):
    written, expected = WORDS[name]
    assert put(f"void f() {{ {written} }}") == f"void f() {{ {expected or written} }}"


def test_a_parameter_may_be_called_as_a_word_of_cuda():
    text = "void f(dim3 gridDim, const dim3& blockDim) { g(gridDim, blockDim); }"
    assert put(text) == text


def test_a_kernel_hands_its_body_over():
    text = """
namespace a {
template <class T, int N = (3 > 2)>
__global__ void __launch_bounds__(N * 32, 2)
k(T* const x, unsigned n, float (*f)(int), int (&rows)[2], const int, N::type, long = g(1, 2)) {
  return;
}
}"""
    names = "&x, &n, &f, &rows, nullptr, nullptr, nullptr"
    opening = f"if (norch_sim::packed) norch_sim::unpack({names});"
    launch = 'norch_sim::launch("a::k", (N * 32), [=]() mutable {'
    assert f"{{ {opening} {launch} return; }});}} }}" in put(text)
    assert "__launch_bounds__" not in put(text) and "__global__" not in put(text)
    assert "norch_sim::launch" not in put(text, program=False)
    assert put("__global__ void k(void);") == "void k(void);"
    assert "unpack(&x...)" in put("template <class... T> __global__ void k(T... x) {}")


SHARED = "static thread_local __attribute__((aligned(16)))"
SHARED_ARRAYS = {
    "plain": ("__shared__ float s[8];", f"{SHARED} float s[8];"),
    "static": ("static __shared__ float s[8];", f"{SHARED} float s[8];"),
    "volatile": ("volatile __shared__ int s;", f"volatile {SHARED} int s;"),
    "aligned": (
        "__shared__ alignas(sizeof(T) * 2) float s[8];",
        f"alignas ( sizeof ( T ) * 2 ) {SHARED} float s[8];",
    ),
    "a struct": ("__shared__ struct { int a; } s;", f"{SHARED} struct {{ int a; }} s;"),
    "as large as the launch says": ("extern __shared__ T s[];", "T"),
    "type before the word": ("extern double __shared__ s[];", "double"),
    "two words": ("extern __shared__ volatile unsigned char s[];", "volatile unsigned char"),
    "rows": ("extern __shared__ float s[][32];", "float [ 32 ]"),
}


@pytest.mark.skipif('sys.platform != "linux"', reason="shared memory is a section elsewhere")
@pytest.mark.parametrize("name", SHARED_ARRAYS)
def test_shared_arrays(name):
    written, expected = SHARED_ARRAYS[name]
    if "extern" in written:
        expected = f"norch_element<{expected}>"
        expected = f"{expected}* s = norch_dynamic_shared<{expected}>();"
    assert put(f"void f() {{ {written} }}") == f"void f() {{ {expected} }}"


def test_a_shared_array_of_the_file_belongs_to_the_functions_behind_it_that_use_it():
    text = "void a() { s; } extern __shared__ int s[]; void b() { s[0] = 1; } void c(int* s) { s; }"
    pointer = "norch_element<int>* s = norch_dynamic_shared<norch_element<int>>();"
    assert (
        put(text)
        == f"void a() {{ s; }} void b() {{ {pointer} {{ s[0] = 1; }}}} void c(int* s) {{ s; }}"
    )


LOCALS = {
    "plain": ("float s, t = 1; s += t;", ["s"]),
    "arrays and pointers": ("float *p, a[4][2], *q = a;", ["p"]),
    "a template": ("std::array<int, 4> a; unsigned long long b;", ["a", "b"]),
    "blocks": (
        "if (n) { int a; } else { int b; } switch (n) { case 1: { int c; } }",
        ["a", "b", "c"],
    ),
    "a lambda": ("auto g = [=](int n) { float s; return s; }; h([&] { int t; });", ["s", "t"]),
    "no variables": ("struct A { int a; }; for (int i; i < n; i++) f(); return x; goto end;", []),
    "no values": ("int a[] = {1, 2}; auto b = A{1}; __shared__ int c; static int d; f(x);", []),
}


@pytest.mark.parametrize("name", LOCALS)
def test_locals_without_a_value_are_announced(name):
    written, expected = LOCALS[name]
    made = put(f"__device__ void f() {{ {written} }}", announce=True)
    told = made.split("norch_sim::declared(")[1:]
    assert [n for part in told for n in part.partition(")")[0].split(", ")] == expected
    assert "declared" not in put(f"void host() {{ {written} }}", announce=True)


def test_headers_of_the_system_stay_but_for_words_of_cuda():
    text = """# 1 "k.cu"
# 1 "/usr/include/a.h" 1 3 4
__device__ inline int g() { return threadIdx.x << 1; }
struct Config { int blockDim; };
# 2 "k.cu" 2
int h = 1
# 2 "k.cu" 3 4
 + __null
# 2 "k.cu"
 ; __device__ int n;
"""
    made = rewrite(text, True)
    assert f"inline int g() {{ return {SELF}thread_index).x << 1; }}" in made.text
    assert "struct Config { int blockDim; };" in made.text
    assert made.variables == ("n",) and made.text.count("\n") == text.count("\n")


def test_what_a_text_defines():
    text = """
template <class T> struct A { T x; __device__ A(T x) : x{x} {} };
extern "C" { __global__ void plain(int a[2]) { int b[] = {1}; if (a) {} } }
namespace a::b { inline namespace c { template <> __global__ void of<int>(int*) {} } }
ASSERTED(2 > 1) __global__ void twice(int*) {} __global__ void twice(float*) {}
auto g = [] __device__(int x) { return x; };
__device__ float table[2] = {1, 2}; __constant__ A<int> one{1};
__device__ int call(int); __managed__ int shared_with_the_host;
__global__ void open(int* p) { p[0] = 1;
"""
    kernels, variables = definitions(text)
    names = [(k.name, k.template, k.parameters) for k in kernels]
    assert names == [
        ("plain", "", "int a [ 2 ]"),
        ("a::b::c::of", "template < >", "int *"),
        ("twice", "", "int *"),
        ("twice", "", "float *"),
        ("open", "", "int * p"),
    ]
    assert variables == ("table", "one", "shared_with_the_host")


# ---- texts that need the preprocessor, run -----------------------------------------------

NEEDS = """
#define KERNEL(name) __global__ void name
#if 0
__global__ void lost(float* x) { nothing + of this; }
#elif defined(NEVER)
KERNEL(reverse)(double* x) {}
#endif
#ifdef __CUDACC__
extern __shared__ unsigned char bytes[];
#else
__global__ void reverse(int* x) {}
#endif
namespace lessons {
KERNEL(reverse)
(float* x) {
  float* s = reinterpret_cast<float*>(bytes);
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + (float)((double*)bytes == nullptr);
}
}
__global__ void of_doubles(double* x) {
  extern double __shared__ s[];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = 2 * s[threadIdx.x];
}
"""


@pytest.mark.parametrize("check", [False, True])
def test_texts_that_need_the_preprocessor(check):
    x = SIM.from_list([1.0, 2.0, 3.0])
    wide = SIM.cast(x, cpu.float64)
    with simulator(check=check):
        load_kernel(NEEDS, "of_doubles")(1, 3, wide, dynamic_shared=24)
        load_kernel(NEEDS, "lessons::reverse")(1, 3, x, dynamic_shared=12)
    assert (x.tolist(), wide.tolist()) == ([3, 2, 1], [2, 4, 6])


def test_branches_of_an_if_are_one_kernel():
    text = """
#ifdef TWICE
__global__ void k(float* x) { x[0] *= 2; }
#else
__global__ void k(float* x) { x[0] *= 3; }
#endif
"""
    x = SIM.from_list([1.0])
    load_kernel(text, "k")(1, 1, x)
    assert x.tolist() == [3]
