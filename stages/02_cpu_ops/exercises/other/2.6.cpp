//: in_one_expression
//: one loop says what each element is, the target included. That reads like the formula; each
//: element costs a division and a comparison.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] = (dx[j] / sum - T(j == target[i])) * g;
