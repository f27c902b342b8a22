//: given
  for (i64 size = 2; size <= padded; size *= 2) {
    __syncthreads();
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: half_the_sizes | drops: from 2 to `padded`
//: the last size is left out: the two halves are sorted, one upwards and one downwards, and never
//: become one.
  for (i64 size = 2; size < padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: a_quarter | drops: distance `size / 2`
//: you begin with a quarter of `size`. Entries of the two halves of a run then never meet: the
//: first distance is half of it.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size > 2 ? size / 4 : 1; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: no_neighbours | drops: and so on to 1
//: the rounds end before distance 1: neighbours are never compared.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 1; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: next_neighbour | drops: the one `distance` behind it
//: each entry meets its neighbour, whatever the distance is.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + 1;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: always_upwards | drops: upwards where `i & size` is 0
//: every run is sorted upwards. Two of them together then rise twice, and the rounds that follow
//: want a rise and a fall.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = true;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: places_stay | drops: a value takes its place along
//: the values move and their places stay: nobody can tell any more where a number came from.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
      }
    }
  }
  __syncthreads();
//: no_last_wait | drops: must find all of them written
//: nobody waits after the last round. A thread that is through reads entries which another is still
//: putting in order.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
//: no_wait | drops: what a round wrote
//: no thread waits for another between two rounds. In the next round it reads what its neighbour
//: has not yet written.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: warp_alone
//: only the threads of a warp wait for each other between two rounds. Partners lie further apart
//: than a warp: the whole block has to wait.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncwarp();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: wait_in_the_loop
//: the barrier stands in the loop over pairs, which some threads leave earlier: they do not come to
//: it. All threads of the block have to.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        __syncthreads();
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: one_pair
//: each thread handles one pair. With more pairs than threads, somebody has to come again.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += padded) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: turned
//: the pairs are put in the opposite order: the row comes out from large to small.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) == upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: wait_too_late | drops: what was loaded
//: the threads wait after each round, and nobody waits before the first: it reads entries that
//: another thread is still loading.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
      __syncthreads();
    }
  }
//: thread_0_alone
//: thread 0 sorts alone while the others stand by, and it does not wait for the entries that they
//: load. The pairs of a round are shared out among the threads.
  if (threadIdx.x == 0) {
    for (i64 size = 2; size <= padded; size *= 2) {
      for (i64 distance = size / 2; distance > 0; distance /= 2) {
        for (i64 pair = 0; pair < padded / 2; pair++) {
          i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
          bool upwards = (i & size) == 0;
          T a = values[i], b = values[j];
          i64 p = places[i], q = places[j];
          if (before(b, q, a, p, length, descending) != upwards) continue;
          values[i] = b, values[j] = a;
          places[i] = q, places[j] = p;
        }
      }
    }
  }
  __syncthreads();
//: thread_0_waits | drops: share out the pairs of a round
//: thread 0 sorts alone while the others stand by. The row comes out right; the pairs of a round
//: are to be shared out among the threads.
  __syncthreads();
  if (threadIdx.x == 0) {
    for (i64 size = 2; size <= padded; size *= 2) {
      for (i64 distance = size / 2; distance > 0; distance /= 2) {
        for (i64 pair = 0; pair < padded / 2; pair++) {
          i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
          bool upwards = (i & size) == 0;
          T a = values[i], b = values[j];
          i64 p = places[i], q = places[j];
          if (before(b, q, a, p, length, descending) != upwards) continue;
          values[i] = b, values[j] = a;
          places[i] = q, places[j] = p;
        }
      }
    }
  }
  __syncthreads();
//: to_length
//: you stop at `length`. The network has `padded` entries, and the last size is that of all of
//: them.
  for (i64 size = 2; size <= length; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: pairs_of_length
//: you deal out half of `length` pairs. There are half of `padded`.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < length / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: gives_up
//: a thread ends its round at the first pair that is in order. Others of its pairs may not be:
//: `continue`.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) break;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: never_descending
//: you do not hand `descending` on.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, false) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: values_alone
//: you compare the values alone. Padding has to stand behind everything, and of equal values the
//: first comes first: `before` knows.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if ((b < a) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: float
//: you carry the values in floats. T may be a double or a whole number of 64 bits.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        float a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
//: one_wait_a_size
//: you wait once for each size. Each of its rounds reads what the one before it has written.
  for (i64 size = 2; size <= padded; size *= 2) {
    __syncthreads();
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
