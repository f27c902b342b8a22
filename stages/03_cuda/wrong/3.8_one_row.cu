    i64 column = first + lane;
    if (share > 0 || column >= columns) continue;
    Sum sum = 0;
    for (i64 i = 0; i < length; i++) sum += x[at(outer, column) + at(inner, i)];
    out[column] = static_cast<T>(sum);
