    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      index[i] = 0;
    }
