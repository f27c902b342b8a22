//: packed | drops: rows of b `n`
//: you walk b as if its rows lay one behind the other, as wide as the tile. Row p of b begins p
//: times n floats further on.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * kTileCols);
      sum[i][1] += a[i * k + p] * load(b + p * kTileCols + kLanes<float>);
    }
  }
//: rows_of_c | drops: Rows of a lie `k` floats apart
//: you took n for the distance of a's rows. a has k columns, so its rows lie k floats apart; n is
//: the distance in b and c.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * n + p] * load(b + p * n);
      sum[i][1] += a[i * n + p] * load(b + p * n + kLanes<float>);
    }
  }
//: five_rows | drops: the six rows
//: one of the six rows of the tile is left out. `kTileRows` says how many there are.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < 5; ++i) {
      sum[i][0] += a[i * k + p] * b0;
      sum[i][1] += a[i * k + p] * b1;
    }
  }
//: one_vector | drops: two vectors in `sum`
//: the second vector of each row stays as it was. A row of the tile is two vectors wide.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * b0;
    }
  }
//: same_vector | drops: two vectors of b, `kLanes<float>` floats each
//: both vectors of a row come from the same place of b. The second begins `kLanes<float>` floats
//: behind the first.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * b0;
      sum[i][1] += a[i * k + p] * b1;
    }
  }
//: stores | drops: add to
//: you store where you should add: of all the terms only the last one is left.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] = a[i * k + p] * b0;
      sum[i][1] = a[i * k + p] * b1;
    }
  }
//: whole_depth | drops: `depth` columns of a and rows of b
//: you go through all `k` columns of a. This tile is given `depth` of them, the caller brings the
//: others later.
  for (int64_t p = 0; p < k; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * b0;
      sum[i][1] += a[i * k + p] * b1;
    }
  }
//: turned
//: you took element (p, i) of a. The tile's row i and column p are at the row times the distance
//: of rows, plus p.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[p * k + i] * b0;
      sum[i][1] += a[p * k + i] * b1;
    }
  }
//: first_column
//: you take the first column of a for all of them: its number changes with p.
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k] * b0;
      sum[i][1] += a[i * k] * b1;
    }
  }
//: k_for_n
//: you took k for the distance of b's rows. b has n columns, so its rows lie n floats apart.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * k);
      sum[i][1] += a[i * k + p] * load(b + p * k + kLanes<float>);
    }
  }
//: one_float_further
//: the second vector begins one float behind the first. A vector has `kLanes<float>` floats: the
//: second begins behind all of them.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * n);
      sum[i][1] += a[i * k + p] * load(b + p * n + 1);
    }
  }
//: rows_of_depth
//: you took `depth` for the distance of a's rows. A tile takes only `depth` columns at a time; the
//: rows lie k floats apart.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * depth + p] * load(b + p * n);
      sum[i][1] += a[i * depth + p] * load(b + p * n + kLanes<float>);
    }
  }
//: one_too_many
//: you read one row of b too many: `depth` of them are this call's, and behind the last one the
//: numbers are not yours.
  for (int64_t p = 0; p <= depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * n);
      sum[i][1] += a[i * k + p] * load(b + p * n + kLanes<float>);
    }
  }
//: exchanged
//: you exchanged the two vectors of a row. `sum[i][0]` stands left of `sum[i][1]`.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][1] += a[i * k + p] * load(b + p * n);
      sum[i][0] += a[i * k + p] * load(b + p * n + kLanes<float>);
    }
  }
//: seventh_row
//: you go on to a seventh row. The tile has `kTileRows` of them, and `sum` no more.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i <= kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * n);
      sum[i][1] += a[i * k + p] * load(b + p * n + kLanes<float>);
    }
  }
//: subtracts
//: you subtract what the columns contribute. It is added.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] -= a[i * k + p] * load(b + p * n);
      sum[i][1] -= a[i * k + p] * load(b + p * n + kLanes<float>);
    }
  }
//: from_1
//: you begin with column 1 of a. The first one has the number 0.
  for (int64_t p = 1; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * n);
      sum[i][1] += a[i * k + p] * load(b + p * n + kLanes<float>);
    }
  }
//: row_i_of_b
//: you took row i of b. Column p of a meets row p of b; i is the tile's row.
  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + i * n);
      sum[i][1] += a[i * k + p] * load(b + i * n + kLanes<float>);
    }
  }
