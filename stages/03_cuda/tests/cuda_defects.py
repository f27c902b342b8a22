"""Kernels with one defect each, and correct ones that look defective, for test_checker.py.

`here` marks the line that the message must name. The first line of a kernel is line 1. Arguments:
x holds 0, 1, ..., 255, and out nothing but zeros; `fresh` was never written.
"""

from dataclasses import dataclass, replace

PARAMETERS = "const float* x, float* out, float* fresh, int* count, unsigned char* bytes"


@dataclass(frozen=True)
class Row:
    """A kernel's body, what the message says of it ("" for a correct one), and its launch."""

    body: str
    says: str = ""
    grid: int = 1
    block: int = 64
    shared: int = 0  # dynamic, in bytes
    head: str = ""  # before the kernel, on its own lines

    def text(self, name: str) -> str:
        """CUDA text of the kernel, with line numbers of its own."""
        body = self.body.strip("\n").replace("here", "")
        return (
            f'#line 1 "helper.cu"\n{self.head}\n#line 1 "kernel.cu"\n'
            f'extern "C" __global__ void {name}({PARAMETERS}) {{\n  int t = threadIdx.x;\n'
            f"  int i = blockIdx.x * blockDim.x + t;\n{body}\n}}\n"
        )

    @property
    def lines(self) -> list[int]:
        """The lines one of which the message must name."""
        numbered = enumerate(self.body.strip("\n").splitlines(), 4)
        return [number for number, line in numbered if "here" in line]


# At the head of all: not inlined, so that nothing tells the compiler where the pointer comes from.
SUM = (
    "__device__ __attribute__((noinline)) float sum_of(const float* p, int n) "
    "{ float s = 0; for (int k = 0; k < n; k++) s += p[k]; return s; }\n"
)
OUTSIDE = "outside every array it was given"
NO_ROOM = "uses index"

BOUNDS = {
    "a write past the end": Row("  out[i * 8] = 1;  // here", OUTSIDE),
    "a read past the end": Row("  out[i] = x[i + 193];  // here", OUTSIDE),
    "a write before the start": Row("  out[i - 1] = 1;  // here", OUTSIDE),
    "into the argument before": Row("  out[i] = out[i - 200];  // here", OUTSIDE),
    "into an argument behind": Row("  out[i] = x[i + 5000];  // here", OUTSIDE),
    "an index that overflowed": Row("  out[(int)(i * 1073741825u)] = 1;  // here", OUTSIDE),
    "the last float4": Row(
        "  float4 v = ((const float4*)x)[i + 1]; out[i] = v.w;  // here", OUTSIDE
    ),
    "the next shared array": Row(
        "  __shared__ float a[64]; __shared__ float b[64];\n  a[t] = x[t]; b[t] = x[t];\n"
        "  __syncthreads();\n  out[t] = a[t + 1] + b[t];  // here",
        "index 64 of an array of type 'float [64]'",
    ),
    "the next shared array, by a pointer": Row(
        "  __shared__ float a[64], b[64];\n  a[t] = b[t] = x[t];\n  __syncthreads();\n"
        "  const float* p = a;\n  out[t] = p[t + 1] + b[t];  // here",
        "outside",
    ),
    "the next shared array, in a function": Row(
        "  __shared__ float a[64]; __shared__ float b[64];\n  a[t] = x[t]; b[t] = x[t];\n"
        "  __syncthreads();\n  out[t] = next_of(a, t) + b[0];",
        "",
        head="__device__ __attribute__((noinline)) float next_of(const float* p, int t) "
        "{ return p[t + 1]; }",
    ),
    "the next row of a shared array": Row(
        "  __shared__ float a[8][8];\n  a[t / 8][t % 8] = x[t];\n  __syncthreads();\n"
        "  out[t] = t < 56 ? a[t / 8][t % 8 + 1] : 0;  // here",
        "index 8 of an array of type 'float [8]'",
    ),
    "a shared array before its start": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];\n  __syncthreads();\n"
        "  out[t] = a[t - 1];  // here",
        "index -1 of",
    ),
    "dynamic shared memory": Row(
        "  extern __shared__ float s[];\n  s[t] = x[t];\n  __syncthreads();\n"
        "  out[t] = s[t + 1];  // here",
        OUTSIDE,
        shared=256,
    ),
    "dynamic shared memory of too few bytes": Row(
        "  extern __shared__ float s[];\n  s[t] = x[t];  // here",
        "of the `extern __shared__` array, which has the 128 bytes that dynamic_shared says",
        shared=128,
    ),
    "dynamic shared memory, missed by far": Row(
        "  extern __shared__ float s[];\n  s[t * 5000] = x[t];  // here",
        "past the end of the `extern __shared__` array, which has the 256 bytes",
        shared=256,
    ),
    "dynamic shared memory before its start": Row(
        "  extern __shared__ float s[];\n  s[t - 1] = x[t];  // here",
        "4 bytes before the start of the `extern __shared__` array",
        shared=256,
    ),
    "dynamic shared memory that nobody asked for": Row(
        "  extern __shared__ float s[];\n  s[t] = x[t];  // here",
        "the launch asks for none; say kernel(grid, block, ..., dynamic_shared=bytes)",
    ),
    "dynamic shared memory that nobody asked for, in a second array": Row(
        "  extern __shared__ float s[];\n  float* second = s + 4096;\n"
        "  out[t] = second[t - 5000];  // here",
        "the launch asks for none",
    ),
    "a local array, read": Row(
        "  float a[4] = {1, 2, 3, 4};\n  out[t] = a[t % 5];  // here", "index 4 of"
    ),
    "a local array, written": Row(
        "  float a[4] = {};\n  for (int k = 0; k <= 4; k++) a[k] = k;  // here\n"
        "  out[t] = a[t % 4];",
        "index 4 of",
    ),
    "the next row of a local array": Row(
        "  float a[2][3] = {};\n  out[t] = a[0][3 + t % 2];  // here",
        "of an array of type 'float [3]'",
    ),
    "a local array, by a pointer": Row(
        "  float a[4] = {1, 2, 3, 4};\n  const float* p = a;\n  out[t] = p[t % 5];  // here",
        "outside",
    ),
    "memory of malloc()": Row(
        "  int* p = (int*)malloc(8);\n  p[t % 3] = t;  // here\n  free(p);", OUTSIDE
    ),
    "memory that is freed": Row(
        "  int* p = (int*)malloc(8);\n  p[0] = t;\n  free(p);\n  count[t] = p[0];  // here",
        "memory that free() has taken back",
    ),
    "memory that is freed, after a new malloc()": Row(
        "  int* p = (int*)malloc(8);\n  free(p);\n  int* q = (int*)malloc(8);\n  q[0] = t;\n"
        "  count[t] = p[0];  // here\n  free(q);",
        "memory that free() has taken back",
    ),
    "memory that is freed twice": Row(
        "  int* p = (int*)malloc(8);\n  free(p);\n  free(p);  // here",
        "frees at kernel.cu:6 memory that is free already",
    ),
    "memset": Row("  if (t == 0) memset(out, 0, 4 * 257);  // here", OUTSIDE),
    "memcpy": Row("  if (t == 0) memcpy(out, x, 4 * 257);  // here", OUTSIDE),
    "an atomic operation": Row("  atomicAdd(&count[t * 5], 1);  // here", OUTSIDE),
    "a __device__ array": Row(
        "  next[t] = 1;  // here",
        "of an array of type 'float [60]'",
        head="__device__ float next[60], behind[60];",
    ),
    "a table of constants": Row(
        "  out[t] = table[t % 4];  // here",
        "index 3 of",
        head="__constant__ float table[3] = {1, 2, 3};",
    ),
    "a table of constants, by a pointer": Row(
        "  out[t] = sum_of(fives, 6);",
        "past the end of `fives`, which holds 20 bytes",
        head="__constant__ float fives[5] = {1, 2, 3, 4, 5};\n"
        "__constant__ float more[5] = {1, 2, 3, 4, 5};",
    ),
    "a const table, by a pointer": Row(
        "  static const float table[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
        "  out[t] = sum_of(table[1] - 4 * (t > 70), 4 + (t & 1));",
        "of `table`, which holds 24 bytes",
    ),
    "a __device__ array of zeros, by a pointer": Row(
        "  out[t] = sum_of(zeros, 61);",
        "0 bytes past the end of `zeros`, which holds 240 bytes",
        head="__device__ float zeros[60], zeros_behind[60], zeros_before[60];",
    ),
    "a __device__ array before its start": Row(
        "  out[t] = sum_of(ones - 1, 3);",
        "4 bytes before the start of `ones`",
        head="__device__ float ones[60] = {1};",
    ),
    "a __device__ array of a namespace": Row(
        "  out[t] = sum_of(lib::next, 61);",
        "past the end of `next`",
        head="namespace lib { __device__ float before[3], next[60], behind[60]; }",
    ),
}

