// <helper_image.h> of CUDA's samples: grey and colour images, files of numbers, comparisons.
//
// Images are binary PGM and PPM files of bytes. Written anew, with the samples' names.
#pragma once
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

namespace norch_sim {
struct Image {
  unsigned width = 0, height = 0, channels = 0;
  std::vector<unsigned char> bytes;
};
// A number of the head, behind white space and comments.
inline bool read_number(FILE* file, unsigned& number) {
  int next = fgetc(file);
  while (next == '#' || isspace(next)) {
    bool comment = next == '#';
    do next = fgetc(file);
    while (comment && next != '\n' && next != EOF);
  }
  ungetc(next, file);
  return fscanf(file, "%u", &number) == 1;
}
inline bool load_image(const char* path, Image& image) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) return false;
  char kind = 0;
  unsigned most = 0;
  bool right = fscanf(file, "P%c", &kind) == 1 && (kind == '5' || kind == '6') &&
               read_number(file, image.width) && read_number(file, image.height) &&
               read_number(file, most) && most == 255 && fgetc(file) != EOF;
  image.channels = kind == '5' ? 1 : 3;
  if (right) image.bytes.resize(size_t(image.width) * image.height * image.channels);
  right = right && fread(image.bytes.data(), 1, image.bytes.size(), file) == image.bytes.size();
  fclose(file);
  return right;
}
// Of every pixel of `channels` numbers the first `kept`.
template <class T>
bool save_image(const char* path, const T* pixels, unsigned width, unsigned height, int channels,
                int kept) {
  FILE* file = fopen(path, "wb");
  if (file == nullptr) return false;
  fprintf(file, "P%c\n%u\n%u\n255\n", kept == 1 ? '5' : '6', width, height);
  for (size_t i = 0; i < size_t(width) * height; i++) {
    for (int c = 0; c < kept; c++) {
      T value = pixels[i * channels + c];
      fputc(int(sizeof(T) == 1 ? value : value * T(255)), file);
    }
  }
  return fclose(file) == 0;
}
// Into memory of the caller's, or new memory: bytes as they are, floats from 0 to 1.
template <class T>
bool load_pixels(const char* path, T** pixels, unsigned* width, unsigned* height, unsigned given,
                 unsigned channels) {
  Image image;
  if (!load_image(path, image) || image.channels != given) return false;
  size_t count = size_t(image.width) * image.height;
  if (*pixels == nullptr) *pixels = static_cast<T*>(malloc(count * channels * sizeof(T)));
  for (size_t i = 0; i < count * channels; i++) {
    size_t pixel = i / channels, c = i % channels;
    T value = c < given ? T(image.bytes[pixel * given + c]) : T(0);
    (*pixels)[i] = sizeof(T) == 1 ? value : value / T(255);
  }
  *width = image.width, *height = image.height;
  return true;
}
}  // namespace norch_sim

template <class T>
bool sdkLoadPGM(const char* path, T** pixels, unsigned* width, unsigned* height) {
  return norch_sim::load_pixels(path, pixels, width, height, 1, 1);
}
template <class T>
bool sdkLoadPPM4(const char* path, T** pixels, unsigned* width, unsigned* height) {
  return norch_sim::load_pixels(path, pixels, width, height, 3, 4);
}
#define sdkLoadPPM4ub sdkLoadPPM4
template <class T>
bool sdkSavePGM(const char* path, T* pixels, unsigned width, unsigned height) {
  return norch_sim::save_image(path, pixels, width, height, 1, 1);
}
inline bool sdkSavePPM4ub(const char* path, unsigned char* pixels, unsigned width,
                          unsigned height) {
  return norch_sim::save_image(path, pixels, width, height, 4, 3);
}

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
