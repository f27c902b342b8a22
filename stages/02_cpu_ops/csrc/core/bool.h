// Bool: one byte in memory that is true unless it is 0. Foreign memory, views of other dtypes and
// new memory hold other bytes than 0 and 1, and to read those as a C++ bool is undefined. So every
// read gives a bool by asking != 0, and every write leaves 0 or 1.
#pragma once

#include <cstdint>

namespace norch {

struct Bool {
  uint8_t byte;
  Bool() = default;
  Bool(bool x) : byte(x) {}                    // NOLINT: reading and writing
  operator bool() const { return byte != 0; }  // convert by themselves
};

}  // namespace norch
