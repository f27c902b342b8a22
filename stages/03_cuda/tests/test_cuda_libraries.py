"""The headers that CUDA brings for kernels: asynchronous copies, barriers, random numbers."""

import numpy as np
import pytest
from cuda_lessons import array

from norch_cuda import load_kernel, simulator

MODES = {"plain": {}, "reversed": {"order": "reversed"}, "checked": {"check": True}}

COPIES = """#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void split(const float* x, float* out) {  // arrive, work, wait: twice
  __shared__ block_barrier bar;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  s[t] = x[t];
  block_barrier::arrival_token token = bar.arrive();
  float own = 2 * x[t];
  bar.wait(std::move(token));
  float other = s[63 - t];
  bar.arrive_and_wait();
  s[t] = other + own;
  bar.arrive_and_wait();
  out[t] = s[(t + 1) % 64];
}
__global__ void dropping(const float* x, float* out) {  // half of the block leaves early
  __shared__ block_barrier bar;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[t] = x[t];
  if (t >= 32) { bar.arrive_and_drop(); return; }
  bar.arrive_and_wait();
  float value = s[t + 32];
  bar.arrive_and_wait();
  s[t] = value;
  bar.arrive_and_wait();
  out[t] = out[t + 32] = s[31 - t];
}
__global__ void by_barrier(const float* x, float* out) {
  __shared__ block_barrier bar;
  __shared__ alignas(16) float s[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, x, cuda::aligned_size_t<16>(sizeof s), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void by_group(const float* x, float* out) {  // two calls, waited for one by one
  __shared__ float s[2][32];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s[0], x, sizeof s[0]);
  cg::memcpy_async(block, s[1], x + 32, sizeof s[1]);
  cg::wait_prior<1>(block);
  float first = s[0][threadIdx.x % 32];
  cg::wait(block);
  out[threadIdx.x] = first + 100 * s[1][threadIdx.x % 32];
}
__global__ void by_stages(const float* x, float* out) {  // __pipeline_...: the last bytes are zeros
  __shared__ float2 s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], x + t / 2 * 2, 8, 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], x + t / 2 * 2, 8);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  float first = s[0][t].x + s[0][t].y;
  __pipeline_wait_prior(0);
  out[t] = first + 100 * s[1][t].y;
}
__global__ void own_pipeline(const float* x, float* out) {  // one stage ahead
  __shared__ float s[2][64];
  int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&s[0][t], x + t, sizeof(float), pipe);
  pipe.producer_commit();
  for (int i = 1; i <= 3; i++) {
    if (i < 3) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i % 2][t], x + (t + i) % 64, cuda::aligned_size_t<4>(4), pipe);
      pipe.producer_commit();
    }
    if (i < 3) cuda::pipeline_consumer_wait_prior<1>(pipe);
    else pipe.consumer_wait();
    sum = 10 * sum + s[(i - 1) % 2][t];
    pipe.consumer_release();
  }
  out[t] = sum;
}
template <bool kRoles>
__global__ void shared_pipeline(const float* x, float* out) {  // a warp fills, all or another empty
  __shared__ float s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = kRoles ? cuda::make_pipeline(block, &state, role)
                     : cuda::make_pipeline(block, &state);
  bool fills = !kRoles || threadIdx.x < 32, empties = !kRoles || threadIdx.x >= 32;
  float sum = 0;
  for (int i = 0; i < 5; i++) {
    if (fills) {
      pipe.producer_acquire();
      if (threadIdx.x < 32) {
        cuda::memcpy_async(&s[i % 2][threadIdx.x], x + threadIdx.x + i, sizeof(float), pipe);
      }
      pipe.producer_commit();
    }
    if (empties) {
      pipe.consumer_wait();
      sum = 2 * sum + s[i % 2][31 - threadIdx.x % 32];
      pipe.consumer_release();
    }
  }
  if (empties) out[threadIdx.x] = sum;
}
__global__ void early(const float* x, float* out) {
  __shared__ float s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], x + threadIdx.x, 4);
  __pipeline_commit();
  out[threadIdx.x] = s[threadIdx.x];  // early
  __pipeline_wait_prior(0);
}
__global__ void other_thread(const float* x, float* out) {
  __shared__ float s[64];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&s[threadIdx.x], x + threadIdx.x, 4, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];  // other_thread
}
__global__ void no_wait(const float* x, float* out) {
  __shared__ block_barrier bar;
  __shared__ float s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  s[threadIdx.x] = x[threadIdx.x];
  (void)bar.arrive();
  out[threadIdx.x] = s[63 - threadIdx.x];  // no_wait
}
__global__ void too_many(const float* x, float* out) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, 65);
  __syncthreads();
  bar.arrive_and_wait();  // too_many
  out[threadIdx.x] = x[threadIdx.x];
}
__global__ void past_the_end(const float* x, float* out) {
  __shared__ float s[64];
  __pipeline_memcpy_async(s + threadIdx.x + 1, x + threadIdx.x, 4);  // past_the_end
  __pipeline_wait_prior(0);
  out[threadIdx.x] = threadIdx.x;
}
"""
T = np.arange(64)
STAGES = sum(2 ** (4 - i) * (31 - T % 32 + i) for i in range(5))
RIGHT_COPIES = {
    "split": 63 - (T + 1) % 64 + 2 * ((T + 1) % 64),
    "dropping": 63 - T % 32,
    "by_barrier": 63 - T,
    "by_group": T % 32 + 100 * (32 + T % 32),
    "by_stages": T // 2 * 2 + 100 * (T // 2 * 2 + 1),
    "own_pipeline": 100 * T + 10 * ((T + 1) % 64) + (T + 2) % 64,
    "shared_pipeline<false>": STAGES,
    "shared_pipeline<true>": np.where(T < 32, 0, STAGES),
}


