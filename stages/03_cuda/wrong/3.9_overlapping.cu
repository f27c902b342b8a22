  return row * (kWarp - 1) + column;
