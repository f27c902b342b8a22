//: no_barrier | drops: all threads must read before any of them writes
//: you read and write in one go. A thread that is later finds its neighbour's new sum where it
//: needs the old one.
    for (int distance = 1; distance < width; distance *= 2) {
      if (t >= distance) parts[t] = join(parts[t - distance], parts[t]);
      __syncthreads();
    }
//: only_neighbour | drops: then 2, 4, 8, ...
//: you always join the direct neighbour. After a round it already holds several numbers; the
//: distance has to double.
    for (int round = 1; round < width; round *= 2) {
      V wider = t >= 1 ? join(parts[t - 1], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = wider;
      __syncthreads();
    }
//: replaced | drops: joined
//: what stands to the left takes the place of your own. The two are joined.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? parts[t - distance] : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: turned | drops: stands one place to its left
//: you joined your own with the left one, in this order. For a sum that is the same; of equals,
//: the running largest takes the later. What stands to the left comes first.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t], parts[t - distance]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: one_warp | drops: while the distance is below `width`
//: the distance ends at the width of a warp. A block may have 256 threads: go on while it is below
//: `width`.
    for (int distance = 1; distance < width && distance < kWarp; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: no_left_one | drops: a thread with nobody that far to its left keeps what it has
//: you read to the left of the first part. Only a thread from `distance` on has somebody that far
//: to its left.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = join(parts[t - distance], parts[t]);
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: one_barrier
//: you left out the barrier behind the writing. In the next round a fast thread reads a part that
//: a slow one has not written yet.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
    }
//: thread_0_alone
//: thread 0 does all the work, one part after the other, and 255 threads wait for it. In eight
//: rounds all of them take part.
    for (int place = 1; t == 0 && place < width; place++) {
      parts[place] = join(parts[place - 1], parts[place]);
    }
    __syncthreads();
//: all_to_the_left
//: each thread walks over everything to its left: the last one takes 255 steps, and all together
//: 32640. In eight rounds each takes eight.
    V joined = parts[0];
    for (int place = 1; place <= t; place++) joined = join(joined, parts[place]);
    __syncthreads();
    parts[t] = joined;
    __syncthreads();
//: above_the_distance
//: the thread whose left one is number 0 is left out: t may be the distance itself.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t > distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: no_last_wait
//: you do not wait after the last round. What comes behind the loop reads parts that another thread
//: has not written.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      if (distance * 2 < width) __syncthreads();
    }
//: wait_in_the_branch
//: a barrier stands in a branch that not all threads take. All threads of a block have to come to
//: it.
    for (int distance = 1; distance < width; distance *= 2) {
      if (t >= distance) {
        V joined = join(parts[t - distance], parts[t]);
        __syncthreads();
        parts[t] = joined;
      }
      __syncthreads();
    }
//: falling
//: the distances fall from half the width to 1. Each round then joins what is not yet a sum of
//: neighbours.
    for (int distance = width / 2; distance > 0; distance /= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: one_round
//: you join once. Each number then knows its neighbour: the distance has to double, round after
//: round.
    V joined = t >= 1 ? join(parts[t - 1], parts[t]) : parts[t];
    __syncthreads();
    parts[t] = joined;
    __syncthreads();
//: last_round_left_out
//: the last round is missing: the distance goes on as long as it is below `width`, not below
//: half of it.
    for (int distance = 1; distance < width / 2; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: every_distance
//: the distance grows by 1. A part already holds several numbers, and so some are joined twice:
//: the distance doubles.
    for (int distance = 1; distance < width; distance++) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: to_the_right
//: you join what stands to the right. The sum runs from the left: part t is all numbers up to
//: the t-th.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t + distance < width ? join(parts[t], parts[t + distance]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: without_its_own
//: each part ends before its own number. The t-th belongs to part t.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
    V before_me = t > 0 ? parts[t - 1] : parts[0];
    __syncthreads();
    parts[t] = before_me;
    __syncthreads();
//: first_again
//: a thread with nobody that far to its left joins the first part again. It keeps what it has.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t > 0 ? join(parts[t >= distance ? t - distance : 0], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: as_a_tree
//: only some threads join, as when a block folds to one number. Here each part is asked for:
//: every thread that has a left one joins.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = (t + 1) % (2 * distance) == 0 ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
//: no_wait_before_writing
//: you left out the barrier before the writing. A fast thread stores its new part where a slow one
//: still has to read the old one.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      parts[t] = joined;
      __syncthreads();
    }
//: no_barriers
//: nobody waits for anybody. All threads have to read before any of them writes, and to write
//: before any of them reads again.
    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      parts[t] = joined;
    }
