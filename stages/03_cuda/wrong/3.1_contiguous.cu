    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a[at(la, batch) + i * k + l] * b[at(lb, batch) + l * n + j];
    }
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
