      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= 1;
