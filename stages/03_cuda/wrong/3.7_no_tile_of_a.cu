      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; i < m && q < kTile && start + q < k; q++) {
        sum += a_batch[i * a_row + (start + q) * a_col] * b_tile[q][x];
      }
      __syncthreads();
