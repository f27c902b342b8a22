// Joins the parts of a message.
#include "core/error.h"

#include <cstdio>

namespace norch {
void Part::append_to(std::string& message) const {
  char digits[32];
  switch (kind_) {
    case Kind::kText:
      message += text_;
      break;
    case Kind::kInteger:
      message += std::to_string(integer_);
      break;
    case Kind::kNatural:
      message += std::to_string(natural_);
      break;
    case Kind::kReal:
      std::snprintf(digits, sizeof digits, "%g", real_);
      message += digits;
      break;
  }
}

// The text of an error message from its parts.
std::string join(const Part* parts, size_t count) {
  std::string message;
  for (size_t i = 0; i < count; ++i) parts[i].append_to(message);
  return message;
}
}  // namespace norch
