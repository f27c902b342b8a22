// The lines of C++ that the page "Enough C++ to read on" explains; it runs them one by one.
// The argument says which: ./primer pointers
#include <cstdint>
#include <iostream>
#include <map>
#include <string>

// ---- types
void types() {
  int32_t small = 2147483647;          // a whole number of 32 bits; this is the largest
  int64_t large = int64_t{small} + 1;  // 64 bits: wide enough for any place in memory
  float rounded = 0.1f;                // 32 bits, about seven digits
  double finer = 0.1;                  // 64 bits, about sixteen
  std::cout << large << " " << (rounded == finer) << "\n";
}

// ---- functions
float total(const float* x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

void functions() {
  float row[] = {1, 2, 3, 4};
  std::cout << total(row, 4) << " " << total(row + 1, 2) << "\n";
}

// ---- pointers
void pointers() {
  float matrix[] = {1, 2, 3, 4, 5, 6};  // two rows of three, one behind the other
  float* second_row = matrix + 3;       // an address: three floats further on
  *second_row = 40;                     // what lies there
  second_row[1] = 50;                   // the same as *(second_row + 1)
  for (int64_t i = 0; i < 6; ++i) std::cout << matrix[i] << " ";
  std::cout << "\n";
}

// ---- references
struct Step {
  int64_t size, stride;
};

void forget(Step step) { step.size = 0; }                             // works on a copy
void clear(Step& step) { step.size = 0; }                             // works on the caller's own
int64_t end_of(const Step& step) { return step.size * step.stride; }  // looks, changes nothing

void references() {
  Step step{4, 3};
  forget(step);
  std::cout << end_of(step) << " ";
  clear(step);
  std::cout << end_of(step) << "\n";
}

// ---- templates
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void templates() {
  float a[] = {0.5f, 2}, b[] = {4, 8};
  int64_t c[] = {1, 2, 3};
  std::cout << dot(a, b, 2) << " " << dot(c, c, 3) << "\n";
}

// ---- lambdas
template <class F>
void for_each(int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) f(i);
}

void lambdas() {
  float x[] = {1, 2, 3}, factor = 10;
  for_each(3, [&](int64_t i) { x[i] *= factor; });
  std::cout << x[0] << " " << x[1] << " " << x[2] << "\n";
}
// ---- end

int main(int count, char** names) {
  const std::map<std::string, void (*)()> parts = {
      {"types", types},           {"functions", functions}, {"pointers", pointers},
      {"references", references}, {"templates", templates}, {"lambdas", lambdas}};
  for (int i = 1; i < count; ++i) parts.at(names[i])();
}
