// The exceptions of the engine. Every check at the door ends in raise<Kind>("[op] ...", parts...);
// the bindings turn each kind into PyTorch's Python exception. Nothing here prints or exits.
#pragma once

#include <cstddef>
#include <cstdint>
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
// -> norch_cpu_ops.DTypeError: a TypeError, as Python would say, and a NotImplementedError (which
// is a RuntimeError), as PyTorch does.
struct DTypeError : TypeError {
  using TypeError::TypeError;
};
struct ValueError : Error {  // -> ValueError
  using Error::Error;
};
struct MemoryError : Error {  // -> MemoryError
  using Error::Error;
};

// A part of a message: text or a number. A plain value, so that the hundreds of messages compile no
// stream, which took longer than the checks around them.
class Part {
 public:
  Part(const char* text) : kind_(Kind::kText), text_(text) {}                 // NOLINT: parts
  Part(const std::string& text) : kind_(Kind::kText), text_(text.c_str()) {}  // convert by
  Part(int x) : kind_(Kind::kInteger), integer_(x) {}                         // themselves
  Part(long x) : kind_(Kind::kInteger), integer_(x) {}
  Part(long long x) : kind_(Kind::kInteger), integer_(x) {}
  Part(unsigned x) : kind_(Kind::kInteger), integer_(x) {}
  Part(unsigned long x) : kind_(Kind::kNatural), natural_(x) {}
  Part(unsigned long long x) : kind_(Kind::kNatural), natural_(x) {}
  Part(double x) : kind_(Kind::kReal), real_(x) {}
  Part(char) = delete;  // would be written as a number

  void append_to(std::string& message) const;

 private:
  enum class Kind : uint8_t { kText, kInteger, kNatural, kReal };
  Kind kind_;
  union {
    const char* text_;
    long long integer_;
    unsigned long long natural_;
    double real_;
  };
};

// The text of a message from its parts.
std::string join(const Part* parts, size_t count);

// raise<ShapeError>("[matmul] shapes ", a.shape_text(), " and ", ...): the parts joined.
template <class Kind, class... Parts>
[[noreturn]] void raise(const Parts&... parts) {
  const Part all[] = {parts...};
  throw Kind(join(all, sizeof...(parts)));
}

// A count as this machine's size: of 32 bits in a browser, where a view can have more elements.
inline size_t to_size(int64_t count) {
  if (static_cast<uint64_t>(count) > SIZE_MAX / 2)
    raise<MemoryError>("[allocate] out of memory: asked for room for ", count);
  return static_cast<size_t>(count);
}
}  // namespace norch