ALIGNMENT = {
    "float4 of any float": Row(
        "  float4 v = *(const float4*)(x + t);  // here\n  out[t] = v.x;", "no multiple of 16"
    ),
    "float2 written at an odd float": Row(
        "  *(float2*)(out + 2 * t + 1) = make_float2(1, 2);  // here", "no multiple of 8"
    ),
    "double of any float": Row("  out[t] = *(const double*)(x + 1);  // here", "no multiple of 8"),
    "int of any byte": Row("  out[t] = *(const int*)(bytes + 1);  // here", "no multiple of 4"),
    "an atomic double of any float": Row(
        "  atomicAdd((double*)(out + 1), 1.0);  // here", "no multiple of 8"
    ),
    "double in shared floats": Row(
        "  __shared__ float a[66];\n  a[t] = a[65] = a[64] = 0;\n  __syncthreads();\n"
        "  out[t] = *(double*)(a + 1);  // here",
        "no multiple of 8",
    ),
}

UNWRITTEN = {
    "global memory": Row("  out[t] = fresh[t];  // here", "argument 3"),
    "a counter": Row("  atomicAdd((int*)fresh, 1);  // here", "argument 3"),
    "global memory by float4": Row(
        "  float4 v = ((float4*)fresh)[t % 4]; out[t] = v.y;  // here", "argument 3"
    ),
    "shared memory": Row(
        "  __shared__ float a[64];\n  if (t < 32) a[t] = x[t];\n  __syncthreads();\n"
        "  out[t] = a[t];  // here",
        "reads shared memory",
    ),
    "shared memory for atomics": Row(
        "  __shared__ int bins[4];\n  atomicAdd(&bins[t % 4], 1);  // here\n  __syncthreads();\n"
        "  out[t] = bins[t % 4];",
        "reads shared memory",
    ),
    "shared memory of the block before": Row(
        "  __shared__ float a[64];\n  if (blockIdx.x == 0) a[t] = x[t];\n  __syncthreads();\n"
        "  out[t] = a[t];  // here",
        "reads shared memory",
        grid=2,
    ),
    "dynamic shared memory": Row(
        "  extern __shared__ float s[];\n  out[t] = s[t];  // here",
        "reads shared memory",
        shared=256,
    ),
    "a local number": Row("  float s;\n  s += x[t];  // here\n  out[t] = s;", "local variable"),
    "a local sum in a loop": Row(
        "  float s;\n  for (int k = 0; k < 4; k++) s += x[k];  // here\n  out[t] = s;",
        "local variable",
    ),
    "a local number on one path": Row(
        "  float s;\n  if (t > 5) s = x[t];\n  out[t] = s;  // here", "local variable"
    ),
    "a local array": Row(
        "  float a[4];\n  for (int k = 1; k < 4; k++) a[k] = x[k];\n  out[t] = a[t % 4];  // here",
        "local variable",
    ),
    "a local byte": Row("  unsigned char b;\n  out[t] = b + 1;  // here", "local variable"),
    "a local bool in a loop": Row(
        "  bool found;\n  for (int k = 0; k < 4; k++)\n    if (x[k] > 100) found = true;\n"
        "  out[t] = found;  // here",
        "local variable",
    ),
    "a member of a local struct": Row(
        "  struct Pair { float a, b; };\n  Pair p;\n  p.a = x[t];\n  out[t] = p.a + p.b;  // here",
        "local variable",
    ),
    "a local whole number": Row("  int n, m = 2;\n  out[t] = n + m;  // here", "local variable"),
}

