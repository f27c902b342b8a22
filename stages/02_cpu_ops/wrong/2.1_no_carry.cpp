    const int next = inner - 1;
    if (next >= 0) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][next];
    }
