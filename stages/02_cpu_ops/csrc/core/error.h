// The exceptions of the engine. Every check at the door ends in raise<Kind>("[op] ...", parts...);
// the bindings turn each kind into PyTorch's Python exception. Nothing here prints or exits.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace norch {

struct Error : std::runtime_error {  // -> RuntimeError
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {  // -> RuntimeError
  using Error::Error;
};
struct IndexError : Error {  // -> IndexError
  using Error::Error;
};
struct TypeError : Error {  // -> TypeError
  using Error::Error;
};
struct ValueError : Error {  // -> ValueError
  using Error::Error;
};
struct MemoryError : Error {  // -> MemoryError
  using Error::Error;
};

// raise<ShapeError>("[matmul] shapes ", a.shape_text(), " and ", ...): the parts joined by <<.
template <class Kind, class... Parts>
[[noreturn]] void raise(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw Kind(text.str());
}

}  // namespace norch
