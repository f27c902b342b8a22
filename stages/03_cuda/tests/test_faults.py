"""A kernel that goes wrong ends its launch, never Python: faults, endless loops, calls that exit.

The kernels run in processes of their own, which must compute on afterwards.
"""

import json
import subprocess
import sys
from functools import partial

import pytest

import norch_cuda

PROGRAM = """
import faulthandler, json, sys
faulthandler.enable()
import norch_cuda
text, names, check = sys.argv[1], sys.argv[2].split(), sys.argv[3] == "check"
seconds = float(sys.argv[4]) if sys.argv[4:] else 30
ops = norch_cuda.ops_for("cuda-sim")
x = ops.from_list([0.0] * 64)
for name in names:
    said = []
    for _ in range(2):
        try:
            with norch_cuda.simulator(check=check, seconds=seconds):
                norch_cuda.load_kernel(text, name)(3, 64, x)
        except RuntimeError as error:
            said.append(str(error).replace(name, "lesson"))
    said.append(ops.add(ops.from_list([1.0, 2.0]), 1.0).tolist())
    print(json.dumps(said), flush=True)
"""
HEAD = 'extern "C" __global__ void lesson(T* p) {\n'
MODES = ("plain", "check")


def array_of_zeros():
    return norch_cuda.ops_for("cuda-sim").from_list([0.0] * 64)


def run_all(texts: dict[str, str], mode: str, seconds: float = 30) -> dict[str, str]:
    """Return what a launch of each kernel says, all in one process: after each it computes on."""
    numbered = [text.replace("lesson", f"lesson_{i}") for i, text in enumerate(texts.values())]
    text = "".join(f'#line 1 "kernel.cu"\n{one}' for one in numbered)
    names = " ".join(f"lesson_{i}" for i in range(len(texts)))
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, text, names, mode, str(seconds)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    lines = answer.stdout.splitlines()
    assert answer.returncode == 0, f"died at {list(texts)[len(lines)]}: {answer.stderr}"
    found = {}
    for name, line in zip(texts, lines, strict=True):
        first, second, computed = json.loads(line)
        assert computed == [2.0, 3.0]
        assert first.startswith("[lesson] ")
        assert first == second or "still running" in first
        found[name] = first
    return found


ENDLESS = {
    "no body": "    while (1);",
    "a jump to itself": "    again: goto again;",
    "a store, then nothing": "    if (threadIdx.x == 0) for (;;) p[blockIdx.x] = 1;",
    "around a barrier": "    for (;;) __syncthreads();",
    "around a shuffle": "    for (int i = 1; i;) i = __shfl_sync(0xffffffff, i, 0);",
    "around an atomic": "    for (;;) atomicAdd(p, T(1));",
    "waiting for a flag": "    while (*(volatile T*)(p + 1) == 0) {}",
    # In the C library, which cannot be left before it returns.
    "sleeping": "    for (;;) sleep(1000);",
    "waiting for a signal": "    for (;;) pause();",
    "waiting for input": "    int q[2], a = pipe(q); char c; for (;;) a = read(q[0], &c, a + 1);",
    "in a function of the C library": '    char b[64]; for (;;) snprintf(b, 64, "%f", p[0]);',
    # What an earlier call left on the stack: pointers to functions, and where it returned to.
    "among what a call left behind": "#line 9\n"
    "    auto once = [](void* left) __attribute__((noinline)) {"
    ' void* volatile a[999]; for (auto& b : a) b = left; char c[64]; snprintf(c, 64, "%f", 1.0); };'
    '\n#line 2\n    once((void*)+once); char b[64]; for (;;) snprintf(b, 64, "%f", p[0]);',
    "of exponentials": '    for (T a = p[0];;) { a = expf(a); asm volatile("" : "+x"(a)); }',
    "in what the C library calls": "    auto f = [](const void*, const void*) -> int { for (;;); };"
    " qsort(p, 64, 4, f);",
}


