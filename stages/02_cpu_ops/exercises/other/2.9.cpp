//: position_by_position
//: each position is asked whether it lies inside. One loop says it all; the question is asked for
//: every number, and nothing is copied in one go.
    for (int64_t o = 0; o < out; ++o) {
      const bool is_inside = from != nullptr && o >= r.first && o < r.last;
      line[o] = is_inside ? from[r.start + (o - r.first) * stride] : T(0);
    }
