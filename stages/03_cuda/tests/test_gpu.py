"""What only a GPU has: streams, events, several of them, its compiler, its memory, its errors.

`make gpu-check` runs this on a real one, `make gpu-fake` on a stand-in for the driver; elsewhere it
is skipped.
"""

import shutil
import threading

import pytest

import norch_cpu_ops as cpu
import norch_cuda
import norch_strides
from norch_cuda.runtime import nvrtc
from norch_cuda.runtime.sources import KernelSource, family_source, source_directory

pytestmark = pytest.mark.gpu
ADD_ONE = 'extern "C" __global__ void add_one(T* x) { x[threadIdx.x] += 1; }'


@pytest.fixture(autouse=True)
def gpu():
    """The operations of GPU 0, which is the current one again afterwards."""
    if not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    yield norch_cuda.ops_for("cuda")
    norch_cuda.set_device(0)


@pytest.fixture
def other():
    """The operations of GPU 1."""
    if norch_cuda.device_count() < 2:
        pytest.skip("this machine has one GPU")
    return norch_cuda.ops_for("cuda:1")


# ---- arithmetic and compilation ------------------------------------------------------------------


def test_denormal_floats_are_kept(gpu):
    numbers = [1e-40, 3e-39, -1e-44]
    expected = cpu.ops.mul(cpu.ops.from_list(numbers), 1.0).tolist()
    assert gpu.mul(gpu.from_list(numbers), 1.0).tolist() == expected
    assert 0.0 not in expected


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and a copy of the headers beside it."""
    headers = tmp_path / "csrc"
    headers.mkdir()
    for path in source_directory().glob("*.h"):
        shutil.copy(path, headers)
    monkeypatch.setattr(nvrtc, "source_directory", lambda: headers)
    monkeypatch.setattr(nvrtc, "cache_directory", lambda device: tmp_path)
    return tmp_path


def compiled(cache, text='extern "C" __global__ void f(T* x) { x[0] = kMaxDims; }'):
    """Compile anew, as another process would; return the images that are kept, the newest last."""
    image = nvrtc.image_of.__wrapped__(KernelSource(text, "edited.cu", "float"), 80)
    return image, sorted(cache.glob("*.image"), key=lambda path: path.stat().st_mtime_ns)


def test_the_headers_of_c_can_be_included(cache):
    includes = "".join(f"#include <{name}>\n" for name in nvrtc._C_HEADERS)
    body = 'int64_t n = INT_MAX; uint8_t b = 3; assert(n); printf("%d", b); x[0] = n + FLT_MAX;'
    text = f"{includes}__global__ void f(float* x) {{ {body} x[1] = fminf(INFINITY, M_PI); }}"
    assert compiled(cache, text)[0].signatures["f"]


def test_what_the_preprocessor_leaves_out_is_not_there(gpu, cache):
    text = """
