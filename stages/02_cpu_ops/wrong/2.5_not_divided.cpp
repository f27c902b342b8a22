  sum_exp(lines, x, max_of(lines, x), y);
