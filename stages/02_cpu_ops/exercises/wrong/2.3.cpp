//: whole_blocks | drops: At the edges a block is smaller
//: you work on whole blocks only. What is left at the lower and at the right edge of b belongs to
//: the product too.
  for (int64_t p0 = 0; p0 + kDepth <= k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 + kCols <= n; j0 += kCols) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p0 + kDepth; ++p) {
          for (int64_t j = j0; j < j0 + kCols; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
//: overwrites | drops: += a (m, k) b (k, n)
//: you write into c instead of adding to it. Each element of c is a sum over all rows of b, and
//: every step contributes one term.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < std::min(k, p0 + kDepth); ++p) {
          for (int64_t j = j0; j < std::min(n, j0 + kCols); ++j) {
            c[i * n + j] = a[i * k + p] * b[p * n + j];
          }
        }
      }
    }
  }
//: cols_only | drops: `kDepth` rows
//: your blocks have all the rows of b, so a long column of blocks does not fit into the cache.
//: Take `kDepth` rows at a time.
  for (int64_t p0 = 0; p0 < k; p0 += k) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = k, j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
        }
      }
    }
  }
//: rows_only | drops: `kCols` columns
//: your blocks have all the columns of b, so a wide block does not fit into the cache. Take
//: `kCols` columns at a time.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += n) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = n;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
        }
      }
    }
  }
//: reordered | drops: use that block for every row of a
//: you go through all of b for each row of a, so every number is fetched m times. Use one block
//: for all rows, then go on to the next.
  reordered(a, b, c, m, n, k);
//: first_block
//: every block multiplies the first block of b. In a block, rows and columns begin at those that
//: you chose: p0 and j0.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[(p - p0) * n + j];
        }
      }
    }
  }
//: a_turned
//: you took a column of a for its row: element (i, p) lies at i * k + p.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[p * m + i];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
        }
      }
    }
  }
//: rows_of_a_block
//: you took `kCols` for the distance of b's rows. A block is a part of b, whose rows lie n numbers
//: apart.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * kCols + j];
        }
      }
    }
  }
//: same_columns
//: every block adds to the first columns of c. Column j of b belongs to column j of c.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j - j0] += factor * b[p * n + j];
        }
      }
    }
  }
//: whole_depth
//: you take `kDepth` rows of b where fewer are left. At the lower edge a block ends with the
//: matrix: `std::min`.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = p0 + kDepth, j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
//: last_block_alone
//: each block's sum takes the place of what the blocks above it have given. Every block adds to c.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = j0; j < j1; ++j) {
          float sum = 0;
          for (int64_t p = p0; p < p1; ++p) sum += a[i * k + p] * b[p * n + j];
          c[i * n + j] = sum;
        }
      }
    }
  }
//: one_row_too_many
//: you go one row of b too far: `p1` is the first row of the next block, and does not belong to
//: this one.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p <= p1; ++p) {
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
//: one_column_too_many
//: the columns of two blocks overlap: the first column of the next block is counted twice.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n - 1, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          for (int64_t j = j0; j <= j1; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
//: reads_ahead
//: you read the next number of a before you know that there is one: behind the last column it is no
//: longer yours.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        float factor = a[i * k + p0];
        for (int64_t p = p0; p < p1; ++p) {
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
          factor = a[i * k + p + 1];
        }
      }
    }
  }
//: b_turned
//: you took a column of b for its row: element (p, j) lies at p * n + j.
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += a[i * k + p] * b[j * k + p];
        }
      }
    }
  }
