    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i] * int64_t(sizeof(float));
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * int64_t(sizeof(float)) * p.shape[i];
      index[i] = 0;
    }
