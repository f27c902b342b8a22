//: from_the_counters
//: the counters are carried first, and every pointer is computed anew from them. No step has to be
//: taken back, and no error can add up; each row costs a multiplication for each dimension.
    for (int i = inner - 1; i >= 0 && ++index[i] == p.shape[i]; --i) index[i] = 0;
    for (int k = 0; k < p.num_operands; ++k) {
      data[k] = p.data[k];
      for (int i = 0; i < inner; ++i) data[k] += index[i] * p.steps[k][i];
    }
