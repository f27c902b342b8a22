// A fault of order: two streams use one array of the device, and nothing makes either wait.
#include <cstdio>

__global__ void keep(const int* number, int* kept) { *kept = *number; }

int main() {
  int *numbers, *place, *kept, found[2];
  cudaStream_t streams[2];
  cudaMallocHost(&numbers, 2 * sizeof(int));
  cudaMalloc(&place, sizeof(int));
  cudaMalloc(&kept, 2 * sizeof(int));
  for (int s = 0; s < 2; s++) {
    numbers[s] = s + 1;
    cudaStreamCreate(&streams[s]);
    cudaMemcpyAsync(place, numbers + s, sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    keep<<<1, 1, 0, streams[s]>>>(place, kept + s);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, kept, sizeof found, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", found[0], found[1]);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(place);
  cudaFree(kept);
  cudaFreeHost(numbers);
}
