//: swizzled
//: Each row stays in its 32 places, in an order of its own: its number changes the bits of the
//: column. It needs no room for padding, and the places are harder to read in a debugger.
  return row * kWarp + (column ^ row);
