//: unguarded
//: threads beyond the last element add too: the last block has more threads than elements are
//: left. Ask `if (i < n)`.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: glued | drops: with a space or a new line behind each
//: the sums stand side by side without anything between them, and nobody can tell them apart.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g", sum);
  printf("\n");
}
//: host_adds | drops: A kernel adds them on the device
//: the host adds. The sums are to be made by a kernel.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  for (int i = 0; i < n; i++) sums[i] = first[i] + second[i];
  if (threads > 1024) {
    fprintf(stderr, "invalid configuration argument\n");
    exit(1);
  }
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: floor_of_blocks | drops: prints the n sums
//: the elements of the last, unfinished block are left out: n / threads rounds down. Round up.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<n / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: one_block
//: one block is launched. With more elements than it has threads, the others are left out.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<1, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: threads_of_its_own | drops: how many threads a block has
//: the second number is not looked at: the blocks have a size of the program's own, and 2000
//: threads are no error.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 256;
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: empty_grid | drops: where it is 0 there is no launch
//: a launch of no blocks is an error. Where there are no elements there is nothing to launch.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: calls_unchecked | drops: of every call
//: only the launch is asked how it went. A call that fails says so by what it returns, and nobody
//: looks.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice);
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(out);
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: frees_unchecked
//: the calls that free are not looked at. They return errors too, and those of kernels before
//: them.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  cudaFree(x);
  cudaFree(y);
  cudaFree(out);
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: launch_unchecked | drops: and of the launch
//: nobody asks how the launch went: a block of too many threads never runs, and the sums are what
//: the memory held. Waiting does not tell: ask `cudaGetLastError()` behind it.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: asked_too_late | drops: prints no sums
//: the launch is asked how it went when its sums are printed already. Ask right behind it.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  check(cudaGetLastError());
  printf("\n");
}
//: goes_on | drops: ends with status 1
//: the message is written, and the program goes on as if nothing had happened. End it with 1.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: ends_with_zero
//: the program says what went wrong, and then ends with 0, which means that all is well.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(0);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: on_stdout | drops: to stderr
//: the error is written where the results go: messages go to stderr.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  printf("%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: number_of_the_error | drops: writes `cudaGetErrorString` of it
//: the error is written as its number. A reader wants the words, `cudaGetErrorString` of it.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%d\n", error);
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: one_leak | drops: All memory of the device is freed
//: the memory of the sums is never freed.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: freed_twice
//: the memory of x is freed twice, and that of y never.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(x));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: elements_for_bytes
//: `cudaMalloc` and `cudaMemcpy` want bytes, and got elements: that is a quarter of the row.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n;
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: bytes_of_a_pointer
//: the size is that of a pointer: an element has `sizeof(float)` bytes.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  const size_t bytes = sizeof(x);
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: wrong_direction
//: the sums are copied to the device: the last word of `cudaMemcpy` says which way.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyHostToDevice));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: host_pointers
//: the kernel was given the host's memory: a kernel reads what `cudaMalloc` gave.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, first.data(), second.data(), out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: host_reads_device
//: the host reads the device's memory. Copy it back first.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) printf("%g ", out[i]);
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
    printf("\n");
}
//: second_row_left_out
//: row y is never copied to the device: what the kernel reads there, nobody has written.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
//: equal_rows | drops: row y holds 0, 2, 4
//: both rows hold the same numbers. Those of y are twice as large.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