RACE = "race in"
RACES = {
    "no barrier": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];  // here\n  out[t] = a[63 - t];  // here", ""
    ),
    "no second barrier": Row(
        "  __shared__ float a[64];\n  for (int k = 0; k < 2; k++) {\n"
        "    a[t] = x[t + k];  // here\n"
        "    __syncthreads();\n    out[t] = a[63 - t];  // here\n  }",
        RACE,
    ),
    "different values at one place": Row("  out[0] = t;  // here", "let one thread write"),
    "between blocks": Row("  if (t == 0) out[0] = blockIdx.x;  // here", RACE, grid=2),
    "a sum without atomics": Row("  out[0] += x[t];  // here", "use atomicAdd() or its like"),
    "a stencil in place": Row(
        "  if (t > 0) out[t] = out[t - 1] + 1;  // here", "add one between the lines"
    ),
    "a stencil in place, between blocks": Row(
        "  float left = i > 0 ? out[i - 1] : 0;  // here\n  __syncthreads();\n"
        "  out[i] = left + 1;  // here",
        RACE,
        grid=2,
    ),
    "float4 over floats": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];  // here\n"
        "  if (t < 16) { float4 v = ((float4*)a)[15 - t]; out[t] = v.x; }  // here",
        "",
    ),
    "float4 written, floats read": Row(
        "  if (t < 16) ((float4*)out)[t] = make_float4(1, 2, 3, t);  // here\n"
        "  fresh[t] = out[63 - t];  // here",
        RACE,
    ),
    "bytes of a word": Row(
        "  bytes[t] = t;  // here\n  if (t < 16) count[t] = ((int*)bytes)[15 - t];  // here", RACE
    ),
    "half of a double": Row(
        "  if (t < 32) ((double*)out)[t] = t; else count[t] = ((int*)out)[t];  // here", RACE
    ),
    "lanes of a warp": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];\n  __syncthreads();\n"
        "  if (t < 16) a[t] += a[t + 16];  // here\n  if (t < 8) a[t] += a[t + 8];  // here\n"
        "  out[t] = a[0];",
        RACE,
    ),
    "a sum by several blocks": Row(
        "  if (t == 0) out[0] += x[i];  // here", "use atomicAdd() or its like", grid=2
    ),
    "volatile lanes of a warp": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];\n  __syncthreads();\n"
        "  volatile float* v = a;\n  if (t < 32) {\n    v[t] += v[t + 32];\n"
        "    v[t] += v[t + 16];  // here\n    v[t] += v[t + 8];  // here\n  }\n"
        "  __syncthreads();\n  out[t] = a[0];",
        "no __syncthreads() lies between them; add `__syncwarp()` between the lines",
    ),
    "a shuffle taken for a fence": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];  // here\n"
        "  float v = __shfl_sync(0xffffffff, x[t], 0);\n  out[t] = a[t ^ 1] + v;  // here",
        RACE,
    ),
    "a vote taken for a fence": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];  // here\n  __ballot_sync(0xffffffff, t & 1);\n"
        "  out[t] = a[t ^ 1];  // here",
        RACE,
    ),
    "__syncwarp() between warps": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];  // here\n  __syncwarp();\n"
        "  out[t] = a[t ^ 32];  // here",
        "",
    ),
    "__syncwarp() of other lanes": Row(
        "  __shared__ float a[32];\n  a[t] = x[t];  // here\n"
        "  __syncwarp(t < 16 ? 0xffff : 0xffff0000);\n  out[t] = a[t ^ 16];  // here",
        "",
        block=32,
    ),
    "one of many readers": Row(
        "  float s = t < 63 ? out[7] : 0;  // here\n  if (t == 63) out[7] = 5;  // here\n"
        "  out[64 + t] = s;",
        RACE,
    ),
    "a reader of another block": Row(
        "  float s = out[7];  // here\n  if (i == 64) out[7] = 5;  // here\n  out[64 + i] = s;",
        RACE,
        grid=2,
    ),
    "a counter read plainly": Row(
        "  atomicAdd(count, 1);  // here\n  out[t] = count[0];  // here", RACE
    ),
    "a counter read plainly, then changed": Row(
        "  int now = count[0];  // here\n  if (now < 10) atomicAdd(count, 1);  // here",
        "a plain read beside atomic operations is a race",
    ),
    "a mark read plainly, then exchanged": Row(
        "  if (count[t % 4] == 0)  // here\n    if (atomicExch(&count[t % 4], 1) == 0)  // here\n"
        "      out[t] = 1;",
        "a plain read beside atomic operations is a race",
    ),
    "a counter read by another block": Row(
        "  if (blockIdx.x == 0) atomicAdd(count, 1);  // here\n  else out[i] = count[0];  // here",
        "a plain read beside atomic operations is a race",
        grid=2,
    ),
    "a shared counter read before it is changed": Row(
        "  __shared__ int n;\n  if (t == 0) n = 0;\n  __syncthreads();\n"
        "  if (n < 9)  // here\n    atomicSub(&n, 1);  // here",
        "a plain read beside atomic operations is a race",
    ),
    "an atomic sum, then a plain write": Row(
        "  atomicAdd(count, 1);  // here\n  if (t == 5) count[0] = 0;  // here", RACE
    ),
    "a sum set to zero by one thread": Row(
        "  __shared__ int n;\n  if (t == 0) n = 0;  // here\n  atomicAdd(&n, 1);  // here\n"
        "  __syncthreads();\n  count[t] = n;",
        "",
    ),
    "bins set to zero by those that count": Row(
        "  if (t < 8) count[t] = 0;  // here\n  atomicAdd(&count[t % 8], 1);  // here", RACE
    ),
    "a sum set to zero beside other blocks": Row(
        "  if (i == 0) count[0] = 0;  // here\n  __syncthreads();\n  atomicAdd(count, 1);  // here",
        "nothing orders the blocks of a launch; let a second launch do what comes later",
        grid=3,
    ),
    "a sum read beside other blocks": Row(
        "  if (i == 0) out[0] = count[0];  // here\n  __syncthreads();\n"
        "  atomicAdd(count, 1);  // here",
        "a plain read beside atomic operations is a race",
        grid=3,
    ),
    "a sum for one block only": Row(
        "  atomicAdd_block(count, 1);  // here", "use the operation without _block", grid=4
    ),
    "a sum for one block beside one for all": Row(
        "  if (blockIdx.x == 0) atomicAdd(count, 1);  // here\n"
        "  else atomicMax_block(count, 1);  // here",
        "use the operation without _block",
        grid=2,
    ),
    "a reference for one block only": Row(
        "  cuda::atomic_ref<int, cuda::thread_scope_block>(count[0])++;  // here",
        "use the operation without _block",
        grid=2,
        head="#include <cuda/atomic>",
    ),
    "a swap for one block only": Row(
        "  atomicCAS_block(&count[t], 0, i);  // here", "use the operation without _block", grid=2
    ),
    "no barrier before the sum is read": Row(
        "  __shared__ int sum;\n  if (t == 0) sum = 0;\n  __syncthreads();\n"
        "  atomicAdd(&sum, t);  // here\n  if (t == 0) out[0] = sum;  // here",
        RACE,
    ),
    "a flag without a fence": Row(
        "  volatile int* flag = count;\n  if (t == 0) { out[0] = 7; flag[0] = 1; }  // here\n"
        "  if (t == 32) { while (flag[0] == 0) {} out[1] = out[0]; }  // here",
        RACE,
    ),
    "a flag that is read without a fence": Row(
        "  volatile int* flag = count;\n"
        "  if (t == 0) {\n    out[0] = 7;  // here\n    __threadfence(); flag[0] = 1;\n  }\n"
        "  if (t == 32) { while (flag[0] == 0) {} out[1] = out[0]; }  // here",
        "no __threadfence() follows the read of the flag; add one between the lines",
    ),
    "a flag that is read relaxed": Row(
        "  cuda::atomic_ref<int> flag(count[0]);\n"
        "  if (t == 0) {\n    out[0] = 7;  // here\n    flag.store(1);\n  }\n"
        "  if (t == 32) {\n    while (flag.load(cuda::memory_order_relaxed) == 0) {}\n"
        "    out[1] = out[0];  // here\n  }",
        "no __threadfence() follows the read of the flag",
        head="#include <cuda/atomic>",
    ),
    "a barrier that is used before it is made": Row(
        "  __shared__ cuda::barrier<cuda::thread_scope_block> both;\n"
        "  if (t == 0) init(&both, 64);\n  both.arrive_and_wait();  // here",
        "shared memory",
        head="#include <cuda/barrier>",
    ),
    "a lock that is made beside its first use": Row(
        "  __shared__ int lock;\n  if (t == 0) lock = 0;\n"
        "  if (t % 32 == 0) {\n    while (atomicCAS(&lock, 0, 1) != 0) {}  // here\n"
        "    __threadfence();\n    out[0] += 1;\n    __threadfence();\n    atomicExch(&lock, 0);\n"
        "  }",
        "shared memory",
    ),
    "a tile that is filled again too early": Row(
        "  __shared__ float tile[64];\n  float sum = 0;\n  for (int k = 0; k < 2; k++) {\n"
        "    tile[t] = x[64 * k + t];  // here\n    __syncthreads();\n"
        "    for (int j = 0; j < 64; j++) sum += tile[j];  // here\n  }\n  out[t] = sum;",
        "no __syncthreads() lies between them; add one between the lines",
    ),
    "a plain flag": Row(
        "  if (i == 0) {\n    out[0] = 7;\n    __threadfence();\n    atomicExch(count, 1);// here\n"
        "  }\n  if (i == 64 && count[0] == 1) {  // here\n    __threadfence();\n"
        "    out[1] = out[0];\n  }",
        "a plain read beside atomic operations",
        grid=2,
    ),
    "a relaxed flag": Row(
        "  cuda::atomic_ref<int> flag(count[0]);\n"
        "  if (t == 0) {\n    out[0] = 7;  // here\n"
        "    flag.store(1, cuda::memory_order_relaxed);\n  }\n"
        "  if (t == 32) {\n    while (flag.load() == 0) {}\n    out[1] = out[0];  // here\n  }",
        RACE,
        head="#include <cuda/atomic>",
    ),
    "the last block without a fence": Row(
        "  __shared__ bool last;\n  if (t == 0) {\n    out[blockIdx.x] = blockIdx.x;  // here\n"
        "    last = atomicAdd(count, 1) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
        "  if (last && t == 0) for (int b = 0; b < 4; b++) out[4] += out[b];  // here",
        RACE,
        grid=4,
    ),
    "the last block with a fence for one block": Row(
        "  __shared__ bool last;\n  if (t == 0) {\n    out[blockIdx.x] = blockIdx.x;  // here\n"
        "    __threadfence_block();\n"
        "    last = atomicAdd(count, 1) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
        "  if (last && t == 0) for (int b = 0; b < 4; b++) out[4] += out[b];  // here",
        RACE,
        grid=4,
    ),
    "a lock that is no lock": Row(
        "  while (count[0] != 0) {}  // here\n  count[0] = 1;  // here\n  out[0] += 1;\n"
        "  count[0] = 0;",
        RACE,
    ),
    "a critical section that is left too early": Row(
        "  if (t % 32 == 0) {\n    while (atomicCAS(count, 0, 1) != 0) {}\n    __threadfence();\n"
        "    atomicExch(count, 0);\n    out[0] += 1;  // here\n  }",
        RACE,
    ),
    "dynamic shared memory": Row(
        "  extern __shared__ float s[];\n  s[t / 2] = t;  // here", RACE, shared=256
    ),
}

