//: a_place_that_walks
//: the place in the image walks along with the position, so nothing is multiplied. A variable that
//: changes in the loop keeps a compiler from making vectors of it as easily.
    int64_t at = r.start;
    for (int64_t o = r.first; to != nullptr && o < r.last; ++o, at += stride) to[at] += line[o];
