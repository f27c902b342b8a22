//: one_warp | drops: the lanes 0 leave theirs in the shared array `of_warp`
//: you fold within the warps and stop. A block has up to 32 of them; thread 0 knows only its own.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: no_neutral | drops: take `neutral` for them
//: you read `of_warp` beyond the warps that exist. Nobody has written there; shared memory does not
//: start as zeros.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = of_warp[lane];
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: always_adds | drops: thread 0 must return `fold` of all of them
//: you add where you should `fold`. A block also looks for the largest, with the same function.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = value + __shfl_down_sync(kAllLanes, value, distance);
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = value + __shfl_down_sync(kAllLanes, value, distance);
  }
  return value;
//: half_a_warp | drops: at distances 16, 8, 4, 2, 1
//: the distance 16 is missing: half of each warp is never folded. A warp has 32 lanes, so the
//: distances are 16, 8, 4, 2 and 1.
  for (int distance = kWarp / 4; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 4; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: first_entry | drops: the first warp folds those in the same way
//: you fold within the warps and stop. A block has up to 32 of them; thread 0 knows only its own.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  return value;
//: no_barrier_before
//: you write to `of_warp` before all have read the block's last result. Between two folds of the
//: same block there has to be a barrier.
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
//: no_barrier_between
//: you read `of_warp` before all warps have written: between the two there has to be a barrier.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: barrier_in_a_branch
//: the barrier stands in a branch which some threads do not take. All threads of the block have to
//: come to it.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) {
    of_warp[warp] = value;
    __syncthreads();
  }
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: zero_for_neutral
//: you take 0 for the warps that do not exist. For a sum that is right; the largest of negative
//: numbers is not 0. `neutral` fits the fold.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : V(0);
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: float
//: you carry what the shuffle brings in a float. V may be a double or a whole number of 64 bits.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    float other = __shfl_down_sync(kAllLanes, value, distance);
    value = fold(value, V(other));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    float other = __shfl_down_sync(kAllLanes, value, distance);
    value = fold(value, V(other));
  }
  return value;
//: four_warps
//: your second loop begins at distance 2, so it folds four warps. There may be 32 of them.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: eight_warps
//: your second loop begins at distance 4, so it folds eight warps. A block has at most 1024
//: threads, which are 32.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = 4; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: adds_in_the_warp
//: you add within the warps. `fold` may be another operation, such as the larger of two.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = value + __shfl_down_sync(kAllLanes, value, distance);
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: last_lane
//: the last lane hands over its value. After a shuffle downwards lane 0 has the result of its warp.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == kWarp - 1) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: upwards
//: lane 0 folds its own value with itself, as it does where the shuffle goes upwards.
//: `__shfl_down_sync` brings the value of the lane `distance` further.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_up_sync(kAllLanes, value, distance));
  }
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: every_lane
//: all lanes of a warp write to the same entry of `of_warp`. Lane 0 has the result of its warp.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    V other = __shfl_down_sync(kAllLanes, value, distance);
    if (lane + distance < kWarp) value = fold(value, other);
  }
  __syncthreads();
  of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
//: left_early
//: threads return before the second barrier. All threads of the block have to come to it: they
//: may leave behind it.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  if (warp > 0) return value;
  __syncthreads();
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: no_distance_1
//: the loop ends before the distance 1: every second lane is never folded.
  for (int distance = kWarp / 2; distance > 1; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: own_for_neutral
//: a lane for which there is no warp keeps a value of its own, which is then folded twice. Give
//: it `neutral`.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  if (lane < num_warps) value = of_warp[lane];
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: adds_the_warps
//: you fold within the warps and add up what comes of them. `fold` may be another operation,
//: such as the larger of two.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = of_warp[0];
  for (int w = 1; w < num_warps; w++) value = value + of_warp[w];
  return value;
//: all_in_one_entry
//: all warps write to the same entry of `of_warp`. Each has one of its own.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[lane] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: replaced
//: what the shuffle brings takes the place of your own value. The two are folded.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = __shfl_down_sync(kAllLanes, value, distance);
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: first_warp_lost
//: the first warp is left out when the warps are folded: lanes count from 0.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane > 0 && lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: last_warp_lost
//: the last warp is left out when the warps are folded: it is the warp `num_warps` - 1.
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  __syncthreads();
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  value = lane < num_warps - 1 ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  return value;
//: no_barriers
//: nobody waits for anybody. All warps have to write before the first one reads, and it has to read
//: before they write again.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  if (lane == 0) of_warp[warp] = value;
  if (warp > 0) return value;
  value = lane < num_warps ? of_warp[lane] : neutral;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_down_sync(kAllLanes, value, distance));
  }
  return value;
