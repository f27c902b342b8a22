      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] += g;
