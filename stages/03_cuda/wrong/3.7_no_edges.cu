      a_tile[y][x] = a_batch[i * a_row + l * a_col];
      b_tile[y][x] = b_batch[r * b_row + j * b_col];
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
