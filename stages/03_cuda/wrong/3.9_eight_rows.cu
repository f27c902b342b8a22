  return row * kWarp + (column ^ (row & 7));
