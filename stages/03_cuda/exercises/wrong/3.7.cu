//: one_barrier | drops: Place the two barriers
//: you left out the second barrier. A fast thread fetches the next tiles while a slow one still
//: reads these.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
//: no_edges
//: you fetch beyond the edges. Unless every size is a multiple of 16, the last tiles contain memory
//: that is no part of the matrix.
      a_tile[y][x] = a_batch[i * a_row + l * a_col];
      b_tile[y][x] = b_batch[r * b_row + j * b_col];
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: no_tile_of_a | drops: thread (x, y) brings a[i, l] into `a_tile[y][x]`
//: you read `a` from global memory in the inner loop, past the tile. The answer is right; each
//: number of `a` is fetched 16 times as often as needed.
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; i < m && q < kTile && start + q < k; q++) {
        sum += a_batch[i * a_row + (start + q) * a_col] * b_tile[q][x];
      }
      __syncthreads();
//: no_tile_of_b | drops: and b[r, j] into `b_tile[y][x]`
//: you read `b` from global memory in the inner loop, past the tile. The answer is right; each
//: number of `b` is fetched 16 times as often as needed.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      __syncthreads();
      for (int q = 0; j < n && q < kTile && start + q < k; q++) {
        sum += a_tile[y][q] * b_batch[(start + q) * b_row + j * b_col];
      }
      __syncthreads();
//: no_tiles
//: you left out the tiles: every thread fetches all of its row and its column from global memory,
//: as in 3.1. The answer is right, and each number is fetched 16 times as often as needed.
      for (int q = 0; i < m && j < n && q < kTile && start + q < k; q++) {
        sum += a_batch[i * a_row + (start + q) * a_col] * b_batch[(start + q) * b_row + j * b_col];
      }
//: no_edge_of_m | drops: i from m on
//: you fetch rows of `a` that do not exist: from m on, bring 0.
      a_tile[y][x] = l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: no_edge_of_k | drops: l and r from k on
//: you do not ask where k ends. The last step may be shorter than 16: beyond it, bring 0 into both
//: tiles.
      a_tile[y][x] = i < m ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: no_edge_of_n | drops: j from n on
//: you fetch columns of `b` that do not exist: from n on, bring 0.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: row_of_b | drops: it adds the 16 products of its row of `a_tile` and its column of `b_tile`
//: you multiply by a row of `b_tile`. The thread's column is x, and q walks down it.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[y][q];
      __syncthreads();
//: stored
//: each product takes the place of the one before it. They are added to `sum`, over all steps.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum = a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: fixed_strides_of_a | drops: with strides a_row, a_col, b_row, b_col
//: you take `a` for contiguous. A transposed view has the same memory and other strides: `a_row`
//: and `a_col`.
      a_tile[y][x] = i < m && l < k ? a_batch[i * k + l] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: fixed_strides_of_b
//: you take `b` for contiguous. A transposed view has the same memory and other strides: `b_row`
//: and `b_col`.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * n + j] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: first_barrier
//: you left out the first barrier. A fast thread multiplies with places of the tiles that a slow
//: one has not filled yet.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: float
//: you multiply in float. T may be a double or a whole number of 64 bits.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += float(a_tile[y][q]) * float(b_tile[q][x]);
      __syncthreads();  // nobody needs them any more
//: turned_tile
//: you put the tile of `a` down turned: thread (x, y) brings its element into `a_tile[y][x]`.
      a_tile[x][y] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: turned_b
//: you read `b_tile` turned. The thread needs column x, and q counts its rows.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[x][q];
      __syncthreads();  // nobody needs them any more
//: clamped
//: you bring the last element again where the matrix has ended. Times 0 it is no 0 if it is
//: infinite: bring 0.
      a_tile[y][x] = a_batch[min(i, m - 1) * a_row + min(l, k - 1) * a_col];
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: no_zero
//: beyond the edges you bring nothing, so the tile holds what was there before. Bring 0.
      if (i < m && l < k) a_tile[y][x] = a_batch[i * a_row + l * a_col];
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: fifteen
//: you add up 15 products. The tile has 16: q runs to `kTile`.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile - 1; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: either_edge
//: you fetch where only one of the two indices is inside. Both have to be.
      a_tile[y][x] = i < m || l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: one_beyond_k
//: you fetch columns of `a` that do not exist: the last index is k - 1.
      a_tile[y][x] = i < m && l <= k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: column_for_row
//: you fetch rows of `b` without asking whether r is inside. `l` is the column of `a` alone.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = l < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: first_wait_of_a_warp
//: you wait for your own warp alone before multiplying. The tiles are filled by all eight warps of
//: the block.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncwarp();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();  // nobody needs them any more
//: second_wait_of_a_warp
//: you wait for your own warp alone after multiplying. Another warp may still read the tiles that
//: you fill next.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();  // both tiles are complete
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncwarp();  // nobody needs them any more
//: ones_beyond
//: beyond the edges you bring 1, which adds something to the sum. A product with 0 adds
//: nothing.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(1);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(1);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: exchanged_strides_of_a
//: you exchanged the two strides of `a`: row i is `i * a_row` elements further.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_col + l * a_row] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: first_matrices
//: every batch reads the first matrices. Those of this batch begin at `a_batch` and `b_batch`.
      a_tile[y][x] = i < m && l < k ? a[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: begins_again
//: the sum begins again with each step. All steps along k add to the same sum.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      sum = 0;
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
//: waits_inside
//: the barriers stand behind each product. One belongs between filling and multiplying: the
//: tiles have to be complete before the first.
      a_tile[y][x] = i < m && l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k && j < n ? b_batch[r * b_row + j * b_col] : T(0);
      for (int q = 0; q < kTile; q++) {
        sum += a_tile[y][q] * b_tile[q][x];
        __syncthreads();
      }
//: left_early
//: threads whose result does not exist pass by the barriers. They still fetch for the others,
//: and wait with them.
      if (i >= m || j >= n) continue;
      a_tile[y][x] = l < k ? a_batch[i * a_row + l * a_col] : T(0);
      b_tile[y][x] = r < k ? b_batch[r * b_row + j * b_col] : T(0);
      __syncthreads();
      for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[q][x];
      __syncthreads();