WARPS = {
    "a lane outside the mask": Row(
        "  float v = x[t];\n  if (t < 16) v = __shfl_sync(0xffff, v, 20);  // here\n  out[t] = v;",
        "lane 20",
    ),
    "a partner outside the mask": Row(
        "  float v = x[t];\n  if (t < 16) v += __shfl_xor_sync(0xffff, v, 16);  // here\n"
        "  out[t] = v;",
        "outside its mask",
    ),
    "a warp that is not whole": Row(
        "  float v = x[t];\n  for (int d = 16; d > 0; d /= 2)\n"
        "    v += __shfl_down_sync(0xffffffff, v, d);  // here\n  out[t] = v;",
        "outside its mask",
        block=40,
    ),
    "twelve lanes, by halves": Row(
        "  float v = x[t];\n  if (t < 12)\n    for (int d = 8; d > 0; d /= 2)\n"
        "      v += __shfl_down_sync(0xfff, v, d);  // here\n  out[t] = v;",
        "outside its mask",
    ),
    "a mask without the caller": Row(
        "  if (t < 32) out[t] = __shfl_sync(0xffff, x[t], 0);  // here",
        "does not name the calling lane",
    ),
    "a mask without half of the warp": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];\n  __syncwarp(0xffff);  // here\n"
        "  out[t] = a[t ^ 16];  // here",
        " mask ",
        block=32,
    ),
    "two masks": Row(
        "  float v = x[t];\n  if (t % 32 < 16) v = __shfl_sync(0xffffffff, v, 0);  // here\n"
        "  else v = __shfl_sync(0xfffffffe, v, 1);  // here\n  out[t] = v;",
        "all lanes of a mask must call the same function with the same mask",
    ),
    "two functions": Row(
        "  float v = x[t];\n  if (t % 32 < 16)\n    v = __shfl_sync(0xffffffff, v, 0);  // here\n"
        "  else\n    v = __shfl_xor_sync(0xffffffff, v, 1);  // here\n  out[t] = v;",
        "all lanes of a mask must call the same function with the same mask",
    ),
    "a vote and a shuffle": Row(
        "  int v = t;\n  if (t % 2) v = __ballot_sync(0xffffffff, v > 5);  // here\n"
        "  else v = __shfl_down_sync(0xffffffff, v, 1);  // here\n  out[t] = v;",
        "all lanes of a mask must call the same function with the same mask",
    ),
    "a full mask in a branch": Row(
        "  float v = x[t];\n  if (t % 32 < 20) v += __shfl_xor_sync(0xffffffff, v, 1);  // here\n"
        "  out[t] = v;",
        "lane 20 has not come to the call at kernel.cu:5 whose mask names it, but has been at",
    ),
    "a vote with a full mask in a branch": Row(
        "  if (t % 32 < 20) count[t] = __ballot_sync(0xffffffff, t > 3);  // here\n"
        "  atomicAdd(out, 1);",
        "has not come to the call at kernel.cu:4 whose mask names it",
    ),
    "a lane that has returned": Row(
        "  if (t % 2) return;\n  out[t] = __shfl_sync(0xffffffff, x[t], 1);  // here",
        "takes the value of lane 1, whose thread has returned",
    ),
    "a sum over lanes some of which have returned": Row(
        "  if (t >= 40) return;\n  float v = x[t];\n  for (int d = 16; d > 0; d /= 2)\n"
        "    v += __shfl_down_sync(0xffffffff, v, d);  // here\n  out[t] = v;",
        "whose thread has returned",
    ),
}

