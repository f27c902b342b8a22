      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      __syncthreads();
      for (int q = 0; j < n && q < kTile && start + q < k; q++) {
        sum += a_tile[y][q] * b_batch[(start + q) * b_row + j * b_col];
      }
      __syncthreads();
