// Views by stage 1's rules, whose answers are remembered. A rule's answer depends on shape, strides
// and arguments, and an offset only moves it along: so the rule is asked about an array at offset
// 0, and what it says holds for every array that looks the same. No rule stands here.

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "bindings/layouts.h"

namespace norch {
namespace {
constexpr int kMaxWords = 64;        // of a question; a longer one is asked every time
constexpr size_t kMaxPlaces = 4096;  // remembered in all; then everything is forgotten

struct Place {  // a layout, relative to the offset of the array
  Dims shape, strides;
  int64_t offset;
};

// What a rule is asked, as a row of whole numbers: whether one layout is wanted or a list, the
// array's shape and strides, the arguments.
struct Question {
  PyObject* rule;
  int count = 0;
  int64_t words[kMaxWords];

  bool add(int64_t word) {
    if (count == kMaxWords) return false;
    words[count++] = word;
    return true;
  }
  bool operator==(const Question& other) const {
    return rule == other.rule && count == other.count &&
           std::equal(words, words + count, other.words);
  }
};

struct QuestionHash {
  size_t operator()(const Question& question) const {
    auto hash = reinterpret_cast<uint64_t>(question.rule);
    for (int i = 0; i < question.count; ++i) {
      hash = (hash ^ static_cast<uint64_t>(question.words[i])) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash);
  }
};

struct Answer {
  Owned rule;  // kept alive: its address is part of the question
  std::vector<Place> places;
};

using Memory = std::unordered_map<Question, Answer, QuestionHash>;

Memory& memory() {  // never destroyed: Python may be gone before
  static auto* const remembered = new Memory;
  return *remembered;
}

size_t places_remembered = 0;

enum Kind : int64_t { kNone, kDots, kNumber, kTuple, kSlice };

// Adds a Python int to the question that is looked up.
bool add_number(Question& question, PyObject* number) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  return overflow == 0 && question.add(kNumber) && question.add(value);
}

// False if the argument is no plain value, or too long: then nothing can be remembered.
bool add_argument(Question& question, PyObject* item) {
  if (PyLong_CheckExact(item)) return add_number(question, item);
  if (item == Py_None) return question.add(kNone);
  if (item == Py_Ellipsis) return question.add(kDots);
  if (PySlice_Check(item)) {
    const auto* part = reinterpret_cast<PySliceObject*>(item);
    return question.add(kSlice) && add_argument(question, part->start) &&
           add_argument(question, part->stop) && add_argument(question, part->step);
  }
  if (!PyTuple_Check(item)) return false;
  const Py_ssize_t size = PyTuple_GET_SIZE(item);
  bool fits = question.add(kTuple) && question.add(size);
  for (Py_ssize_t i = 0; fits && i < size; ++i) {
    fits = add_argument(question, PyTuple_GET_ITEM(item, i));
  }
  return fits;
}

// Adds an array's shape and strides to the question that is looked up.
bool add_array(Question& question, const Array& a) {
  bool fits = question.add(a.ndim);
  for (int i = 0; fits && i < a.ndim; ++i) {
    fits = question.add(a.shape[i]) && question.add(a.strides[i]);
  }
  return fits;
}

// The layout that a rule of norch_strides gave, read from Python.
Place place_from(PyObject* layout) {
  if (!PyTuple_Check(layout) || PyTuple_GET_SIZE(layout) != 3) {
    raise<TypeError>("[view_by] expected the rule to give a Layout, got ",
                     Py_TYPE(layout)->tp_name);
  }
  const Dims offset = dims_from(PyTuple_GET_ITEM(layout, 2), "view_by", "the offset");
  if (offset.n != 1) raise<TypeError>("[view_by] the offset must be one integer");
  return {dims_from(PyTuple_GET_ITEM(layout, 0), "view_by", "sizes"),
          dims_from(PyTuple_GET_ITEM(layout, 1), "view_by", "strides"), offset[0]};
}

// rule(layout of `a` at offset 0, *arguments)
std::vector<Place> ask(const Array& a, PyObject* rule, PyObject* const* args, Py_ssize_t count,
                       bool is_list) {
  Array origin = a;
  origin.offset = 0;
  const Owned layout = checked(layout_object(origin));
  std::vector<PyObject*> given{layout.get()};
  given.insert(given.end(), args, args + count);
  const Owned found = checked(PyObject_Vectorcall(rule, given.data(), given.size(), nullptr));
  std::vector<Place> places;
  if (is_list) {
    const Owned all = checked(PySequence_Tuple(found.get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
      places.push_back(place_from(PyTuple_GET_ITEM(all.get(), i)));
    }
  } else if (found.get() != Py_None) {
    places.push_back(place_from(found.get()));
  }
  return places;
}

// Keeps a rule's answer for arrays that look the same.
void remember(const Question& question, const std::vector<Place>& places) {
  const size_t size = std::max<size_t>(places.size(), 1);
  Memory forgotten;  // emptied last: letting go of a rule may run Python, which may come back here
  if (places_remembered + size > kMaxPlaces) {
    forgotten.swap(memory());
    places_remembered = 0;
  }
  if (size > kMaxPlaces) return;
  Answer answer{Owned(Py_NewRef(question.rule)), places};
  if (memory().emplace(question, std::move(answer)).second) places_remembered += size;
}

// Hands the rule's answer, remembered or new, to `use`, which must not run Python.
template <class F>
auto with_answer(const Array& a, PyObject* rule, PyObject* const* args, Py_ssize_t count,
                 bool is_list, F&& use) {
  Question question;
  question.rule = rule;
  bool is_plain = question.add(is_list) && add_array(question, a);
  for (Py_ssize_t i = 0; is_plain && i < count; ++i) is_plain = add_argument(question, args[i]);
  if (is_plain) {
    const auto found = memory().find(question);
    if (found != memory().end()) return use(found->second.places);
  }
  const std::vector<Place> places = ask(a, rule, args, count, is_list);
  if (is_plain) remember(question, places);
  return use(places);
}

// The view of an array at a layout that a rule found.
Array view_at(const Array& a, const Place& place, int64_t further = 0) {
  return a.view(place.shape, place.strides, a.offset + place.offset + further);
}

// A list of `count` arrays, made one by one.
template <class F>
PyObject* list_of(size_t count, F&& make) {
  Owned list = checked(PyList_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), wrap(make(i)));
  }
  return list.release();
}

