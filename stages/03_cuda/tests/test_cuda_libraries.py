"""The libraries of headers that a CUDA program includes: what they compute, and what they find."""

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
