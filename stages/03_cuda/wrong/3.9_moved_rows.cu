  return (row + column) % kWarp * kWarp + column;
