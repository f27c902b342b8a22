    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a[at(la, batch) + i * a_row + l * a_col] * b[at(lb, batch) + l * b_col + j * b_row];
    }
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
