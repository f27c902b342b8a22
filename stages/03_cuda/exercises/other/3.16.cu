//: counts_of_each_stream
//: Each of three streams has counts of its own and sends them back itself; the host adds them. The
//: streams meet nowhere, and the host waits for one after the other. It takes more memory.
#include <iostream>
#include <vector>

__global__ void count(int n, const int* numbers, int* counts) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(counts + numbers[i] % 10, 1);
}

struct Lane {
  cudaStream_t stream;
  int *numbers, *counts, *found;
};

int main(int, char** words) {
  const int n = std::stoi(words[1]), size = n / 9 + 1;
  int* squares;
  cudaMallocHost(&squares, (n + 1) * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  std::vector<Lane> lanes(3);
  for (Lane& lane : lanes) {
    cudaStreamCreate(&lane.stream);
    cudaMalloc(&lane.numbers, size * sizeof(int));
    cudaMalloc(&lane.counts, 10 * sizeof(int));
    cudaMallocHost(&lane.found, 10 * sizeof(int));
    cudaMemsetAsync(lane.counts, 0, 10 * sizeof(int), lane.stream);
  }
  for (int piece = 0; piece * size < n; piece++) {
    const Lane& lane = lanes[piece % 3];
    const int here = n - piece * size < size ? n - piece * size : size;
    const int* from = squares + piece * size;
    cudaMemcpyAsync(lane.numbers, from, here * 4, cudaMemcpyHostToDevice, lane.stream);
    count<<<1, 256, 0, lane.stream>>>(here, lane.numbers, lane.counts);
  }
  int totals[10] = {};
  for (Lane& lane : lanes) {
    cudaMemcpyAsync(lane.found, lane.counts, 40, cudaMemcpyDeviceToHost, lane.stream);
    cudaStreamSynchronize(lane.stream);
    for (int digit = 0; digit < 10; digit++) totals[digit] += lane.found[digit];
    cudaFreeHost(lane.found), cudaFree(lane.counts), cudaFree(lane.numbers);
    cudaStreamDestroy(lane.stream);
  }
  for (int total : totals) std::cout << total << "\n";
  cudaFreeHost(squares);
}
