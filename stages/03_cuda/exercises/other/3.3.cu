//: nothing_for_a_zero
//: An element that is 0 is not added, which changes no sum. Where most elements are 0 it saves most
//: atomics, which are slow where places meet; elsewhere each element is asked in vain.
    T more = source[at(lsource, i)];
    bool exists = place >= 0 && place < size;
    if (!exists) atomicMax(bad, i + 1);
    if (exists && more != T(0)) add_atomically(out + at(rest, i) + place * step, more);
