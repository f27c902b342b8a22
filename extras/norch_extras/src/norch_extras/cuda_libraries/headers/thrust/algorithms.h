// The algorithms of thrust for programs: those of C++ in a kernel of one thread, or on the host.
//
// An execution policy says where; without one, whether an iterator is the device's. Included by
// the headers that thrust has for each.
#pragma once
#include <thrust/vectors.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace thrust {
// ---- functional ----
using std::divides, std::equal_to, std::greater, std::greater_equal, std::less, std::less_equal,
    std::minus, std::modulus, std::multiplies, std::negate, std::not_equal_to, std::plus;
template <class T = void>
struct maximum {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct identity {
  const T& operator()(const T& value) const { return value; }
};

// ---- iterators that hold no memory ----
template <class T>
class counting_iterator {
 public:
  using value_type = T;
  using difference_type = ptrdiff_t;
  using pointer = const T*;
  using reference = T;
  using iterator_category = std::random_access_iterator_tag;

  explicit counting_iterator(T value, T step = 1) : value_(value), step_(step) {}
  T operator*() const { return value_; }
  T operator[](ptrdiff_t i) const { return value_ + T(i) * step_; }
  counting_iterator& operator++() { return value_ += step_, *this; }
  counting_iterator& operator+=(ptrdiff_t n) { return value_ += T(n) * step_, *this; }
  counting_iterator operator+(ptrdiff_t n) const { return counting_iterator((*this)[n], step_); }
  ptrdiff_t operator-(counting_iterator other) const { return ptrdiff_t(value_ - other.value_); }
  bool operator==(counting_iterator other) const { return value_ == other.value_; }
  bool operator!=(counting_iterator other) const { return value_ != other.value_; }

 private:
  T value_, step_;
};
template <class T>
counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}
// The same value for ever.
template <class T>
counting_iterator<T> make_constant_iterator(T value) {
  return counting_iterator<T>(value, 0);
}

// ---- where ----
struct host_policy {
  static constexpr bool is_device = false;
};
struct device_policy {
  static constexpr bool is_device = true;
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t other) const { return {other}; }
};
constexpr host_policy host, seq;
constexpr device_policy device;
namespace cuda {
constexpr device_policy par;
}

namespace detail {
template <class T>
T* plain(device_ptr<T> pointer) {
  return pointer.get();
}
template <class It>
It plain(It iterator) {
  return iterator;
}
template <class It>
constexpr bool is_device = !std::is_same_v<It, decltype(plain(std::declval<It>()))>;
template <class T>
constexpr bool is_policy = std::is_same_v<T, host_policy> || std::is_same_v<T, device_policy>;

// Runs a body over iterators, or takes the value that it returns.
template <class Body, class... It>
auto run(host_policy, const char*, const Body& body, It... iterators) {
  return body(plain(iterators)...);
}
template <class Body, class... It>
auto run(device_policy policy, const char* name, const Body& body, It... iterators) {
  auto call = [=] { return body(plain(iterators)...); };
  using T = decltype(call());
  if constexpr (std::is_void_v<T>) {
    norch_sim::on_device(name, call, policy.stream);
  } else {
    return norch_sim::from_device<T>(name, call, policy.stream);
  }
}
}  // namespace detail

// name(iterators...) is name(policy, iterators...).
#define NORCH_WHERE(name)                                                                \
  template <class First, class... Rest,                                                  \
            class = std::enable_if_t<!detail::is_policy<std::decay_t<First>>>>           \
  auto name(First first, Rest... rest) {                                                 \
    constexpr bool here = !(detail::is_device<First> || ... || detail::is_device<Rest>); \
    return name(std::conditional_t<here, host_policy, device_policy>(), first, rest...); \
  }
#define NORCH_POLICY class P, class = std::enable_if_t<detail::is_policy<P>>

