    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][inner];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][inner] * p.shape[i];
      index[i] = 0;
    }
