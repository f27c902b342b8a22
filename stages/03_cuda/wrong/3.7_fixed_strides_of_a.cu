      a_tile[y][x] = i < m && l < k ? a_batch[i * k + l] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
