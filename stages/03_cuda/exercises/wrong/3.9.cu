//: given
  return row * kWarp + column;
//: by_two | drops: The tile has room for 32 x 33 elements
//: you pad by more than the tile has room for, so the last rows lie beyond its end. Two more also
//: leave two rows in each bank.
  return row * (kWarp + 2) + column;
//: half_swizzle
//: you shift by two values only, so a column has two banks. Every row needs a shift of its own.
  return row * kWarp + (column ^ (row % 2));
//: turned
//: you store the tile turned. Now the columns are free of conflicts, and the rows, which are
//: written, take 32 passes.
  return column * kWarp + row;
//: overlapping | drops: Give the elements places of their own
//: two elements have one place: the end of a row lies on the beginning of the next.
  return row * (kWarp - 1) + column;
//: one_row
//: all rows have the same 32 places: the row has to count as well.
  return row ^ column;
//: every_second | drops: so that both take one pass
//: two rows of a column share a bank: each of the 32 needs a shift of its own.
  return row * kWarp + row / 2 + column;
//: moved_rows | drops: the word at place p is in bank p % 32
//: you move elements to other rows, but leave them in the same bank: the bank is what the place
//: leaves when divided by 32.
  return (row + column) % kWarp * kWarp + column;
//: eight_rows
//: you move the columns by the last three bits of the row alone: every eighth row has the same
//: place again, and four lanes meet in one bank. All 32 rows have to differ.
  return row * kWarp + (column ^ (row & 7));
//: joined_bits
//: you join the bits with `|`, which makes one column of several. `^` does not.
  return row * kWarp + (column | row);
