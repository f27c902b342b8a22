  return column * kWarp + row;
