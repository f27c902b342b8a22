  return row * kWarp + row / 2 + column;