// ---- one walk ----
template <NORCH_POLICY, class It, class F>
It for_each(P policy, It first, It last, F f) {
  auto body = [=](auto begin, auto end) { std::for_each(begin, end, f); };
  detail::run(policy, "thrust::for_each", body, first, last);
  return last;
}
template <NORCH_POLICY, class It, class T>
void fill(P policy, It first, It last, T value) {
  auto body = [=](auto begin, auto end) { std::fill(begin, end, value); };
  detail::run(policy, "thrust::fill", body, first, last);
}
template <NORCH_POLICY, class It, class F>
void generate(P policy, It first, It last, F f) {
  auto body = [=](auto begin, auto end) { std::generate(begin, end, f); };
  detail::run(policy, "thrust::generate", body, first, last);
}
template <NORCH_POLICY, class It, class T = int>
void sequence(P policy, It first, It last, T value = 0, T step = 1) {
  auto body = [=](auto begin, auto end) {
    T next = value;
    for (auto at = begin; at != end; ++at, next = next + step) *at = next;
  };
  detail::run(policy, "thrust::sequence", body, first, last);
}
template <NORCH_POLICY, class It, class Out, class F>
Out transform(P policy, It first, It last, Out out, F f) {
  auto body = [=](auto begin, auto end, auto to) { std::transform(begin, end, to, f); };
  detail::run(policy, "thrust::transform", body, first, last, out);
  return out + (last - first);
}
template <NORCH_POLICY, class It, class Other, class Out, class F>
Out transform(P policy, It first, It last, Other other, Out out, F f) {
  auto body = [=](auto begin, auto end, auto second, auto to) {
    std::transform(begin, end, second, to, f);
  };
  detail::run(policy, "thrust::transform", body, first, last, other, out);
  return out + (last - first);
}
NORCH_WHERE(for_each)
NORCH_WHERE(fill)
NORCH_WHERE(generate)
NORCH_WHERE(sequence)
NORCH_WHERE(transform)