// Refuses a Python call of view_by without a rule.
void check_has_rule(Py_ssize_t count, const char* op) {
  if (count == 0) raise<TypeError>("[", op, "] expected a rule of norch_strides, got nothing");
}

// A plain whole number between -size and size - 1, counted from 0; -1 for anything else.
int64_t place_within(PyObject* number, int64_t size) {
  if (!PyLong_CheckExact(number)) return -1;
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0 || value < -size || value >= size) return -1;
  return value < 0 ? value + size : value;
}

// Stage 1 places the first slice along a dimension; slice i lies i strides behind it.
template <class F>
auto with_first_slice(const Array& a, PyObject* dim, F&& use) {
  static StridesFunction rule("select");
  static PyObject* const zero = PyLong_FromLong(0);
  PyObject* const args[] = {dim, zero};
  return with_answer(a, rule.get(), args, 2, false,
                     [&](const std::vector<Place>& places) { return use(places.at(0)); });
}
}  // namespace

// The method Array.view_by.
PyObject* view_by(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  check_has_rule(count, "view_by");
  const Array& a = unwrap(self);
  return with_answer(a, args[0], args + 1, count - 1, false, [&](const auto& places) {
    return places.empty() ? Py_NewRef(Py_None) : wrap(view_at(a, places[0]));
  });
}

// The method Array.views_by.
PyObject* views_by(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  check_has_rule(count, "views_by");
  const Array& a = unwrap(self);
  const std::vector<Place> places =
      with_answer(a, args[0], args + 1, count - 1, true, [](const auto& found) { return found; });
  return list_of(places.size(), [&](size_t i) { return view_at(a, places[i]); });
}

// The method Array.select.
PyObject* select(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) raise<TypeError>("[select] expected dim and index, got ", count, " arguments");
  const Array& a = unwrap(self);
  const int64_t dim = place_within(args[0], a.ndim);
  const int64_t index = dim < 0 ? -1 : place_within(args[1], a.shape[dim]);
  if (index < 0) {  // out of range, or no plain number: stage 1 says which
    static StridesFunction rule("select");
    PyObject* const given[] = {rule.get(), args[0], args[1]};
    return view_by(self, given, 3);
  }
  return with_first_slice(a, args[0], [&](const Place& first) {
    return wrap(view_at(a, first, index * a.strides[dim]));
  });
}

// The method Array.unbind.
PyObject* unbind(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 1) raise<TypeError>("[unbind] expected dim, got ", count, " arguments");
  const Array& a = unwrap(self);
  const int64_t dim = place_within(args[0], a.ndim);
  if (dim < 0 || a.shape[dim] == 0) {  // no slices, no such dim, or no plain number
    static StridesFunction rule("unbind");
    PyObject* const given[] = {rule.get(), args[0]};
    return views_by(self, given, 2);
  }
  const Place first = with_first_slice(a, args[0], [](const Place& found) { return found; });
  return list_of(static_cast<size_t>(a.shape[dim]), [&](size_t i) {
    return view_at(a, first, static_cast<int64_t>(i) * a.strides[dim]);
  });
}
}  // namespace norch
