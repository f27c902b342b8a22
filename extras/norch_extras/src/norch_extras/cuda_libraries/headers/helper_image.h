// <helper_image.h> of CUDA's samples: comparisons, and files of numbers; images are not here.
#pragma once
#include <math.h>
#include <stdio.h>

// Numbers as text.
template <class T, class S>
bool sdkWriteFile(const char* path, const T* numbers, unsigned count, S, bool,
                  bool append = false) {
  FILE* file = fopen(path, append ? "a" : "w");
  if (file == nullptr) return false;
  for (unsigned i = 0; i < count; i++) fprintf(file, "%g ", double(numbers[i]));
  return fclose(file) == 0;
}

// Whether at most the fraction `threshold` of the numbers differ by more than epsilon.
template <class T, class S>
bool compareData(const T* reference, const T* data, unsigned count, const S epsilon,
                 float threshold) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; i++) {
    wrong += !(fabs(double(reference[i]) - double(data[i])) <= double(epsilon));
  }
  return double(wrong) <= double(threshold) * count;
}
// Whether the difference is small beside the reference, both as lengths of vectors.
inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned count,
                           float epsilon) {
  double error = 0, length = 0;
  for (unsigned i = 0; i < count; i++) {
    double difference = double(reference[i]) - data[i];
    error += difference * difference;
    length += double(reference[i]) * reference[i];
  }
  return length > 0 && sqrt(error) < epsilon * sqrt(length);
}
