  return row * (kWarp + 2) + column;
