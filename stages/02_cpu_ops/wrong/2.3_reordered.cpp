  reordered(a, b, c, m, n, k);
