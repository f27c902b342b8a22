      a_tile[y][x] = i < m ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
