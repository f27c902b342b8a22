      const T sum = sum_exp(x, classes, T(0), dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