@pytest.mark.parametrize("mode", MODES)
def test_endless_loops_end_with_their_line(mode):
    texts = {name: f"{HEAD}{body}\n}}\n" for name, body in ENDLESS.items()}
    texts = {name: f"#include <unistd.h>\n#line 1\n{t}" for name, t in texts.items()}
    found = run_all(texts, mode, seconds=0.05)
    for name, said in found.items():
        assert "still running after the time allowed; thread (" in said, (name, said)
        assert "is at kernel.cu:2:" in said, (name, said)


FAULTS = {
    "recursion": (
        "__device__ T deep(T* p, int n) { T a[64]; a[n % 64] = p[0]; "
        "return deep(p, n + 1) + a[n % 64]; }\n" + HEAD + "    p[threadIdx.x] = deep(p, 0);\n}\n",
        "ran out of stack",
    ),
    "a large local array": (
        HEAD + "    volatile T a[1 << 20];\n    a[threadIdx.x] = 1;\n"
        "    p[threadIdx.x] = a[threadIdx.x];\n}\n",
        "ran out of stack",
    ),
    "an overrun local array": (
        HEAD + "    T a[8];\n    volatile T* b = a;\n    for (int i = 0; i < 40; i++) b[i] = i;\n"
        "    p[threadIdx.x] = b[threadIdx.x % 8];\n}\n",
        "wrote past the end of a local array",
    ),
    "a local array overrun by far": (
        HEAD
        + "    T a[8];\n    volatile T* b = a;\n    for (int i = 0; i < 1 << 22; i++) b[i] = i;"
        "\n    p[threadIdx.x] = b[threadIdx.x % 8];\n}\n",
        "kernel.cu:4",
    ),
    "division by zero": (
        HEAD + "    p[threadIdx.x] = 7 / (int)p[threadIdx.x];\n}\n",
        "divides a whole number by zero at kernel.cu:2",
    ),
    "remainder by zero": (
        HEAD + "    p[threadIdx.x] = 7ll % (long long)p[threadIdx.x];\n}\n",
        "divides a whole number by zero at kernel.cu:2",
    ),
    "a bad index": (
        HEAD + "    p[(1ll << 40) + threadIdx.x] = 1;\n}\n",
        "kernel.cu:2",
    ),
    "a null pointer": (
        HEAD + '    T* q = nullptr;\n    asm volatile("" : "+r"(q));\n    *q = p[0];\n}\n',
        "kernel.cu:4",
    ),
    # What g++ would take for a promise that nobody comes here.
    "a write through a null pointer": (
        HEAD + "    T* q = nullptr;\n    *q = 1;\n}\n",
        "kernel.cu:3",
    ),
    "a pointer that hardly anybody sets": (
        HEAD + "    T* q = nullptr;\n    if (threadIdx.x == 99) q = p;\n    *q = 1;\n}\n",
        "kernel.cu:4",
    ),
    "a wild call": (
        HEAD
        + '    void (*f)() = nullptr;\n    asm volatile("" : "+r"(f));\n    f();\n'
        + "    p[0] = 1;\n}\n",
        "calls",
    ),
    "exit": (HEAD + "    if (threadIdx.x == 3) exit(0);\n}\n", "calls exit at kernel.cu:2"),
    "abort": (HEAD + "    if (threadIdx.x == 3) abort();\n}\n", "calls abort at kernel.cu:2"),
    "_exit": ("#include <unistd.h>\n" + HEAD + "    _exit(1);\n}\n", "calls _exit at kernel.cu:3"),
    "terminate": (
        "#include <exception>\n" + HEAD + "    std::terminate();\n}\n",
        "calls std::terminate at kernel.cu:3",
    ),
    "assert": (
        "#include <assert.h>\n" + HEAD + "    assert(p[threadIdx.x] > 5);\n}\n",
        "fails assert(p[threadIdx.x] > 5) at kernel.cu:3",
    ),
    "an exception nobody may catch": (
        "#include <stdexcept>\n__device__ void deep(T* p) noexcept {\n"
        '    if (p[0] == 0) throw std::runtime_error("no");\n}\n' + HEAD + "    deep(p);\n}\n",
        "throws a C++ exception, as no GPU can, at kernel.cu:3",
    ),
    "an exception of the C++ library": (
        "#include <vector>\n" + HEAD + "    p[0] = std::vector<int>(3).at(5);\n}\n",
        "throws a C++ exception at ",
    ),
    "a second free": (
        HEAD + '    void* q = malloc(64);\n    free(q);\n    asm volatile("" : "+r"(q));\n'
        "    free(q);\n}\n",
        "is ended by the C library at ",
    ),
    "a large array of a size known late": (
        HEAD + '    int n = 1 << 24;\n    asm volatile("" : "+r"(n));\n'
        "    volatile char* a = (char*)__builtin_alloca(n);\n    a[0] = 1;\n    p[0] = a[0];\n}\n",
        "ran out of stack",
    ),
    "trap": (HEAD + "    __builtin_trap();\n}\n", "kernel.cu:2"),
}


