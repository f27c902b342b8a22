  return row ^ column;
