      for (int q = 0; i < m && j < n && q < kTile && start + q < k; q++) {
        sum += a_batch[i * a_row + (start + q) * a_col] * b_batch[(start + q) * b_row + j * b_col];
      }
