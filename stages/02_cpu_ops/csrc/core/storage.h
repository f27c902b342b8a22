// Storage: a reference-counted run of bytes, shared by every view of it. Our own bytes lie right
// behind the header, one allocation for both; foreign bytes (a NumPy array) keep their owner alive.
// The version counts in-place writes, so that autograd can tell a saved value was overwritten.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/allocator.h"

namespace norch {
class StoragePtr;

class alignas(kAlignment) Storage {
 public:
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  static StoragePtr create(int64_t bytes);
  // `let_go(owner)` runs once, when the last view is gone, on whatever thread that happens.
  static StoragePtr adopt(void* data, size_t nbytes, bool writable, void* owner,
                          void (*let_go)(void*));

  char* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  bool writable() const { return writable_; }
  // One view left, of bytes that are our own: no other view sees a write to them.
  bool is_sole() const {
    return owner_ == nullptr && references_.load(std::memory_order_acquire) == 1;
  }
  int64_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend class StoragePtr;
  Storage() = default;
  static Storage* header_in(Block block);
  void destroy() noexcept;

  std::atomic<int64_t> references_{1};
  std::atomic<int64_t> version_{0};
  char* data_ = nullptr;
  size_t nbytes_ = 0;
  void* owner_ = nullptr;
  void (*let_go_)(void*) = nullptr;
  size_t block_bytes_ = 0;
  bool writable_ = true;
};

class StoragePtr {
 public:
  StoragePtr() = default;
  explicit StoragePtr(Storage* adopted) : storage_(adopted) {}
  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_ != nullptr && storage_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      storage_->destroy();
    }
  }

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  bool operator==(const StoragePtr& other) const { return storage_ == other.storage_; }

 private:
  Storage* storage_ = nullptr;
};

// Memory for `size` elements of T, given back at the end of its scope.
template <class T>
class Room {
 public:
  explicit Room(int64_t size) : storage_(Storage::create(size * int64_t(sizeof(T)))) {}
  T* data() const { return reinterpret_cast<T*>(storage_->data()); }

 private:
  StoragePtr storage_;
};
}  // namespace norch