BARRIERS = {
    "in one branch": Row("  if (t < 40) __syncthreads();  // here\n  out[t] = 1;", "syncthreads"),
    "in both branches": Row(
        "  if (t < 40) {\n    __syncthreads();  // here\n  } else {\n"
        "    __syncthreads();  // here\n  }",
        "divergent __syncthreads()",
    ),
    "in both branches on one line": Row(
        "  if (t > 40) { __syncthreads(); } else { __syncthreads(); }  // here",
        "at another one at kernel.cu:4; move it out of the branches",
    ),
    "a vote in both branches on one line": Row(
        "  out[t] = t > 40 ? __syncthreads_or(t) : __syncthreads_or(5);  // here", "divergent"
    ),
    "in two branches by whole warps": Row(
        "  if (t < 32) {\n    __syncthreads();  // here\n  } else {\n"
        "    __syncthreads();  // here\n  }",
        "CUDA leaves this undefined even for whole warps",
    ),
    "after a return": Row("  if (t > 40) return;\n  __syncthreads();  // here", "syncthreads"),
    "in a loop of another length": Row(
        "  for (int k = 0; k < t; k++) __syncthreads();  // here", "syncthreads"
    ),
    "a wait for what nobody writes": Row(
        "  while (((volatile int*)count)[0] == 0) {}  // here", "still running"
    ),
    "an endless loop": Row("  for (;;) {}  // here", "still running"),
    "a division by zero": Row(
        "  out[t] = 7 / count[t];  // here", "divides a whole number by zero"
    ),
    "a barrier for more threads than arrive": Row(
        "  __shared__ cuda::barrier<cuda::thread_scope_block> both;\n"
        "  if (t == 0) init(&both, 65);\n  __syncthreads();\n  both.arrive_and_wait();  // here",
        "; as many must arrive, or release, as init() or the stages say",
        head="#include <cuda/barrier>",
    ),
    "a throw": Row("  if (t == 3) throw 5;  // here", "throws a C++ exception"),
    "a throw of a class": Row(
        "  if (t == 3) throw std::string(9, 'a');  // here",
        "throws a C++ exception",
        head="#include <string>",
    ),
    "an exception of the C++ library": Row(
        "  std::vector<int> v(3); out[t] = v.at(t);  // here",
        "throws a C++ exception",
        head="#include <vector>",
    ),
    "an assertion": Row("  assert(t < 9);  // here", "failed"),
}

