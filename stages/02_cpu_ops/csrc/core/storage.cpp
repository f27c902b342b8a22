// Allocating and freeing a Storage.
#include "core/storage.h"

#include <new>

#include "core/error.h"

namespace norch {
// Makes the header of a storage at the start of a block.
Storage* Storage::header_in(Block block) {
  auto* storage = new (block.memory) Storage;
  storage->block_bytes_ = block.bytes;
  return storage;
}

// A storage with bytes of its own, from the allocator.
StoragePtr Storage::create(int64_t bytes) {
  const size_t nbytes = to_size(bytes);
  Storage* storage = header_in(allocate(sizeof(Storage), nbytes));
  storage->data_ = reinterpret_cast<char*>(storage) + sizeof(Storage);
  storage->nbytes_ = nbytes;
  return StoragePtr(storage);
}

// A storage around foreign bytes, which it lets go at the end.
StoragePtr Storage::adopt(void* data, size_t nbytes, bool writable, void* owner,
                          void (*let_go)(void*)) {
  Storage* storage = header_in(allocate(sizeof(Storage), 0));
  storage->data_ = static_cast<char*>(data);
  storage->nbytes_ = nbytes;
  storage->writable_ = writable;
  storage->owner_ = owner;
  storage->let_go_ = let_go;
  return StoragePtr(storage);
}

// Gives the block back when the last reference is gone.
void Storage::destroy() noexcept {
  if (let_go_ != nullptr) let_go_(owner_);
  const Block block{this, block_bytes_};
  this->~Storage();
  release(block);
}
}  // namespace norch
