  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