#if 0
__global__ void gone(float* x) { x[0] = nonsense; }
__constant__ Nothing lost;
#endif
namespace inner {
__constant__ float table[3];
static __global__ void quiet(int n, float* x) { x[n] = table[1]; }
}
#ifdef NOT_SAID
__global__ void either(float* x) { x[0] = nonsense; }
#else
__global__ void either(float* x) { x[0] = inner::table[1]; }
#endif
"""
    image, _ = compiled(cache, text)
    assert set(image.signatures) == {"either", "inner::quiet"}
    assert image.sizes == {"inner::table": 12}
    assert image.names["either"] == "_Z6eitherPf"
    kernel = norch_cuda.load_kernel(text, "either", device="cuda")
    gpu.copy_(kernel.get_global("inner::table"), gpu.from_list([1.0, 2.0, 3.0]))
    x = gpu.from_list([0.0])
    kernel(1, 1, x)
    assert x.tolist() == [2.0]


def test_an_image_is_compiled_once(cache):
    first, files = compiled(cache)
    again, same = compiled(cache)
    assert files == same
    assert first == again


def test_an_edited_header_is_compiled_again(cache):
    before, _ = compiled(cache)
    header = cache / "csrc" / "kernel.h"
    header.write_text(header.read_text().replace("kMaxDims = 16", "kMaxDims = 12"))
    after, files = compiled(cache)
    assert len(files) == 2
    assert before.code != after.code


def test_options_and_architecture_are_part_of_the_name(cache):
    for family in ("edited", "random"):
        source = KernelSource('extern "C" __global__ void f(T* x) {}', f"{family}.cu", "float")
        for capability in (80, 89, 90):
            nvrtc.image_of.__wrapped__(source, capability)
    assert len(list(cache.glob("*.image"))) == 6


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-100], lambda data: b"", lambda data: data[::-1]]
)
def test_a_damaged_image_is_compiled_again(cache, damage, capsys):
    whole, (file,) = compiled(cache)
    file.write_bytes(damage(file.read_bytes()))
    assert compiled(cache) == (whole, [file])
    assert "is damaged; it is built again" in capsys.readouterr().err


def test_a_gpu_that_is_newer_than_nvrtc_gets_ptx_and_one_too_old_a_reason(cache):
    source = family_source("copy", "float")
    assert b".target" in nvrtc.image_of.__wrapped__(source, 999).code
    with pytest.raises(RuntimeError, match=r"compute capability 5.2.* need 6.0"):
        nvrtc.image_of.__wrapped__(source, 52)


def test_headers_of_cuda_are_found():
    text = (
        "#include <cuda_fp16.h>\n#include <mma.h>\n__global__ void f(half* x) { x[0] = __half(1); }"
    )
    nvrtc.image_of(KernelSource(text, "kernel.cu", "float"), 80)


def test_every_compiler_message_has_the_line():
    text = 'extern "C" __global__ void f(T* x) {\n  x[0] = undefined_name;\n}\n'
    with pytest.raises(
        RuntimeError, match=r"\[cuda\] NVRTC could not compile kernel.cu:"
    ) as caught:
        norch_cuda.load_kernel(text, "f", "cuda")(1, 1, norch_cuda.ops_for("cuda").from_list([0.0]))
    assert 'kernel.cu:2: error: identifier "undefined_name"' in str(caught.value)


# ---- launches ------------------------------------------------------------------------------------


def test_a_kernel_that_is_not_there(gpu):
    with pytest.raises(RuntimeError, match=r"\[add_two\] no such kernel; there are add_one"):
        norch_cuda.load_kernel(ADD_ONE, "add_two", "cuda")(1, 1, gpu.from_list([0.0]))


DECLARED = """
__constant__ float factor[2] = {1.0f, 2.0f};
template <class N> __global__ void scale(float* x, N by, int3 at, const int* h) {
    x[at.y] *= by * factor[1];
}"""


def test_arguments_become_what_the_kernel_declares(gpu):
    x = gpu.from_list([1.0, 2.0, 3.0])
    norch_cuda.load_kernel(DECLARED, "scale<int>", "cuda")(1, 1, x, 5, (0, 2, 0), None)
    norch_cuda.load_kernel(DECLARED, "scale<float>", "cuda")(1, 1, x, 0.5, (0, 1, 0), None)
    assert x.tolist() == [1.0, 2.0, 30.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), r"\[scale<int>\] takes 4 arguments \(a pointer to float, int, .* and was given 0"),
        ((1, 1, (0, 0, 0), None), r"\[scale<int>\] argument 1 is 1 \(int\)"),
        (("x", 1.5, (0, 0, 0), None), r"\[scale<int>\] argument 2 is 1.5 \(float\)"),
        (("x", 1, (0, 0), None), r"\[scale<int>\] argument 3 is of type tuple"),
        (("x", 1, (0, 0, 0), "x"), r"\[scale<int>\] argument 4 is an array of float32"),
    ],
)
def test_arguments_that_do_not_fit(gpu, arguments, message):
    kernel, x = norch_cuda.load_kernel(DECLARED, "scale<int>", "cuda"), gpu.from_list([0.0])
    with pytest.raises(TypeError, match=message):
        kernel(1, 1, *(x if each == "x" else each for each in arguments))


SHARED = """extern "C" __global__ void last(T* x, long long n) {
    extern __shared__ T s[];
    s[n - 1] = 3;
    x[0] = s[n - 1];
}"""


@pytest.mark.parametrize("kib", [1, 48, 49, 64, 96])
def test_dynamic_shared_memory_as_much_as_a_block_may_have(gpu, kib):
    x = gpu.from_list([0.0])
    kernel = norch_cuda.load_kernel(SHARED, "last", "cuda", max_dynamic_shared=kib << 10)
    kernel(1, 1, x, kib << 8, dynamic_shared=kib << 10)
    assert x.tolist() == [3.0]


def test_more_shared_memory_than_was_asked_for_or_is_there(gpu):
    kernel, x = norch_cuda.load_kernel(SHARED, "last", "cuda"), gpu.from_list([0.0])
    with pytest.raises(RuntimeError, match=r"\[last\] .* must be asked for \(max_dynamic_shared\)"):
        kernel(1, 1, x, 1, dynamic_shared=65536)
    with pytest.raises(ValueError, match=r"\[last\] dynamic_shared is -1"):
        kernel(1, 1, x, 1, dynamic_shared=-1)
    most = norch_cuda.load_kernel(SHARED, "last", "cuda", max_dynamic_shared=1 << 20)
    with pytest.raises(
        RuntimeError, match=r"\[last\] max_dynamic_shared is 1048576 bytes: a block"
    ):
        most(1, 1, x, 1)


@pytest.mark.parametrize(("grid", "block"), [(1, 1025), (1, (1, 1, 65)), ((1, 65536), 1)])
def test_a_grid_that_no_gpu_can_start(gpu, grid, block):
    kernel, x = norch_cuda.load_kernel(ADD_ONE, "add_one", "cuda"), gpu.zeros((2048,), cpu.float32)
    with pytest.raises(RuntimeError, match=r"\[add_one\] the GPU cannot start .* at most 1024"):
        kernel(grid, block, x)
    kernel(1, 1, x)
    assert x.tolist()[:2] == [1.0, 0.0]


def test_a_new_thread_may_begin_with_a_launch(gpu):
    x, kernel = gpu.from_list([0.0]), norch_cuda.load_kernel(ADD_ONE, "add_one", "cuda")
    kernel(1, 1, x)
    errors = []

    def work():
        try:
            kernel(1, 1, x)
            norch_cuda.synchronize()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert errors == []
    assert x.tolist() == [2.0]


VARIABLES = """
namespace mine {
__constant__ float weights[3] = {1, 2, 3};
__global__ void weigh(float* out) { out[threadIdx.x] = weights[threadIdx.x]; }
}
__device__ unsigned long long total;
__constant__ const int kPrimes[2] = {2, 3};
__global__ void count() { atomicAdd(&total, blockDim.x + kPrimes[0]); }
template <class V> __global__ void scale(V* x) { x[threadIdx.x] *= mine::weights[threadIdx.x]; }
"""


def test_variables_of_a_text_are_arrays(gpu):
    weigh = norch_cuda.load_kernel(VARIABLES, "mine::weigh", "cuda")
    weights, out = weigh.get_global("mine::weights"), gpu.zeros((3,), cpu.float32)
    assert (weights.shape, weights.tolist()) == ((3,), [1.0, 2.0, 3.0])
    gpu.copy_(weights, gpu.from_list([4.0, 5.0, 6.0]))
    weigh(1, 3, out)
    assert out.tolist() == [4.0, 5.0, 6.0]
    norch_cuda.load_kernel(VARIABLES, "count", "cuda")(2, 10)
    total = weigh.get_global("total", "int64")
    assert (total.shape, total.tolist()) == ((1,), [240])
    for name in ("weight", "kPrimes"):  # nobody writes to what is const
        with pytest.raises(RuntimeError, match=rf"\[{name}\] is no __constant__ .* mine::weights"):
            weigh.get_global(name)


def test_an_instance_of_a_template_has_variables_of_its_own(gpu):
    scale, x = (
        norch_cuda.load_kernel(VARIABLES, "scale<float>", "cuda"),
        gpu.ones((3,), cpu.float32),
    )
    gpu.copy_(scale.get_global("mine::weights"), gpu.from_list([7.0, 8.0, 9.0]))
    scale(1, 3, x)
    assert x.tolist() == [7.0, 8.0, 9.0]


# ---- memory --------------------------------------------------------------------------------------


def test_memory_in_use_is_counted_until_nobody_holds_it(gpu):
    before = norch_cuda.memory_allocated()
    a = gpu.zeros((256,), cpu.float32)
    assert norch_cuda.memory_allocated() == before + 1024
    assert norch_cuda.memory_reserved() >= 1024
    norch_cuda.reset_peak_memory_stats()
    del a
    assert norch_cuda.memory_allocated() == before
    assert norch_cuda.max_memory_allocated() == before + 1024


def test_out_of_memory_says_how_much_and_what_to_do(gpu):
    with pytest.raises(
        norch_cuda.OutOfMemoryError, match=r"\[cuda:0\] no room for 1,048,576.0 MiB"
    ):
        gpu.empty((1 << 38,), cpu.float32)
    assert issubclass(norch_cuda.OutOfMemoryError, RuntimeError)
    assert gpu.sum(gpu.ones((3,), cpu.float32)).item() == 3.0


def test_empty_cache_empties_that_of_every_gpu(gpu, other):
    kept = [ops.empty((1 << 20,), cpu.float32) for ops in (gpu, other)]
    del kept
    before = [norch_cuda.memory_reserved(i) for i in (0, 1)]
    norch_cuda.empty_cache()
    after = [norch_cuda.memory_reserved(i) for i in (0, 1)]
    assert [a - b >= 1 << 22 for a, b in zip(before, after, strict=True)] == [True, True]


def test_other_libraries_share_the_memory(gpu):
    import cupy

    a = gpu.from_list([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    theirs = cupy.from_dlpack(a.view(norch_strides.transpose(a.layout, 0, 1)))
    assert (theirs.shape, theirs.strides) == ((3, 2), (4, 12))
    assert cupy.asnumpy(theirs.T).tolist() == a.tolist()
    assert a.__dlpack_device__() == (2, 0)
    gpu.fill_(a, 7.0)
    assert cupy.asnumpy(theirs.T).tolist() == [[7.0, 7.0, 7.0]] * 2
    with pytest.raises(BufferError, match=r"\[dlpack\] the array is on cuda-sim"):
        norch_cuda.ops_for("cuda-sim").ones((2,), cpu.float32).__dlpack_device__()
    with pytest.raises(BufferError, match="has no bfloat16"):
        gpu.ones((2,), cpu.bfloat16).__dlpack__()


# ---- streams, events, several GPUs ---------------------------------------------------------------


def test_streams_wait_for_each_other_by_events(gpu):
    side = norch_cuda.Stream(priority=-1)
    start, end = (norch_cuda.Event(enable_timing=True) for _ in range(2))
    assert start.query()
    start.record()
    x = gpu.ones((1000,), cpu.float32)
    side.wait_stream(norch_cuda.current_stream())
    with norch_cuda.stream(side):
        y = gpu.mul(x, 2.0)
    norch_cuda.current_stream().wait_stream(side)
    z = gpu.add(y, 1.0)
    end.record()
    end.synchronize()
    assert gpu.sum(z).item() == 3000.0
    assert start.elapsed_time(end) >= 0.0
    norch_cuda.synchronize()
    assert side.query()


def test_streams_are_given_out_in_turn_and_never_destroyed(gpu):
    handles = [norch_cuda.Stream().cuda_stream for _ in range(65)]
    assert len(set(handles)) == 32
    assert handles[:32] == handles[32:64] and handles[64] == handles[0]


def test_events_measure_time_only_if_asked_and_reached():
    timed, plain = norch_cuda.Event(enable_timing=True), norch_cuda.Event()
    with pytest.raises(RuntimeError, match=r"\[Event\] both events need enable_timing=True"):
        timed.elapsed_time(plain)
    with pytest.raises(RuntimeError, match=r"\[Event\] both events must be recorded"):
        timed.elapsed_time(norch_cuda.Event(enable_timing=True))


def test_a_constant_made_in_one_stream_is_there_for_another(gpu):
    x = gpu.ones((4,), cpu.float32)
    norch_cuda.synchronize()
    first, second = norch_cuda.Stream(), norch_cuda.Stream()
    with norch_cuda.stream(first):
        gpu.add(x, 12345.0)
    with norch_cuda.stream(second):
        assert gpu.add(x, 12345.0).tolist() == [12346.0] * 4


def test_an_event_belongs_to_the_gpu_of_its_stream(gpu, other):
    event = norch_cuda.Stream("cuda:1").record_event()
    event.synchronize()
    assert event.query()
    with pytest.raises(RuntimeError, match=r"\[Event\] the event belongs to cuda:1 .* cuda:0"):
        event.record(norch_cuda.current_stream("cuda:0"))
    norch_cuda.current_stream("cuda:0").wait_event(event)


def test_set_device_changes_what_cuda_means(gpu, other):
    assert norch_cuda.ops_for("cuda") is gpu
    norch_cuda.set_device(1)
    assert norch_cuda.ops_for("cuda") is other
    assert norch_cuda.current_device() == 1


def test_two_gpus_compute_and_do_not_mix(gpu, other):
    a, b = (ops.from_list([[1.0, 2.0], [3.0, 4.0]]) for ops in (gpu, other))
    assert gpu.matmul(a, a).tolist() == other.matmul(b, b).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert gpu.from_cpu(other.to_cpu(b)).tolist() == b.tolist()
    with pytest.raises(RuntimeError, match="two devices, cuda:0 and cuda:1"):
        gpu.add(a, b)


def test_a_gpu_that_is_not_there():
    count = norch_cuda.device_count()
    with pytest.raises(RuntimeError, match=rf"\[device\] 'cuda:99' .* there are {count} GPUs"):
        norch_cuda.Stream(99)
    with pytest.raises(ValueError, match=r"\[device\] 'cpu' is no GPU"):
        norch_cuda.current_stream("cpu")


def test_what_a_kernel_finds_wrong_is_told_at_the_next_wait(gpu):
    table, index = gpu.from_list([1.0, 2.0]), gpu.from_list([0, 2])
    rows = gpu.index_select(table, 0, index)
    for wait in (
        rows.tolist,
        table.item,
        gpu.backend.synchronize,
        norch_cuda.synchronize,
        norch_cuda.current_stream().synchronize,
        lambda: norch_cuda.current_stream().record_event().synchronize(),
    ):
        gpu.add(gpu.index_select(table, 0, index), rows)
        with pytest.raises(IndexError, match=r"\[index_select\] index 2 is out.*before this one"):
            wait()
    assert gpu.index_select(table, 0, gpu.from_list([1, 0])).tolist() == [2.0, 1.0]


def test_an_index_that_has_changed_before_it_is_told_is_not_named(gpu):
    index = gpu.from_list([0, 2])
    gpu.index_select(gpu.from_list([1.0, 2.0]), 0, index)
    gpu.fill(index, 1)
    with pytest.raises(IndexError, match=r"\[index_select\] index \? is out"):
        gpu.backend.synchronize()


def test_more_reports_than_there_is_memory_for(gpu):
    table, index = gpu.from_list([1.0, 2.0]), gpu.from_list([1])
    for _ in range(600):
        gpu.index_select(table, 0, index)
    gpu.fill(index, 2)
    with pytest.raises(IndexError, match="index 2 is out"):
        for _ in range(600):
            gpu.index_select(table, 0, index)
