    const T* a_i = a + i * a_row;
    const T* b_j = b + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
