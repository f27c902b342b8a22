    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      data[0] += p.steps[0][i];
      if (++index[i] < p.shape[i]) break;
      data[0] -= p.steps[0][i] * p.shape[i];
      index[i] = 0;
    }
