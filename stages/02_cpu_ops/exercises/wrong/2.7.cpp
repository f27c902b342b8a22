//: same_keys
//: the keys stay the same in every round. Each round needs other keys, or the rounds undo less of
//: the pattern in the counter.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
//: halves_exchanged | drops: high and low are their halves
//: you exchanged the halves of the products. The upper halves, which depend on all bits, are
//: crossed with the other words and the keys.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1) ^ b[i] ^ key0;
      b[i] = uint32_t(product1 >> 32);
      c[i] = uint32_t(product0) ^ d[i] ^ key1;
      d[i] = uint32_t(product0 >> 32);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: one_quad | drops: one round of Philox4x32 for a whole batch
//: you compute the first four words alone. There are `kQuads` of them.
    for (int i = 0; i < 1; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: low_words | drops: the products have 64 bits
//: your products have 32 bits, so their upper halves are lost. Make one factor 64 bits wide first.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = philox::kMultiplier0 * a[i];
      const uint64_t product1 = philox::kMultiplier1 * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: no_b | drops: xor b
//: the new a does not depend on b. Without that the round could not be undone, and different
//: counters would meet.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: no_d | drops: xor d
//: the new c does not depend on d. Without that the round could not be undone, and different
//: counters would meet.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: no_key0 | drops: xor key0
//: you left key0 out of the new a.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i];
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: no_key1 | drops: xor key1
//: you left key1 out of the new c.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i];
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: multipliers | drops: M0 and M1 are
//: you exchanged the two multipliers. a is multiplied by M0, c by M1.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier1) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier0) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: keys_for_each | drops: once a round
//: the keys change for each i. They belong to the round: all `kQuads` use the same ones.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
    }
//: key0_alone | drops: to key1
//: key1 stays the same in every round.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
//: key1_alone | drops: is added to key0
//: key0 stays the same in every round.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key1 += philox::kWeyl1;
//: products_too_late
//: you compute the second product when its word has changed already. Both products come first, from
//: the old words.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: one_too_many
//: you go one too far: the words have `kQuads` elements, and the last has the number `kQuads` - 1.
    for (int i = 0; i <= kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: keys_exchanged
//: you exchanged the keys. The new a takes key0, the new c takes key1.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key1;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key0;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: keys_first
//: the keys change before the words do. The first round takes them as they were given: they change
//: after it.
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
//: keys_added
//: you add the keys to the words. They are crossed with them: xor.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = (uint32_t(product1 >> 32) ^ b[i]) + key0;
      b[i] = uint32_t(product1);
      c[i] = (uint32_t(product0 >> 32) ^ d[i]) + key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: b_and_d_too_early
//: you write b and d before a and c have read them. The old words are needed: first a and c.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      b[i] = uint32_t(product1);
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      d[i] = uint32_t(product0);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: four_quads
//: you compute four values of i, as many as a quad has words. There are `kQuads` of them.
    for (int i = 0; i < 4; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: last_quad_missing
//: the last of the `kQuads` values of i is left out.
    for (int i = 0; i < kQuads - 1; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: signed_products
//: you multiply numbers with a sign. From half of all words on, the upper half of the product is
//: another: the words are unsigned.
    for (int i = 0; i < kQuads; ++i) {
      const int64_t product0 = int64_t(philox::kMultiplier0) * int32_t(a[i]);
      const int64_t product1 = int64_t(philox::kMultiplier1) * int32_t(c[i]);
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: shifted_by_16
//: you take the upper half by a shift of 16 bits. Half of 64 bits is 32.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 16) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 16) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
//: weyl_exchanged
//: you exchanged what is added to the keys. `kWeyl0` belongs to key0, `kWeyl1` to key1.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl1;
    key1 += philox::kWeyl0;
//: words_exchanged
//: you put what belongs in a and b into c and d. The product with c goes to a and b, the one with a
//: to c and d.
    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      c[i] = uint32_t(product1 >> 32) ^ b[i] ^ key0;
      a[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product1);
      b[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
