//: left_alone | drops: a `nullptr` where the place lies above or below the image
//: you leave the line as it is where the row lies outside the image. Nobody else writes it: the
//: whole line is 0.
    if (from == nullptr) return;
    std::fill_n(line, r.first, T(0));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: left_unfilled | drops: Positions below `r.first`
//: the positions before `r.first` are never written. The padding counts as 0, and the memory holds
//: anything.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: right_unfilled | drops: those from `r.last` on
//: the positions from `r.last` on are never written. The padding counts as 0, and the memory holds
//: anything.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
//: edge_repeated | drops: they are 0 too
//: you repeat the image's edge in the padding. Beside the image everything counts as 0.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, from[r.start]);
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: from_the_left | drops: reads `from[r.start]`
//: you begin to read at the left edge of the image. Position `r.first` reads `from[r.start]`.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[(o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: no_stride | drops: each next one reads `stride` numbers further
//: you read neighbours, whatever the stride is. The kernel jumps `stride` numbers at a time.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first)];
    }
    std::fill(line + r.last, line + out, T(0));
//: start_jumps
//: you multiply `r.start` by the stride too. It is a place in the image already.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[(r.start + o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: last_lost
//: the last position inside the image is lost. `r.last` is the first one behind it: go on while
//: you are below.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o + 1 < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: packed
//: you write the first number inside the image to position 0. The line keeps its positions: the
//: first `r.first` of them are padding.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o < r.last; ++o) line[o - r.first] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
//: one_zero_too_many
//: you write a zero behind the line. It has `out` positions, and what follows is the next line's.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    std::fill(line + r.last, line + out + 1, T(0));
//: one_zero_alone
//: where there is no row you write the first position alone. The whole line is 0.
    if (from == nullptr) return static_cast<void>(line[0] = 0);
    std::fill_n(line, out, T(0));
    for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
//: read_and_thrown_away
//: you read for every position and throw away what lies in the padding. Beside the image the memory
//: is not yours to read.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    for (int64_t o = 0; o < out; ++o) {
      const T number = from[r.start + (o - r.first) * stride];
      line[o] = o < r.first || o >= r.last ? T(0) : number;
    }
//: added
//: you add to what the line holds. Nobody has written it before: its numbers are set.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    for (int64_t o = r.first; o < r.last; ++o) line[o] += from[r.start + (o - r.first) * stride];
    std::fill(line + r.last, line + out, T(0));
//: turned_around
//: you read the row from its other end. Position `r.first` reads `from[r.start]`, and the places
//: rise from there.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, out, T(0));
    for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (r.last - 1 - o) * stride];
//: in_float32
//: you put the numbers through float32. T may be double, and its digits are lost.
    std::fill_n(line, out, T(0));
    if (from == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) {
      line[o] = T(float(from[r.start + (o - r.first) * stride]));
    }
//: ones_beside
//: you fill the positions beside the image with another number. They are 0.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, out, T(1));
    for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
//: first_lost
//: the first position inside the image is lost. `r.first` belongs to it.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, out, T(0));
    for (int64_t o = r.first + 1; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
//: first_for_start
//: you took `r.first` for a place in the image. It is a position of the line; `r.start` is the
//: place.
    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, out, T(0));
    for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.first + (o - r.first) * stride];
