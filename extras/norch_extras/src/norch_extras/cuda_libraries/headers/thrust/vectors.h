// Memory of thrust for programs: pointers to the device's memory, and vectors that own some.
//
// The host reads and writes single elements by copies, as on a GPU; algorithms.h takes the plain
// pointers to kernels.
#pragma once
#include <device_work.h>

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace thrust {
template <class T>
class device_ptr;

// An element of the device's memory, in the hands of the host.
template <class T>
class device_reference {
 public:
  explicit device_reference(T* where) : where_(where) {}
  operator T() const {
    T value;
    cudaMemcpy(&value, where_, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
  }
  device_reference& operator=(const T& value) {
    cudaMemcpy(where_, &value, sizeof(T), cudaMemcpyHostToDevice);
    return *this;
  }
  device_reference& operator=(const device_reference& other) { return *this = T(other); }
  device_reference& operator+=(const T& value) { return *this = T(*this) + value; }
  device_ptr<T> operator&() const { return device_ptr<T>(where_); }

 private:
  T* where_;
};

template <class T>
class device_ptr {
 public:
  using value_type = T;
  using difference_type = ptrdiff_t;
  using pointer = device_ptr;
  using reference = device_reference<T>;
  using iterator_category = std::random_access_iterator_tag;

  device_ptr() = default;
  explicit device_ptr(T* pointer) : pointer_(pointer) {}
  T* get() const { return pointer_; }
  reference operator*() const { return reference(pointer_); }
  reference operator[](ptrdiff_t i) const { return reference(pointer_ + i); }
  device_ptr& operator+=(ptrdiff_t n) { return pointer_ += n, *this; }
  device_ptr& operator-=(ptrdiff_t n) { return pointer_ -= n, *this; }
  device_ptr& operator++() { return *this += 1; }
  device_ptr& operator--() { return *this -= 1; }
  device_ptr operator++(int) { return device_ptr(pointer_++); }
  device_ptr operator+(ptrdiff_t n) const { return device_ptr(pointer_ + n); }
  device_ptr operator-(ptrdiff_t n) const { return device_ptr(pointer_ - n); }
  ptrdiff_t operator-(device_ptr other) const { return pointer_ - other.pointer_; }
  bool operator==(device_ptr other) const { return pointer_ == other.pointer_; }
  bool operator!=(device_ptr other) const { return pointer_ != other.pointer_; }
  bool operator<(device_ptr other) const { return pointer_ < other.pointer_; }

 private:
  T* pointer_ = nullptr;
};

template <class T>
device_ptr<T> device_pointer_cast(T* pointer) {
  return device_ptr<T>(pointer);
}
template <class T>
T* raw_pointer_cast(device_ptr<T> pointer) {
  return pointer.get();
}
template <class T>
T* raw_pointer_cast(T* pointer) {
  return pointer;
}
template <class T>
device_ptr<T> device_malloc(size_t count) {
  T* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  return device_ptr<T>(memory);
}
template <class T>
void device_free(device_ptr<T> memory) {
  cudaFree(memory.get());
}

template <class T>
class device_vector {
 public:
  using value_type = T;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<T>;

  explicit device_vector(size_t count = 0, const T& value = T()) {
    *this = std::vector<T>(count, value);
  }
  device_vector(std::initializer_list<T> values) { *this = std::vector<T>(values); }
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  device_vector(It first, It last) {
    assign(first, last);
  }
  template <class A>
  device_vector(const std::vector<T, A>& values) {
    *this = values;
  }
  device_vector(const device_vector& other) { *this = other; }
  device_vector(device_vector&& other) noexcept { swap(other); }
  ~device_vector() { device_free(data_); }

  template <class A>
  device_vector& operator=(const std::vector<T, A>& values) {
    allocate(values.size());
    cudaMemcpy(data_.get(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
    return *this;
  }
  device_vector& operator=(const device_vector& other) {
    if (this == &other) return *this;
    allocate(other.size_);
    cudaMemcpy(data_.get(), other.data_.get(), size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept { return swap(other), *this; }
  template <class It>
  void assign(It first, It last) {
    *this = std::vector<T>(first, last);
  }
  void assign(iterator first, iterator last) {
    allocate(size_t(last - first));
    cudaMemcpy(data_.get(), first.get(), size_ * sizeof(T), cudaMemcpyDeviceToDevice);
  }
  void swap(device_vector& other) { std::swap(data_, other.data_), std::swap(size_, other.size_); }
  void resize(size_t count, const T& value = T()) {
    std::vector<T> values = on_host();
    values.resize(count, value);
    *this = values;
  }
  void push_back(const T& value) { resize(size_ + 1, value); }
  void clear() { *this = std::vector<T>(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  iterator data() const { return data_; }
  iterator begin() const { return data_; }
  iterator end() const { return data_ + ptrdiff_t(size_); }
  device_reference<T> operator[](size_t i) const { return data_[ptrdiff_t(i)]; }
  device_reference<T> front() const { return data_[0]; }
  device_reference<T> back() const { return data_[ptrdiff_t(size_) - 1]; }
  std::vector<T> on_host() const {
    std::vector<T> values(size_);
    cudaMemcpy(values.data(), data_.get(), size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  void allocate(size_t count) {
    if (count == size_) return;
    device_free(data_);
    data_ = count > 0 ? device_malloc<T>(count) : iterator();
    size_ = count;
  }
  iterator data_;
  size_t size_ = 0;
};

template <class T>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  host_vector(const std::vector<T>& values) : std::vector<T>(values) {}
  host_vector(const device_vector<T>& values) : std::vector<T>(values.on_host()) {}
};
}  // namespace thrust