@pytest.mark.parametrize("mode", MODES)
def test_faults_end_the_launch_only(mode):
    found = run_all({name: text for name, (text, _) in FAULTS.items()}, mode)
    for name, said in found.items():
        assert ", 0, 0) of block (" in said and "{" not in said, name
        checked = mode == "check" and ("outside" in said or "free already" in said)
        assert checked or FAULTS[name][1] in said, (name, said)


SHARED = """
__global__ void dynamic(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void behind(float* out) {
  __shared__ float tile[4][16];
  tile[threadIdx.x / 16 + 1][threadIdx.x % 16] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 4];
}
__global__ void before(float* out) {
  __shared__ float tile[64];
  tile[(int)threadIdx.x - 64] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
"""
MISSED = {
    ("dynamic", 192): "`extern __shared__` array, which has the 192 bytes that dynamic_shared says",
    ("dynamic", 0): "`extern __shared__` array has no bytes, because the launch asks for none",
    ("behind", 0): "wrote outside its __shared__ arrays",
    ("before", 0): "wrote outside its __shared__ arrays",
}


@pytest.mark.parametrize("profiled", [False, True])
@pytest.mark.parametrize(("name", "nbytes"), MISSED)
def test_missing_shared_memory_is_an_error(name, nbytes, profiled):
    out = array_of_zeros()
    kernel = norch_cuda.load_kernel(SHARED, name)
    launch = partial(norch_cuda.profile, kernel) if profiled else kernel
    with pytest.raises(RuntimeError) as error:
        launch(2, 64, out, dynamic_shared=nbytes)
    assert MISSED[name, nbytes] in str(error.value)


@pytest.mark.parametrize("call", ["assert(p[0] > 5)", "exit(1)", "std::terminate()"])
def test_a_profiled_kernel_names_the_line_of_its_end(call):
    text = f"#include <assert.h>\n#include <exception>\n{HEAD}    {call};\n    p[1] = 2;\n}}\n"
    with pytest.raises(RuntimeError, match=r"kernel\.cu:4"):
        norch_cuda.profile(norch_cuda.load_kernel(text, "lesson"), 1, 4, array_of_zeros())


@pytest.mark.parametrize("check", [False, True])
def test_a_shared_array_behind_a_small_one_can_be_read_as_float4(check):
    text = """__global__ void lesson(float* out) {
  __shared__ float small[2], large[64];
  small[threadIdx.x % 2] = threadIdx.x % 2;
  large[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 16) ((float4*)out)[threadIdx.x] = ((float4*)large)[threadIdx.x];
}"""
    out = array_of_zeros()
    with norch_cuda.simulator(check=check):
        norch_cuda.load_kernel(text, "lesson")(1, 64, out)
    assert out.tolist() == [float(i) for i in range(64)]


def test_shared_memory_that_is_not_missed_is_no_error():
    out = array_of_zeros()
    norch_cuda.load_kernel(SHARED, "dynamic")(2, 64, out, dynamic_shared=256)
    assert out.tolist() == [float(63 - i) for i in range(64)]


