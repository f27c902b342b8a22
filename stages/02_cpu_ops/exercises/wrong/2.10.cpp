//: overwrites | drops: is added to the image
//: you store the number, so a pixel keeps what its last window says. Its gradient is the sum over
//: all windows it lies under.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] = line[o];
    }
//: no_row | drops: a `nullptr` where there is none
//: you write where there is no row of the image. A `nullptr` says that the place lies in the
//: padding: nothing is added.
    if (to == nullptr) to = image;
    if (stride == 1) {
      T* target = to + r.start;
      for (int64_t o = r.first; o < r.last; ++o) target[o - r.first] += line[o];
    } else {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
//: from_the_left | drops: belongs to `to[r.start]`
//: you begin at the left edge of the image. Position `r.first` belongs to `to[r.start]`.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[(o - r.first) * stride] += line[o];
    }
//: no_stride | drops: `stride` numbers further
//: you add to neighbours, whatever the stride is. The positions of the kernel lie `stride` pixels
//: apart.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first)] += line[o];
    }
//: from_position_0 | drops: positions before `r.first`
//: you begin with position 0 of the line. Those before `r.first` belong to no pixel.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o - r.first];
    }
//: to_the_end | drops: from `r.last` on
//: you go on to the end of the line. From `r.last` on its numbers belong to no pixel, and you add
//: them to the next row.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < p.w.out; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
//: last_lost
//: the last number that belongs to a pixel is lost. `r.last` is the first position behind it: go
//: on while you are below.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o + 1 < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
//: steps_from_0
//: you count the steps from position 0. `r.start` belongs to position `r.first`: count from there.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + o * stride] += line[o];
    }
//: start_jumps
//: you multiply `r.start` by the stride too. It is a place in the image already.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[(r.start + o - r.first) * stride] += line[o];
    }
//: subtracts
//: you subtract. A window's gradient goes to its pixels as it is: it is added.
    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] -= line[o];
    }
//: one_too_many
//: you add position `r.last` too. It is the first one behind those that belong to a pixel.
    if (to == nullptr) return;
    for (int64_t o = r.first; o <= r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
//: divided
//: you divide by the stride. From one position to the next it goes `stride` pixels on: multiply.
    if (to == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) / stride] += line[o];
//: largest
//: a pixel keeps the largest of its windows' numbers. They are added.
    if (to == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) {
      T& pixel = to[r.start + (o - r.first) * stride];
      pixel = std::max(pixel, line[o]);
    }
//: turned_around
//: you go through the row from its other end. Position `r.first` belongs to `to[r.start]`, and the
//: places rise from there.
    if (to == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) to[r.start + (r.last - 1 - o) * stride] += line[o];
//: in_float32
//: you put the numbers through float32. T may be double, and its digits are lost.
    if (to == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) {
      to[r.start + (o - r.first) * stride] += T(float(line[o]));
    }
//: first_for_start
//: you took `r.first` for a place in the image. It is a position of the line; `r.start` is the
//: place.
    if (to == nullptr) return;
    for (int64_t o = r.first; o < r.last; ++o) to[r.first + (o - r.first) * stride] += line[o];
//: no_row_to_the_first
//: you add to the first pixel what belongs to none. Where there is no row, there is nothing to do.
    if (to == nullptr) {
      image[0] += line[0];
      return;
    }
    for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
