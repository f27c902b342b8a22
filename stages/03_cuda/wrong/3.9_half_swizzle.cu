  return row * kWarp + (column ^ (row % 2));
