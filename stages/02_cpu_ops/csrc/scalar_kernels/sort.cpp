// Lines of any stride are read into entries (sort_keys.h), sorted there, and written by place.
#include "scalar_kernels/sort.h"

#include "core/error.h"
#include "core/thread_pool.h"
#include "kernels/lines.h"
#include "scalar_kernels/sort_keys.h"

namespace norch {
namespace {
constexpr int64_t kTaskElements = 1 << 13;

// The scalar loops of sort, topk and kthvalue: body(walker, entries) for every line, in parallel;
// with memory for `capacity` entries.
template <class K, class F>
void for_each_line(const Array& a, int dim, Array& values, Array& indices, int64_t capacity,
                   F body) {
  const Array* const arrays[] = {&a, &values, &indices};
  const Lines<3> lines(a, dim, arrays);
  const int64_t grain = std::max<int64_t>(1, kTaskElements / (length_of(a, dim) + 1));
  parallel_for(lines.count, grain, [&](int64_t begin, int64_t end) {
    Entries<K> entries(to_size(capacity));
    Lines<3> line = lines;
    line.seek(begin);
    for (int64_t i = begin; i < end; ++i, line.next()) body(line, entries.data());
  });
}

// Writes the values and places of sorted entries along a line.
template <class T, class K>
void write_entries(const Lines<3>& line, const Array& a, const Entry<K>* entries, int64_t n,
                   Array& values, Array& indices) {
  const T* from = a.data<T>() + line.at[0];
  T* value = values.data<T>() + line.at[1];
  int64_t* index = indices.data<int64_t>() + line.at[2];
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = static_cast<int64_t>(entries[i].place);
    value[i * line.stride[1]] = Value<T>(from[place * line.stride[0]]);
    index[i * line.stride[2]] = place;
  }
}

// The k smallest entries of a line, in order. Candidates gather behind the k best so far until the
// room is full, then the k best of them stay: a bound tells almost every later element to pass.
template <class T, class K>
void select_smallest(const T* line, int64_t stride, int64_t n, int64_t k, K flip, Entry<K>* entries,
                     int64_t capacity) {
  int64_t count = 0;
  K bound = K(~K(0));
  bool is_bound = false;
  for (int64_t i = 0; i < n; ++i) {
    const K key = K(KeyOf<T>::of(line[i * stride]) ^ flip);
    if (is_bound && key >= bound) continue;  // an equal one that stands later is no better
    entries[count++] = {key, typename Entry<K>::Place(i)};
    if (count < capacity || i + 1 == n) continue;
    std::nth_element(entries, entries + (k - 1), entries + count);
    bound = entries[k - 1].key;
    is_bound = true;
    count = k;
  }
  std::nth_element(entries, entries + (k - 1), entries + count);
  std::sort(entries, entries + k);
}

// Where the first NaN of a line stands, or -1.
template <class T>
int64_t first_nan(const T* line, int64_t stride, int64_t n) {
  if constexpr (!std::is_integral_v<Value<T>>) {
    for (int64_t i = 0; i < n; ++i) {
      if (KeyOf<T>::of(line[i * stride]) == typename KeyOf<T>::Key(-1)) return i;
    }
  }
  return -1;
}

// Where the element of rank k stands; of equals, the one whose turn it is in a stable order. The
// keys alone are half the memory of entries, and selecting is bound by memory.
template <class T>
int64_t place_of_rank(const T* line, int64_t stride, int64_t n, int64_t k) {
  using K = typename KeyOf<T>::Key;
  std::vector<K> keys(to_size(n));
  for (int64_t i = 0; i < n; ++i) keys[size_t(i)] = KeyOf<T>::of(line[i * stride]);
  std::nth_element(keys.begin(), keys.begin() + ptrdiff_t(k - 1), keys.end());
  const K wanted = keys[size_t(k - 1)];
  int64_t turn = k - std::count_if(keys.begin(), keys.end(), [&](K x) { return x < wanted; });
  int64_t i = 0;
  while (KeyOf<T>::of(line[i * stride]) != wanted || --turn > 0) ++i;
  return i;
}
}  // namespace

// The scalar loop of sort: each line becomes entries, which are sorted with as many as room.
void sort_lines(const Array& a, int dim, bool descending, Array& values, Array& indices) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = typename KeyOf<T>::Key;
    const int64_t n = length_of(a, dim);
    for_each_line<K>(a, dim, values, indices, 2 * n, [&](auto& line, Entry<K>* entries) {
      const K flip = descending ? K(~K(0)) : K(0);
      read_entries(a.data<T>() + line.at[0], line.stride[0], n, flip, entries);
      write_entries<T>(line, a, sort_entries(entries, entries + n, n), n, values, indices);
    });
  });
}

// The scalar loop of topk: the k best of each line. Many of them are sooner found by sorting all.
void topk_lines(const Array& a, int dim, int64_t k, bool largest, Array& values, Array& indices) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = typename KeyOf<T>::Key;
    const int64_t n = length_of(a, dim);
    const bool are_many = k > n / 8;
    const int64_t capacity = are_many ? 2 * n : std::max<int64_t>(2 * k, 256);
    const auto body = [&](auto& line, Entry<K>* entries) {
      const K flip = largest ? K(~K(0)) : K(0);
      const T* from = a.data<T>() + line.at[0];
      if (are_many) {
        read_entries(from, line.stride[0], n, flip, entries);
        entries = sort_entries(entries, entries + n, n);
      } else {
        select_smallest(from, line.stride[0], n, k, flip, entries, capacity);
      }
      write_entries<T>(line, a, entries, k, values, indices);
    };
    for_each_line<K>(a, dim, values, indices, capacity, body);
  });
}

// The scalar loop of kthvalue and median: one rank of each line.
void kth_lines(const Array& a, int dim, int64_t k, bool nan_wins, Array& values, Array& indices) {
  visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = typename KeyOf<T>::Key;
    for_each_line<K>(a, dim, values, indices, 1, [&](auto& line, Entry<K>* entry) {
      const T* from = a.data<T>() + line.at[0];
      const int64_t n = length_of(a, dim), stride = line.stride[0];
      const int64_t nan = nan_wins ? first_nan(from, stride, n) : -1;
      entry->place = typename Entry<K>::Place(nan < 0 ? place_of_rank(from, stride, n, k) : nan);
      write_entries<T>(line, a, entry, 1, values, indices);
    });
  });
}

// The scalar loop of unique: sorts all, then counts runs of equals.
int64_t unique_elements(const Array& a, Array& values, Array& inverse, Array& counts) {
  return visit(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using K = typename KeyOf<T>::Key;
    Entries<K> entries(to_size(a.numel)), room(to_size(a.numel));
    read_entries(a.data<T>(), 1, a.numel, K(0), entries.data());
    const Entry<K>* sorted = sort_entries(entries.data(), room.data(), a.numel);
    constexpr bool kHasNan = !std::is_integral_v<Value<T>>;
    int64_t found = 0;
    for (int64_t i = 0; i < a.numel; ++i) {
      const bool is_nan = kHasNan && sorted[i].key == K(~K(0));
      const auto place = static_cast<int64_t>(sorted[i].place);
      if (i == 0 || is_nan || sorted[i].key != sorted[i - 1].key) {
        values.data<T>()[found] = Value<T>(a.data<T>()[place]);
        counts.data<int64_t>()[found++] = 0;
      }
      ++counts.data<int64_t>()[found - 1];
      inverse.data<int64_t>()[place] = found - 1;
    }
    return found;
  });
}
}  // namespace norch