def line_of(text, words):
    """The line on which these words stand, as messages name it."""
    return f"kernel.cu:{text[: text.index(words)].count(chr(10)) + 1}"


def run(text, name, x, check, **options):
    out = array(np.zeros(64))
    with simulator(check=check, **options):
        load_kernel(text, name)(1, 64, array(x), out)
    return np.asarray(out.tolist())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", RIGHT_COPIES)
def test_barriers_and_pipelines(name, mode):
    out = array(np.zeros(64))
    with simulator(**MODES[mode]):
        load_kernel(COPIES, name)(1, 64, array(T), out)
    assert out.tolist() == RIGHT_COPIES[name].tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("early", "touches at {line} what its asynchronous copy at .* still writes: wait for it"),
        ("other_thread", "reads shared memory at {line} that nobody has written"),
        ("no_wait", "reads shared memory at {line} that nobody has written"),
        ("past_the_end", "writes 4 bytes outside .* at {line}"),
    ],
)
def test_a_copy_that_nobody_waits_for(name, expected):
    with pytest.raises(RuntimeError, match=expected.format(line=line_of(COPIES, f"// {name}"))):
        run(COPIES, name, T, True)


def test_early_reads_show_without_check():
    assert np.isnan(run(COPIES, "early", T, False)).all()


@pytest.mark.parametrize("check", [False, True])
def test_a_barrier_that_waits_for_more_than_there_are(check):
    line = line_of(COPIES, "// too_many")
    with pytest.raises(RuntimeError, match=rf"deadlock: 64 thread\(s\) .* {line}"):
        run(COPIES, "too_many", T, check)


RANDOM = """#include <curand_kernel.h>
__global__ void words(int* out, unsigned long long seed, unsigned long long sequence,
                      unsigned long long offset) {
  curandState xorwow;
  curandStatePhilox4_32_10_t philox;
  curand_init(seed, sequence, offset, &xorwow);
  curand_init(seed, sequence, offset, &philox);
  for (int i = 0; i < 8; i++) out[i] = curand(&xorwow);
  for (int i = 8; i < 16; i++) out[i] = curand(&philox);
}
template <class State>
__global__ void uniforms(float* out, int each) {  // `each` numbers of a sequence a thread
  State state;
  curand_init(0, threadIdx.x, 0, &state);
  for (int i = 0; i < each; i++) out[threadIdx.x * each + i] = curand_uniform(&state);
}
__global__ void normals(float* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_normal4(&state).x;
}
template <class State>
__global__ void kinds(double* out) {  // the same state drawn from in several ways
  State a, b;
  curand_init(7, 3, 0, &a);
  curand_init(7, 3, 0, &b);
  for (int i = 0; i < 4; i++) out[i] = curand_normal(&a);
  for (int i = 4; i < 8; i++) out[i] = curand_normal_double(&a);
  skipahead(4, &b);
  float2 pair = curand_normal2(&b);
  out[8] = pair.x;
  out[9] = pair.y;
  out[10] = curand_uniform_double(&b);
}
"""


def words(seed, sequence, offset):
    out = array(np.zeros(16), np.int32)
    load_kernel(RANDOM, "words")(1, 1, out, seed, sequence, offset)
    return np.asarray(out.tolist(), np.int32).view(np.uint32)


def uniforms(state, threads, each):
    out = array(np.zeros(threads * each))
    load_kernel(RANDOM, f"uniforms<{state}>")(1, threads, out, each)
    return np.asarray(out.tolist()).reshape(threads, each)