// Between the host and the device by a copy.
template <class It, class Out>
Out copy(It first, It last, Out out) {
  using T = typename std::iterator_traits<It>::value_type;
  if constexpr (detail::is_device<It> && detail::is_device<Out>) {
    auto body = [=](auto begin, auto end, auto to) { std::copy(begin, end, to); };
    detail::run(device, "thrust::copy", body, first, last, out);
    return out + (last - first);
  } else if constexpr (detail::is_device<It>) {
    std::vector<T> values(size_t(last - first));
    cudaMemcpy(values.data(), first.get(), values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return std::copy(values.begin(), values.end(), out);
  } else if constexpr (detail::is_device<Out>) {
    std::vector<typename Out::value_type> values(first, last);
    cudaMemcpy(out.get(), values.data(), values.size() * sizeof(values[0]), cudaMemcpyHostToDevice);
    return out + ptrdiff_t(values.size());
  } else {
    return std::copy(first, last, out);
  }
}

// ---- to one value ----
template <NORCH_POLICY, class It, class F, class T, class Fold>
T transform_reduce(P policy, It first, It last, F f, T value, Fold fold) {
  auto body = [=](auto begin, auto end) {
    T sum = value;
    for (auto at = begin; at != end; ++at) sum = fold(sum, f(*at));
    return sum;
  };
  return detail::run(policy, "thrust::reduce", body, first, last);
}
template <NORCH_POLICY, class It, class T = typename std::iterator_traits<It>::value_type,
          class Fold = std::plus<T>>
T reduce(P policy, It first, It last, T value = T(), Fold fold = Fold()) {
  return transform_reduce(policy, first, last, identity<T>(), value, fold);
}
template <NORCH_POLICY, class It, class F>
ptrdiff_t count_if(P policy, It first, It last, F f) {
  auto body = [=](auto begin, auto end) { return ptrdiff_t(std::count_if(begin, end, f)); };
  return detail::run(policy, "thrust::count_if", body, first, last);
}
template <NORCH_POLICY, class It, class T>
ptrdiff_t count(P policy, It first, It last, T value) {
  return count_if(policy, first, last, [=](const auto& one) { return one == value; });
}
template <NORCH_POLICY, class It>
bool is_sorted(P policy, It first, It last) {
  auto body = [=](auto begin, auto end) { return std::is_sorted(begin, end); };
  return detail::run(policy, "thrust::is_sorted", body, first, last);
}
NORCH_WHERE(transform_reduce)
NORCH_WHERE(reduce)
NORCH_WHERE(count_if)
NORCH_WHERE(count)
NORCH_WHERE(is_sorted)

// ---- scans: out[i] folds all before i, with or without i ----
template <NORCH_POLICY, class It, class Out, class Fold = std::plus<>>
Out inclusive_scan(P policy, It first, It last, Out out, Fold fold = Fold()) {
  auto body = [=](auto begin, auto end, auto to) { std::partial_sum(begin, end, to, fold); };
  detail::run(policy, "thrust::inclusive_scan", body, first, last, out);
  return out + (last - first);
}
template <NORCH_POLICY, class It, class Out,
          class T = typename std::iterator_traits<It>::value_type, class Fold = std::plus<T>>
Out exclusive_scan(P policy, It first, It last, Out out, T value = T(), Fold fold = Fold()) {
  auto body = [=](auto begin, auto end, auto to) {
    std::exclusive_scan(begin, end, to, value, fold);
  };
  detail::run(policy, "thrust::exclusive_scan", body, first, last, out);
  return out + (last - first);
}
NORCH_WHERE(inclusive_scan)
NORCH_WHERE(exclusive_scan)

// ---- order ----
namespace detail {
// Rearranges an array as the numbers of its elements say.
template <class Values>
void rearrange(Values values, const std::vector<ptrdiff_t>& order) {
  using T = typename std::iterator_traits<Values>::value_type;
  std::vector<T> old(values, values + ptrdiff_t(order.size()));
  for (size_t i = 0; i < order.size(); i++) values[i] = old[order[i]];
}
// The numbers of the elements in the order of their keys; equal ones stay as they are. (Not of
// std::stable_sort, whose own memory no kernel may touch.)
template <class Keys, class Less>
std::vector<ptrdiff_t> order_of(Keys keys, ptrdiff_t n, Less less) {
  std::vector<ptrdiff_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [=](ptrdiff_t a, ptrdiff_t b) {
    return less(keys[a], keys[b]) || (!less(keys[b], keys[a]) && a < b);
  });
  return order;
}
}  // namespace detail
template <NORCH_POLICY, class It, class Less = std::less<>>
void sort(P policy, It first, It last, Less less = Less()) {
  auto body = [=](auto begin, auto end) { std::sort(begin, end, less); };
  detail::run(policy, "thrust::sort", body, first, last);
}
template <NORCH_POLICY, class It, class Less = std::less<>>
void stable_sort(P policy, It first, It last, Less less = Less()) {
  auto body = [=](auto begin, auto end) {
    detail::rearrange(begin, detail::order_of(begin, end - begin, less));
  };
  detail::run(policy, "thrust::stable_sort", body, first, last);
}
template <NORCH_POLICY, class Keys, class Values, class Less = std::less<>>
void stable_sort_by_key(P policy, Keys first, Keys last, Values values, Less less = Less()) {
  auto body = [=](auto keys, auto end, auto others) {
    auto order = detail::order_of(keys, end - keys, less);
    detail::rearrange(keys, order);
    detail::rearrange(others, order);
  };
  detail::run(policy, "thrust::sort_by_key", body, first, last, values);
}
template <NORCH_POLICY, class Keys, class Values, class Less = std::less<>>
void sort_by_key(P policy, Keys first, Keys last, Values values, Less less = Less()) {
  stable_sort_by_key(policy, first, last, values, less);
}
template <NORCH_POLICY, class It>
It unique(P policy, It first, It last) {
  auto body = [=](auto begin, auto end) { return std::unique(begin, end) - begin; };
  return first + detail::run(policy, "thrust::unique", body, first, last);
}
template <NORCH_POLICY, class It, class F>
It remove_if(P policy, It first, It last, F f) {
  auto body = [=](auto begin, auto end) { return std::remove_if(begin, end, f) - begin; };
  return first + detail::run(policy, "thrust::remove_if", body, first, last);
}
template <NORCH_POLICY, class It, class T>
It remove(P policy, It first, It last, T value) {
  return remove_if(policy, first, last, [=](const auto& one) { return one == value; });
}
template <NORCH_POLICY, class It, class Out, class F>
Out copy_if(P policy, It first, It last, Out out, F f) {
  auto body = [=](auto begin, auto end, auto to) { return std::copy_if(begin, end, to, f) - to; };
  return out + detail::run(policy, "thrust::copy_if", body, first, last, out);
}
template <NORCH_POLICY, class It, class Out, class F = std::minus<>>
Out adjacent_difference(P policy, It first, It last, Out out, F f = F()) {
  auto body = [=](auto begin, auto end, auto to) { std::adjacent_difference(begin, end, to, f); };
  detail::run(policy, "thrust::adjacent_difference", body, first, last, out);
  return out + (last - first);
}
NORCH_WHERE(remove_if)
NORCH_WHERE(remove)
NORCH_WHERE(copy_if)
NORCH_WHERE(adjacent_difference)
NORCH_WHERE(stable_sort)
NORCH_WHERE(sort)
NORCH_WHERE(stable_sort_by_key)
NORCH_WHERE(sort_by_key)
NORCH_WHERE(unique)
#undef NORCH_WHERE
#undef NORCH_POLICY
}  // namespace thrust