SHARED = "  __shared__ Word s[64];\n  Word sum = 0;\n"
AFTER = f"{SHARED}  s[t] = 1;\n  __syncthreads();\n"


def late(word: str) -> dict[str, Row]:
    """Defects of a line that did right many times before: check_words of checker.cpp met those."""
    rows = {
        "a read outside": Row(
            "  const Word* p = (const Word*)x;\n  Word sum = 0;\n"
            "  for (int k = 0; k <= 1024 / sizeof(Word); k++) sum += p[k];  // here\n"
            "  out[t] = sum;",
            OUTSIDE,
        ),
        "a write outside": Row(
            "  for (int k = t; k <= 1024 / sizeof(Word); k += 64) ((Word*)out)[k] = 0;  // here",
            OUTSIDE,
        ),
        "unwritten memory": Row(
            "  Word* p = (Word*)fresh;\n  Word sum = 0;\n  p[t] = 1;\n  __syncthreads();\n"
            "  for (int k = 0; k <= 64; k++) sum += p[k];  // here\n  out[t] = sum;",
            "argument 3",
        ),
        "unwritten shared memory": Row(
            f"{SHARED}  if (t < 63) s[t] = 1;\n  __syncthreads();\n"
            "  for (int k = 0; k < 64; k++) sum += s[k];  // here\n  out[t] = sum;",
            "nobody has written in this block",
        ),
        "unwritten shared memory of a later block": Row(
            f"{SHARED}  if (blockIdx.x == 0 || t > 0) s[t] = 1;\n  __syncthreads();\n"
            "  for (int k = 63; k >= 0; k--) sum += s[k];  // here\n  out[i] = sum;",
            "nobody has written in this block",
            grid=2,
        ),
        "a write of what others read": Row(
            f"{AFTER}  for (int k = 0; k < 64; k++) sum += s[k];  // here\n"
            "  s[63 - t] = sum;  // here",
            "race in shared memory",
        ),
        "a read of what another writes": Row(
            f"{AFTER}  for (int k = 0; k < 3; k++) {{\n    s[t] = k;  // here\n"
            "    if (k < 2) __syncthreads();\n    sum += s[63 - t];  // here\n"
            "    if (k < 2) __syncthreads();\n  }\n  out[t] = sum;",
            "race in shared memory",
        ),
        "a write of what another block read": Row(
            "  Word* p = (Word*)out;\n  Word sum = 0;\n"
            "  for (int k = 0; k < 64; k++) sum += p[k];  // here\n"
            "  __syncthreads();\n  if (blockIdx.x == 1) p[t] = sum + 1;  // here",
            "nothing orders the blocks of a launch",
            grid=2,
        ),
    }
    return {name: replace(row, body=row.body.replace("Word", word)) for name, row in rows.items()}


DEFECTS = {
    f"{family}: {name}": row
    for family, rows in (
        ("bounds", BOUNDS),
        ("alignment", ALIGNMENT),
        ("unwritten", UNWRITTEN),
        ("races", RACES),
        ("warps", WARPS),
        ("ends", BARRIERS),
        ("late, 4 bytes", late("int")),
        ("late, 8 bytes", late("double")),
    )
    for name, row in rows.items()
}

