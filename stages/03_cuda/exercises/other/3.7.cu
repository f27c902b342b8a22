//: zeros_first
//: Both tiles are cleared and then filled where the matrices are; the loop stops where k ends. It
//: says each thing by itself, and writes the inner elements twice.
      a_tile[y][x] = b_tile[y][x] = 0;
      if (i < m && l < k) a_tile[y][x] = a_batch[i * a_row + l * a_col];
      if (r < k && j < n) b_tile[y][x] = b_batch[r * b_row + j * b_col];
      __syncthreads();
      i64 steps = min(static_cast<i64>(kTile), k - start);
      for (i64 q = 0; q < steps; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
