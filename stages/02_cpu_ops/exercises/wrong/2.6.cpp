//: no_upstream | drops: all of it times `g`
//: you left out g, the gradient from above. The loss may be weighted or averaged afterwards: every
//: gradient is multiplied by what comes in.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] /= sum;
      dx[target[i]] -= 1;
//: bare_one
//: you subtract 1 at the target, whatever g is. The whole gradient is multiplied by g, the 1 too.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= 1;
//: no_target | drops: minus 1 at the target
//: you left out the 1 at the target. The loss has a term of its own for that number.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
//: no_stride | drops: the row's logsumexp
//: you took `lse` for contiguous. Its numbers lie `lse.strides[0]` apart.
      const T sum = sum_exp(x, classes, lse.data<T>()[i], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: no_shift | drops: a good shift
//: you take exp of the numbers as they are. For numbers around -200 all terms are 0, and so is
//: their sum.
      const T sum = sum_exp(x, classes, T(0), dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: first_row
//: you shift every row by the logsumexp of the first one. Each row has its own.
      const T sum = sum_exp(x, classes, lse.data<T>()[0], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: plus_one
//: you add at the target. The loss falls when the target's number grows: its gradient is the
//: softmax minus 1.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] += g;
//: class_0
//: you subtract at the first class, whatever the target is. `target[i]` says which one it is in
//: row i.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[0] -= g;
//: first_target
//: every row takes the target of the first one. Row i has `target[i]`.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[0]] -= g;
