//: given
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, threads * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, n, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
}
//: no_barrier | drops: Five things are wrong
//: a thread reads what its neighbour is still loading. All must have loaded before anyone adds: a
//: barrier stands between the two.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: only_a_warp
//: you wait for your own warp alone. Thread 32 reads what thread 31 loads, and they are in two
//: warps.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncwarp();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: barrier_in_a_branch
//: some threads never come to the barrier: it stands in a branch, or the threads beyond the last
//: number have left.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  if (i < n) {
    __syncthreads();
    out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
  }
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: end_left_open | drops: Five things are wrong
//: the last number of the row has a neighbour at its right that nobody writes, unless it is the
//: last of its block too.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: end_of_a_block_left_open
//: the last thread of a block loads no neighbour any more, unless it has the last number of the
//: row.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: beyond_the_row
//: the neighbour of the last number is read from memory, and there is none. Beyond the row there
//: are zeros.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = x[i + 1];
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: itself_at_the_end | drops: Beyond both ends of the row there are zeros
//: at an end the number itself stands for its missing neighbour. Beyond the row there are zeros.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : x[0];
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : x[n - 1];
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: tile_too_small | drops: Five things are wrong
//: the launch asks for too little shared memory. The tile has a place for each thread and one more
//: at each end, and its size is in bytes.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, threads * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: elements_for_bytes | drops: Five things are wrong
//: `cudaMemcpy` wants bytes, and got elements: a quarter of the means comes back.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, n, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: one_leak | drops: Five things are wrong
//: the memory of the means is never freed.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
}
//: freed_early
//: the means are freed before they are copied back.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaFree(out);
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
}
//: frees_the_row
//: the row of the host is given to `cudaFree`, which is for what `cudaMalloc` gave. The means are
//: never freed.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(row.data());
}
//: sum
//: the three numbers are added and never divided.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
//: mean_of_those_there_are | drops: which count too
//: at an end you divide by 2. Two numbers and a zero are three.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / (n == 1 ? 1 : i == 0 || i == n - 1 ? 2 : 3);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