def test_faults_of_python_itself_are_left_to_it():
    program = PROGRAM.split("for name")[0] + (
        "import ctypes\nops.add(x, 1.0)\nctypes.string_at(0)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, "", "", ""], capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == -11
    assert "Fatal Python error: Segmentation fault" in answer.stderr


def test_a_write_that_misses_an_array_by_a_little_ends_nothing():
    text = f"{HEAD}    for (int k = 0; k < 1024; k++) p[k + 64] = 1;\n}}\n"
    assert "wrote outside argument 1, past its end" in run_all({"far": text}, "plain")["far"]


def test_an_abort_from_outside_is_no_kernels():
    program = PROGRAM.split("for name")[0] + (
        "import os, subprocess\n"
        "subprocess.Popen(['sh', '-c', f'sleep 0.5; kill -ABRT {os.getpid()}'])\n"
        "with norch_cuda.simulator(seconds=30):\n"
        "    norch_cuda.load_kernel(text, 'lesson')(1, 1, x)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, f"{HEAD}    while (1);\n}}\n", "", ""],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.returncode == -6
    assert "Fatal Python error: Aborted" in answer.stderr


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_programs_own_handler_is_called(when):
    program = PROGRAM.split("for name")[0] + (
        "import os, signal\n"
        "heard = []\n"
        "def set_handler():\n"
        "    signal.signal(signal.SIGURG, lambda *given: heard.append(given))\n"
        "if text == 'before': set_handler()\n"
        "ops.add(x, 1.0)\n"
        "if text == 'after': set_handler()\n"
        "for _ in range(2):\n"
        "    os.kill(os.getpid(), signal.SIGURG)\n"
        "    ops.add(x, 1.0)\n"
        "assert len(heard) == 2, heard\n"
    )
    subprocess.run([sys.executable, "-c", program, when, "", ""], check=True, timeout=60)


def test_a_forked_process_has_its_own_watch():
    program = (
        "import os, sys, norch_cuda\n"
        "text = sys.argv[1]\n"
        "x = norch_cuda.ops_for('cuda-sim').from_list([0.0] * 64)\n"
        "def launch():\n"
        "    with norch_cuda.simulator(seconds=0.3):\n"
        "        try:\n"
        "            norch_cuda.load_kernel(text, 'lesson')(1, 1, x)\n"
        "        except RuntimeError as error:\n"
        "            return 'still running' in str(error)\n"
        "assert launch()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if launch() else 1)\n"
        "sys.exit(os.waitpid(child, 0)[1])\n"
    )
    command = [sys.executable, "-c", program, f"{HEAD}    while (1);\n}}\n"]
    assert subprocess.run(command, timeout=60).returncode == 0


def test_forks_while_another_thread_launches():
    """No lock of the simulator comes to a child locked; one that waits is ended by its alarm."""
    program = (
        "import os, signal, threading, norch_cuda\n"
        "text = '__global__ void lesson(float* p) { extern __shared__ float s[]; s[0] = *p; }'\n"
        "lesson = norch_cuda.load_kernel(text, 'lesson')\n"
        "ops = norch_cuda.ops_for('cuda-sim')\n"
        "x = ops.from_list([0.0] * 64)\n"
        "def launch():\n"
        "    ops.add(x, 1.0)\n"
        "    lesson(64, 1, x, dynamic_shared=4)\n"
        "launch()\n"
        "stop = threading.Event()\n"
        "def work():\n"
        "    while not stop.is_set():\n"
        "        launch()\n"
        "worker = threading.Thread(target=work)\n"
        "worker.start()\n"
        "ended = []\n"
        "while len(ended) < 60 and not any(ended):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        signal.alarm(300)\n"
        "        launch()\n"
        "        os._exit(0)\n"
        "    ended.append(os.waitpid(child, 0)[1])\n"
        "stop.set()\n"
        "worker.join()\n"
        "assert not any(ended), ended\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)
