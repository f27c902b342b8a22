  return row * kWarp + column;