def test_xorwow_gives_the_numbers_of_a_gpu():
    """Seed 0: what Opticks (simoncblyth/opticks) printed of curand_uniform on an NVIDIA GPU.

    Its notes show sequences 0, 1 and 99999; cuVS (rapidsai) keeps the first of sequences 0 to 7, as
    the host API draws them, as its example data.
    """
    # fmt: off
    logged = [
        [0.7402193546, 0.4384511411, 0.5170126557, 0.1569886208, 0.0713675097, 0.4625083804,
         0.2276432663, 0.3293584883, 0.1440653056, 0.1877991110, 0.9153834581, 0.5401248336],
        [0.9209938049, 0.4603644311, 0.3334640563, 0.3725204170, 0.4896024764, 0.5672709346,
         0.0799058080, 0.2333681583, 0.5093778372, 0.0889785364, 0.0067097610, 0.9542270899],
    ]
    firsts = [0.74021935, 0.9209938, 0.03902049, 0.9689629, 0.92514056, 0.4463501, 0.6673192,
              0.10993068]
    late = [0.9140115380, 0.4403249323, 0.9478355646, 0.0900180787, 0.9587481022, 0.9879503846,
            0.2274523973, 0.0438494608]
    # fmt: on
    drawn = uniforms("curandState", 8, 12)
    np.testing.assert_allclose(drawn[:2], logged, rtol=0, atol=1e-10)
    np.testing.assert_allclose(drawn[:, 0], firsts, rtol=0, atol=5e-8)
    words_of_late = np.float32(words(0, 99999, 0)[:8]) * np.float32(2.0**-32)
    np.testing.assert_allclose(words_of_late + np.float32(2.0**-33), late, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("seed", "sequence", "offset", "expected"),
    [
        (0, 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, 2**64 - 1, 4 * (2**62 - 1), None),
        (0x299F31D0A4093822, 0x0370734413198A2E, 0x85A308D3243F6A88, None),
    ],
)
def test_philox_is_philox(seed, sequence, offset, expected):
    """The first row: Random123's known answers (kat_vectors, philox4x32 10).

    Its other two count in fours what an offset counts in numbers, beyond 64 bits; so the rest is
    compared with the ten rounds written here.
    """
    found = words(seed, sequence, offset)[8:12]
    counter = [offset // 4 & 0xFFFFFFFF, offset // 4 >> 32, sequence & 0xFFFFFFFF, sequence >> 32]
    assert found.tolist() == philox(counter, [seed & 0xFFFFFFFF, seed >> 32])
    if expected:
        assert tuple(found.tolist()) == expected


def philox(counter, key):
    """Ten rounds in Python; it has Random123's three known answers itself."""
    for _ in range(10):
        left, right = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [right >> 32 ^ counter[1] ^ key[0], right & 0xFFFFFFFF,
                   left >> 32 ^ counter[3] ^ key[1], left & 0xFFFFFFFF]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def test_philox_in_python_has_the_known_answers():
    """Random123's kat_vectors, philox4x32 10."""
    ones = [0xFFFFFFFF] * 4
    assert philox(ones, ones[:2]) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    answer = [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    assert philox(pi, [0xA4093822, 0x299F31D0]) == answer


def test_philox_gives_the_numbers_that_pytorch_prints():
    """torch.manual_seed(0), then torch.rand(8, device="cuda") and torch.randn(8, device="cuda").

    Element i is the first number of sequence i; the figures stand in many programs' output.
    """
    first = [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203]
    found = uniforms("curandStatePhilox4_32_10_t", 8, 1)[:, 0]
    np.testing.assert_allclose(found, first, rtol=0, atol=5.1e-5)
    out = array(np.zeros(8))
    load_kernel(RANDOM, "normals")(1, 8, out)
    first = [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284]
    np.testing.assert_allclose(out.tolist(), first, rtol=0, atol=5.1e-5)


@pytest.mark.parametrize("sequence", [0, 5, 2**40 + 1])
@pytest.mark.parametrize("offset", [1, 6, 1000, 2**33 + 3])
def test_skipping_is_drawing(sequence, offset):
    """An offset of 4 further is four draws further, however large it is."""
    here, further = words(42, sequence, offset), words(42, sequence, offset + 4)
    assert here[4:8].tolist() == further[:4].tolist()
    assert here[12:16].tolist() == further[8:12].tolist()


@pytest.mark.parametrize("state", ["curandState", "curandStatePhilox4_32_10_t"])
def test_normal_and_double_numbers(state):
    """By the formulas of cuRAND's guide; no published number of these was found to compare with."""
    out = array(np.zeros(16), np.float64)
    with simulator(check=True):
        load_kernel(RANDOM, f"kinds<{state}>")(1, 1, out)
    out = np.asarray(out.tolist())
    at = 0 if state == "curandState" else 8
    drawn = [int(w) for part in (0, 4, 8, 12) for w in words(7, 3, part)[at : at + 4]]

    def pair(x, y, parts):
        radius, angle = np.sqrt(-2 * np.log((x + 0.5) / parts)), 2 * np.pi * (y + 0.5) / parts
        return radius * np.sin(angle), radius * np.cos(angle)

    singles = [*pair(*drawn[0:2], 2**32), *pair(*drawn[2:4], 2**32)]
    np.testing.assert_allclose(out[:4], singles, rtol=1e-4, atol=1e-5)
    wide = [low ^ high << 21 for low, high in zip(drawn[4::2], drawn[5::2], strict=True)]
    doubles = [*pair(*wide[0:2], 2**53), *pair(*wide[2:4], 2**53)]
    np.testing.assert_allclose(out[4:8], doubles, rtol=1e-12)
    np.testing.assert_allclose(out[8:10], pair(*drawn[4:6], 2**32), rtol=1e-4, atol=1e-5)
    single = (drawn[6] + 1) / 2**32
    double = ((drawn[6] ^ drawn[7] << 21) + 0.5) / 2**53
    assert out[10] == pytest.approx(double if at == 0 else single, rel=1e-15)
