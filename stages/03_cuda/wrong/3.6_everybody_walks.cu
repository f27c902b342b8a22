  T largest = -infinity();
  for (i64 i = 0; i < length; i++) largest = fmax(largest, line[at(inner, i)]);
  double sum = 0;
  for (i64 i = 0; i < length; i++) sum += exp(line[at(inner, i)] - largest);
  return {largest, static_cast<T>(log(sum))};
