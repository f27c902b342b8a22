  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
