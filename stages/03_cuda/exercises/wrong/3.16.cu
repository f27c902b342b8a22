//: pageable | drops: into pinned memory
//: the squares lie in ordinary memory. A copy from there waits until it is done, whatever it is
//: called: `cudaMallocHost`.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  squares = (int*)malloc(n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  free(squares);
}
//: two_pieces | drops: into four pieces or more
//: each stream gets one piece. A stream that has several can fetch one while another one counts.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 2, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: rest_lost
//: n / 4 rounds down, and what is left over is never counted.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = n / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], (most + 1) * sizeof(int));
  }
  for (int piece = 0; piece < kPieces && most > 0; piece++) {
    int s = piece % kStreams, first = piece * most, size = most;
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: first_piece_again
//: each piece is copied from the beginning: the place where it starts is missing.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: copies_that_wait | drops: sends each off with `cudaMemcpyAsync`
//: `cudaMemcpy` waits until the copy is done, and knows no stream.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpy(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: one_stream | drops: in two streams or more
//: all pieces go into one stream, where everything happens one after the other.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = 0) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: kernel_elsewhere | drops: in the same stream
//: the launch is in another stream than the copy: it may begin before the numbers are there. The
//: fourth word between the signs says which stream.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[(s + 1) % kStreams]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: launch_without_a_stream
//: a launch names no stream and goes into the default one, which waits for all others: nothing
//: happens side by side. The stream stands in the fourth place.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: waits_each_time | drops: nothing waits
//: each piece is waited for before the next one is sent. Wait once, behind the loop.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
    cudaStreamSynchronize(streams[s]);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: plain_addition | drops: many threads add to one number
//: you count with `++`, which reads, adds and writes. Two threads that read the same old value
//: both write theirs, and one count is lost.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of_block[x[i] % kDigits]++;
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: plain_result
//: the blocks add to the result with `+=`, at the same time: an atomic.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x] += of_block[threadIdx.x];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: not_cleared
//: the counts on the device begin with whatever the memory held: `cudaMemset`.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: shared_not_cleared
//: shared memory does not start as zeros: clear the bins of a block first.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: no_barrier
//: a thread counts in a bin that another one has not cleared yet. All must have cleared before
//: anyone counts.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: hands_over_early
//: a bin is handed over before all threads of the block have counted.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: unguarded
//: threads beyond the end of the piece count too. Ask `if (i < n)`.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: waits_for_one | drops: Once all streams are done
//: one stream is waited for. What the others count is not there yet.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaMemcpyAsync(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  cudaStreamSynchronize(streams[0]);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: reads_early
//: the host reads the counts while their copy is still on its way. Wait for it.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpyAsync(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: one_buffer
//: all streams copy to one place on the device: a piece arrives there while another one is still
//: counted.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[0], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[0], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: found_digits_alone | drops: the zeros too
//: a digit that no square ends with is left out. Print its zero.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++)
    if (found[digit] > 0) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: glued | drops: with a space or a new line behind each
//: the counts stand side by side without anything between them.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: empty_pieces | drops: a number from 0 on
//: where there is nothing to count, a launch of no blocks is tried, which is an error.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int piece = 0; piece < kPieces; piece++) {
    int s = piece % kStreams, first = piece * most;
    int size = std::max(0, std::min(most, n - first));
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: pinned_kept | drops: pinned memory included
//: pinned memory is never freed: `cudaFreeHost`.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
}
//: pieces_kept | drops: frees all memory
//: the places of the pieces on the device are never freed.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
//: freed_by_the_wrong_call
//: pinned memory was given to `cudaFree`. What `cudaMallocHost` gave is freed by `cudaFreeHost`.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFree(squares);
}
//: first_digits
//: you count something else than last digits: the rest of a division by 10.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] / 10 % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
