//: rows_and_steps
//: Two pointers walk along the row and the column, and the bias is what the sum begins with. There
//: is no multiplication to find a place; a reader has to follow the pointers to see where they are.
    const T* left = a + at(la, batch) + i * a_row;
    const T* above = b + at(lb, batch) + j * b_col;
    T sum = bias == nullptr ? T(0) : bias[j * bias_step];
    for (i64 rest = k; rest > 0; rest--) {
      sum += *left * *above;
      left += a_col;
      above += b_row;
    }
    out[o] = sum;