CORRECT = {
    "memory of its own": Row(
        "  float* p = (float*)malloc(8);\n  int* q = new int[3];\n  p[0] = q[2] = t;\n"
        "  out[t] = p[0] + q[2];\n  free(p);\n  delete[] q;"
    ),
    "the last block adds up": Row(
        """
  __shared__ bool last;
  if (t == 0) {
    out[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) for (int b = 0; b < gridDim.x; b++) out[64] += out[b];""",
        grid=8,
    ),
    "the last block, each thread with a fence": Row(
        """
  __shared__ bool last;
  out[i] = t;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) fresh[t] = out[t] + out[64 + t];""",
        grid=2,
    ),
    "a spin lock between threads and blocks": Row(
        """
  while (atomicCAS(count, 0, 1) != 0) {}
  __threadfence();
  out[0] += 1;
  __threadfence();
  atomicExch(count, 0);""",
        grid=4,
    ),
    "a spin lock with a volatile release": Row(
        """
  while (atomicCAS(count, 0, 1) != 0) {}
  __threadfence();
  out[0] += 1;
  __threadfence();
  *(volatile int*)count = 0;""",
        grid=2,
    ),
    "a maximum by compare and swap": Row(
        """
  int old = *count, value = (i * 37) % 101;
  while (old < value) {
    int assumed = old;
    old = atomicCAS(count, assumed, value);
    if (old == assumed) break;
  }""",
        grid=2,
    ),
    "a float sum by compare and swap": Row(
        """
  int* bits = (int*)out;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) + 1));
  } while (old != assumed);""",
    ),
    "the same value by several threads": Row(
        "  if (x[t] > 5) count[0] = 1;\n  __syncthreads();\n  out[t] = count[0];"
    ),
    "the same value in shared memory": Row(
        "  __shared__ int found;\n  found = 0;\n  __syncthreads();\n  if (t % 3 == 0) found = 1;\n"
        "  __syncthreads();\n  out[t] = found;"
    ),
    "shared doubles read as floats": Row(
        "  __shared__ double a[32];\n  if (t < 32) a[t] = x[t];\n  __syncthreads();\n"
        "  out[t] = ((float*)a)[t];"
    ),
    "float4, then floats": Row(
        "  if (t < 16) ((float4*)out)[t] = ((const float4*)x)[t];\n  __syncthreads();\n"
        "  fresh[t] = out[63 - t];"
    ),
    "floats, then float4": Row(
        "  __shared__ float a[64];\n  a[t] = x[t];\n  __syncthreads();\n"
        "  if (t < 16) ((float4*)out)[t] = ((float4*)a)[15 - t];"
    ),
    "a union": Row(
        "  __shared__ union { double d[32]; float f[64]; unsigned char b[256]; } u;\n"
        "  u.f[t] = x[t];\n  __syncthreads();\n  if (t < 32) ((double*)out)[t] = u.d[31 - t];\n"
        "  bytes[t] = u.b[t];"
    ),
    "bytes side by side": Row(
        "  bytes[t] = t;\n  __syncthreads();\n  count[t] = ((int*)bytes)[t / 4];"
    ),
    "a flag between blocks": Row(
        """
  volatile int* flag = count;
  if (blockIdx.x == 1 && t == 0) {
    out[0] = 7;
    __threadfence();
    flag[0] = 1;
  }
  if (blockIdx.x == 0 && t == 0) {
    while (flag[0] == 0) {}
    __threadfence();
    out[1] = out[0];
  }""",
        grid=2,
    ),
    "a chain of blocks": Row(
        """
  if (t == 0) {
    volatile int* turn = count;
    while (*turn != blockIdx.x) {}
    __threadfence();
    out[0] = out[0] * 2 + 1;
    __threadfence();
    *turn = blockIdx.x + 1;
  }""",
        grid=12,
    ),
    "a chain of blocks, backwards": Row(
        """
  __shared__ float kept[64];
  kept[t] = x[t] + blockIdx.x;
  if (t == 0) {
    while (atomicAdd(count, 0) != gridDim.x - 1 - blockIdx.x) {}
    __threadfence();
    out[128] += kept[0];
    __threadfence();
    atomicAdd(count, 1);
  }
  __syncthreads();
  out[i] = kept[63 - t];""",
        grid=2,
    ),
    "a flag between lanes": Row(
        """
  __shared__ volatile int flag;
  __shared__ float data;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 5) {
    data = 3;
    __threadfence_block();
    flag = 1;
  }
  if (t == 0) {
    while (flag == 0) {}
    __threadfence_block();
    out[0] = data;
  }""",
    ),
    "a shuffle from the lane that has something": Row(
        "  float r;\n  if (t % 32 == 3) r = t;\n  out[t] = __shfl_sync(0xffffffff, r, 3);"
    ),
    "a relaxed flag with fences": Row(
        """
  cuda::atomic_ref<int> flag(count[0]);
  if (t == 0) {
    out[0] = 7;
    __threadfence();
    flag.store(1, cuda::memory_order_relaxed);
  }
  if (t == 32) {
    while (flag.load(cuda::memory_order_relaxed) == 0) {}
    __threadfence();
    out[1] = out[0];
  }""",
        head="#include <cuda/atomic>",
    ),
    "turns of lanes": Row(
        """
  volatile int* turn = count;
  while (*turn != t) {}
  __threadfence();
  out[0] = out[0] + t;
  __threadfence();
  *turn = t + 1;""",
    ),
    "a tree by __syncwarp()": Row(
        """
  __shared__ float a[64];
  a[t] = x[t];
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    float v = t % 32 < d ? a[t + d] : 0;
    __syncwarp();
    if (t % 32 < d) a[t] += v;
    __syncwarp();
  }
  out[t] = a[t / 32 * 32];""",
    ),
    "two halves of a warp": Row(
        """
  __shared__ float a[64];
  unsigned mask = t % 32 < 16 ? 0xffff : 0xffff0000;
  a[t] = x[t];
  __syncwarp(mask);
  out[t] = a[t ^ 8];""",
    ),
    "a tree of sixteen lanes": Row(
        """
  float v = x[t];
  if (t < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d);
  }
  if (t == 0) out[0] = v;""",
    ),
    # CUDA's manual on compute capability 7.0 shows just this as valid.
    "a shuffle in both branches": Row(
        """
  float v = x[t];
  if (t % 32 < 16) {
    v = __shfl_xor_sync(0xffffffff, v, 16);
  } else {
    v += 1;
    v = __shfl_xor_sync(0xffffffff, v, 16);
  }
  out[t] = v;""",
    ),
    "halves of a warp meet at two places": Row(
        """
  float v = x[t];
  if (t % 32 < 16) {
    __syncwarp();
    v = __shfl_sync(0xffff, v, 3);
  } else {
    v = __shfl_down_sync(0xffff0000, v, 1);
    __syncwarp();
  }
  out[t] = v;""",
    ),
    "a sum over lanes without those that have returned": Row(
        """
  if (t >= 48) return;
  float v = x[t];
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  out[t] = v;""",
    ),
    "votes, matches and sums without lanes that have returned": Row(
        """
  if (t > 3 && t < 40) return;
  __syncwarp();
  count[t] = __ballot_sync(0xffffffff, t > 2) + __match_any_sync(0xffffffff, t / 2);
  int all;
  __match_all_sync(0xffffffff, t / 32, &all);
  assert(all && __all_sync(0xffffffff, t != 5) && __reduce_add_sync(0xffffffff, 1) < 32);""",
    ),
    "lanes that return one after another out of a loop": Row(
        """
  for (int k = 0; k < 40; k++) {
    float v = x[k];
    if (k == t) return;
    out[t] += v;
    out[t] += __popc(__ballot_sync(0xffffffff, 1));
  }""",
    ),
    "lanes that return one after another": Row(
        "  for (int k = 0; k <= t; k++) count[t] += __popc(__ballot_sync(0xffffffff, 1));"
    ),
    "one barrier, twice on a line and in a function of both branches": Row(
        """
  __syncthreads(); __syncthreads();
  if (t < 40) meet(); else meet();
  out[t] = meet_as<int>() + __syncthreads_count(t < 9);""",
        head="__device__ void meet() { __syncthreads(); }\n"
        "template <class E> __device__ E meet_as() { __syncthreads(); return 1; }",
    ),
    "shared numbers that begin with an atomic store": Row(
        """
  __shared__ int n, m;
  if (t == 0) {
    atomicExch(&n, 0);
    cuda::atomic_ref<int>(m).store(0);
  }
  __syncthreads();
  atomicAdd(&n, 1);
  atomicAdd_block(&m, 1);
  __syncthreads();
  out[t] = n + m;""",
        grid=2,
        head="#include <cuda/atomic>",
    ),
    "a sum for each block, and one of all that the last block reads": Row(
        """
  __shared__ bool last;
  atomicAdd_block(&count[1 + blockIdx.x], 1);
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && t == 0) {
    for (int b = 0; b < gridDim.x; b++) out[0] += count[1 + b];
    count[0] = 0;
  }""",
        grid=4,
    ),
    "a counter read through a volatile pointer": Row(
        "  if (*(volatile int*)count < 10) atomicAdd(count, 1);"
    ),
    "a counter read atomically": Row("  if (atomicAdd(count, 0) < 10) atomicAdd(count, 1);"),
    "an atomic load beside plain reads": Row(
        "  cuda::atomic_ref<int> ref(count[0]);\n  out[t] = count[0] + ref.load();",
        head="#include <cuda/atomic>",
    ),
    "a flag and a lock by cuda::atomic_ref": Row(
        """
  cuda::atomic_ref<int> flag(count[0]), lock(count[1]);
  if (t == 0) {
    out[0] = 7;
    flag.store(1, cuda::memory_order_release);
  }
  while (flag.load(cuda::memory_order_acquire) == 0) {}
  while (lock.exchange(1, cuda::memory_order_acquire)) {}
  out[0] += 1;
  lock.store(0, cuda::memory_order_release);""",
        head="#include <cuda/atomic>",
    ),
    "the last block, by cuda::atomic_ref": Row(
        """
  __shared__ bool last;
  out[i] = t;
  __syncthreads();
  if (t == 0) last = cuda::atomic_ref<int>(count[0]).fetch_add(1) == gridDim.x - 1;
  __syncthreads();
  if (last) fresh[t] = out[t] + out[64 + t];""",
        grid=2,
        head="#include <cuda/atomic>",
    ),
    "a table of keys": Row(
        """
  int key = 1 + t % 5, slot = key * 7 % 8;
  for (;;) {
    if (count[slot] == key) break;
    if (count[slot] == 0 && atomicCAS(&count[slot], 0, key) == 0) break;
    slot = (slot + 1) % 8;
  }""",
        grid=2,
    ),
    "a shared array of a class with a constructor": Row(
        """
  __shared__ Pair a[64];
  a[t].x = x[t];
  a[t].y = t;
  __syncthreads();
  out[t] = a[63 - t].x + a[63 - t].y;""",
        grid=2,
        head="struct Pair { float x, y; Pair() = default; "
        "__device__ Pair(float v) : x(v), y(v) {} };",
    ),
    "tables by pointers": Row(
        "  static const float last[3] = {7, 8, 9};\n"
        "  out[t] = sum_of(table, 5) + sum_of(next, 60) + sum_of(last, 3);",
        head="__constant__ float table[5] = {1, 2, 3, 4, 5};\n"
        "__device__ float next[60], behind[60];",
    ),
    "a scan by shuffles": Row(
        """
  float v = x[t];
  for (int d = 1; d < 32; d *= 2) {
    float left = __shfl_up_sync(0xffffffff, v, d);
    if (t % 32 >= d) v += left;
  }
  out[t] = v;""",
    ),
    "two buffers": Row(
        """
  __shared__ float a[2][64];
  a[0][t] = x[t];
  __syncthreads();
  for (int k = 0; k < 6; k++) {
    a[(k + 1) % 2][t] = a[k % 2][t] + a[k % 2][(t + 1) % 64];
    __syncthreads();
  }
  out[t] = a[0][t];""",
    ),
    "dynamic shared memory in two parts": Row(
        """
  extern __shared__ float s[];
  int* n = (int*)(s + 64);
  s[t] = x[t];
  n[t] = t;
  __syncthreads();
  out[t] = s[63 - t] + n[63 - t];""",
        shared=512,
    ),
    "a histogram": Row(
        """
  __shared__ int bins[8];
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[t % 8], 1);
  __syncthreads();
  if (t < 8) atomicAdd(&count[t], bins[t]);""",
        grid=3,
    ),
    "a local number written on the path that reads it": Row(
        """
  float v, w[2];
  if (t < 60) v = x[t];
  __syncthreads();
  for (int k = 0; k < 2; k++) w[k] = t;
  if (t < 60) out[t] = v + w[t % 2];""",
    ),
    "local numbers that a function writes": Row(
        "  float s, c, whole;\n  int e;\n  sincosf(x[t], &s, &c);\n"
        "  out[t] = s + c + frexpf(x[t], &e) + e + modff(x[t], &whole) + whole;"
    ),
    "a struct of its own": Row(
        """
  struct Pair { double a; int b; };
  __shared__ Pair pairs[64];
  Pair mine;
  mine.a = x[t];
  mine.b = t;
  pairs[t] = mine;
  __syncthreads();
  Pair other = pairs[63 - t];
  out[t] = other.a + other.b;""",
    ),
    "reading by hand what was written before": Row(
        "  out[t] = -1; count[t] = -1;\n  out[t] += count[t];"
    ),
    "halves of words that look like new memory": Row(
        "  short* pair = (short*)count + 2 * t;\n  pair[0] = -13;\n  __syncthreads();\n"
        "  out[t] = pair[0];\n  pair[1] = -9;\n  pair[0] = 0;\n  __syncthreads();\n"
        "  out[t] += pair[1];"
    ),
    "a matrix product in tiles": Row(
        """
  __shared__ float a[8][8], b[8][9];
  int r = t / 8, c = t % 8;
  float sum = 0;
  for (int k = 0; k < 2; k++) {
    a[r][c] = x[r * 16 + k * 8 + c];
    b[r][c] = x[(k * 8 + r) * 8 + c];
    __syncthreads();
    for (int q = 0; q < 8; q++) sum += a[r][q] * b[q][c];
    __syncthreads();
  }
  out[t] = sum;""",
    ),
}
