// Output positions are sorted into classes: those of one class look at the same places of the
// kernel, all inside the image. The inner ones are one class, the rows and columns at each border
// others; on the way back through a stride of 2 even and odd ones differ. With channels as
// neighbours a class is a short list of matrix products, one for each place k that it looks at:
//
//   result (pixel, o) = sum over k, c:   source[pixel + k, c] * weight[k, c, o]
//   dweight (k, c, o) = sum over the pixels that k joins:   x[pixel + k, c] * grad[pixel, o]
//
// A panel of kPanel result channels is worked on for all images before the next one comes, so that
// weights are read and turned once: of few pixels and many channels they are most of the memory.
#include "more/kernels/direct.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/taps.h"
#include "more/kernels/products.h"

namespace norch {
namespace {
constexpr int64_t kRoom = 256 << 10;  // bytes of results that wait to be turned back

// A place of the source or the kernel, and what belongs to it.
struct Pair {
  int64_t a, b;
};

// One direction of a class: the places of the kernel that its positions look at, how far the source
// of each lies behind that of the first, and the positions with their first sources.
struct Line {
  std::vector<Pair> taps;       // {distance, place}
  std::vector<Pair> positions;  // {source, position}
};

// For more's unpadded convolution: sorts positions into classes; meet(position) -> {source, place}
// of all that a position looks at.
template <class F>
std::vector<Line> lines_of(int64_t positions, F meet) {
  std::vector<Line> lines;
  for (int64_t i = 0; i < positions; ++i) {
    std::vector<Pair> taps = meet(i);
    const int64_t first = taps.empty() ? 0 : taps[0].a;
    for (Pair& tap : taps) tap.a -= first;
    const auto is_same = [&](const Line& line) {
      return std::equal(taps.begin(), taps.end(), line.taps.begin(), line.taps.end(),
                        [](const Pair& x, const Pair& y) { return x.a == y.a && x.b == y.b; });
    };
    auto line = std::find_if(lines.begin(), lines.end(), is_same);
    if (line == lines.end()) line = lines.insert(lines.end(), Line{std::move(taps), {}});
    line->positions.push_back({first, i});
  }
  return lines;
}

// For more's unpadded convolution: the classes of one direction of the outputs.
std::vector<Line> outputs_of(const Window& w) {
  return lines_of(w.out, [&](int64_t o) {
    std::vector<Pair> met;
    const Taps range = taps_of(w, o);
    for (int64_t k = range.first; k < range.last; ++k) {
      met.push_back({w.start(o) + k * w.dilation, k});
    }
    return met;
  });
}

// For more's unpadded convolution: the classes of one direction of the inputs, for their gradient.
std::vector<Line> inputs_of(const Window& w) {
  return lines_of(w.size, [&](int64_t i) {
    std::vector<Pair> met;
    for (int64_t k = 0; k < w.kernel; ++k) {
      const int64_t steps = i + w.padding - k * w.dilation;
      if (steps >= 0 && steps % w.stride == 0 && steps / w.stride < w.out) {
        met.push_back({steps / w.stride, k});
      }
    }
    return met;
  });
}

// Source and result of a pass, either way: channels, places in an image, elements between images.
struct Side {
  int64_t channels, height, width, step;
  int64_t plane() const { return height * width; }
};

struct Class {
  std::vector<Run> runs;   // from the pixels of the source and from the packed weights
  std::vector<Pair> rows;  // {first source, position} of one image, in pixels
};

// The classes of positions of an image, from those of its two directions.
std::vector<Class> classes_of(const std::vector<Line>& h, const std::vector<Line>& w,
                              const Side& from, const Side& to, const DirectShape& s) {
  std::vector<Class> classes;
  const int64_t pitch = pitch_of(from.channels), places = s.h.kernel * s.w.kernel;
  for (const Line& y : h) {
    for (const Line& x : w) {
      Class c;
      for (const Pair& i : y.taps) {
        for (const Pair& j : x.taps) {
          for (int64_t p = 0; p < from.channels; p += kFewProducts) {
            c.runs.push_back({(i.a * from.width + j.a) * pitch + p,
                              (i.b * s.w.kernel + j.b + p * places) * kPanel,
                              std::min(kFewProducts, from.channels - p)});
          }
        }
      }
      for (const Pair& i : y.positions) {
        for (const Pair& j : x.positions) {
          c.rows.push_back({i.a * from.width + j.a, i.b * to.width + j.b});
        }
      }
      classes.push_back(std::move(c));
    }
  }
  return classes;
}

// All images, channels as neighbours: (images, places, pitch).
Buffer turn_pixels(const float* data, int64_t images, const Side& side) {
  const int64_t pitch = pitch_of(side.channels), plane = side.plane();
  Buffer pixels(images * plane * pitch);
  parallel_for(images, ceil_div(1 << 14, plane * pitch + 1), [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      load_pixels({data + n * side.step, side.channels, 1, plane}, 0, 0, 1, plane,
                  pixels.data() + n * plane * pitch, pitch);
    }
  });
  return pixels;
}

// The result of all classes for `images` images -> back (images, places, kPanel).
void multiply_classes(const std::vector<Class>& classes, int64_t images, const Side& from,
                      const Side& to, int64_t places, const float* pixels, const float* weights,
                      bool is_narrow, const float* start, float* back) {
  const int64_t pitch = pitch_of(from.channels);
  for (const Class& c : classes) {
    const int64_t count = int64_t(c.rows.size());
    const auto row = [&](int64_t i) {
      const Pair& at = c.rows[size_t(i % count)];
      return TileRow{pixels + (i / count * from.plane() + at.a) * pitch,
                     back + (i / count * to.plane() + at.b) * kPanel};
    };
    multiply(images * count, row, {c.runs, 1, places * kPanel, weights}, is_narrow, start);
  }
}

// result = the source, through `classes`; pack(first result channel, count, room) gives the weights
// of a panel as (source channels, places, kPanel).
template <class F>
void pass(int64_t images, const Side& from, const Side& to, const std::vector<Class>& classes,
          int64_t places, const float* source, F pack, const float* bias, float* result) {
  const Buffer pixels = turn_pixels(source, images, from);
  const int64_t panels = ceil_div(to.channels, kPanel), pitch = pitch_of(from.channels);
  const int64_t affordable = kRoom / (to.plane() * kPanel * int64_t(sizeof(float)) + 1);
  const int64_t per_block = std::clamp<int64_t>(affordable, 1, std::max<int64_t>(images, 1));
  const int64_t blocks = ceil_div(images, per_block);
  parallel_for(panels * blocks, 1, [&](int64_t begin, int64_t end) {
    const Buffer weights(from.channels * places * kPanel), back(per_block * to.plane() * kPanel);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task / blocks * kPanel, image = task % blocks * per_block;
      const int64_t count = std::min(kPanel, to.channels - first);
      const int64_t many = std::min(per_block, images - image);
      if (task == begin || image == 0) pack(first, count, weights.data());
      float start[kPanel] = {};
      if (bias != nullptr) std::copy_n(bias + first, count, start);
      multiply_classes(classes, many, from, to, places,
                       pixels.data() + image * from.plane() * pitch, weights.data(), count <= kL,
                       start, back.data());
      for (int64_t n = 0; n < many; ++n) {
        store_pixels(back.data() + n * to.plane() * kPanel, kPanel, to.plane(), count,
                     result + (image + n) * to.step + first * to.plane(), to.plane());
      }
    }
  });
}

// The input side of a convolution.
Side input_of(const DirectShape& s) { return {s.in_channels, s.h.size, s.w.size, s.in_step}; }
// The output side of a convolution.
Side output_of(const DirectShape& s) { return {s.out_channels, s.h.out, s.w.out, s.out_step}; }

// The kernel of the convolution without padding.
void convolve(const DirectShape& s, const float* x, const float* weight, const float* bias,
              float* out) {
  const Side from = input_of(s), to = output_of(s);
  const int64_t places = s.h.kernel * s.w.kernel, terms = s.in_channels * places;
  const auto pack = [&](int64_t first, int64_t count, float* room) {
    if (count < kPanel) std::fill_n(room, terms * kPanel, 0.f);
    transpose_block(room, kPanel, reinterpret_cast<const char*>(weight + first * terms),
                    terms * int64_t(sizeof(float)), terms, count);
  };
  pass(s.images, from, to, classes_of(outputs_of(s.h), outputs_of(s.w), from, to, s), places, x,
       pack, bias, out);
}

// The kernel of the gradient of the unpadded convolution's input.
void input_gradient(const DirectShape& s, const float* grad, const float* weight, float* dx) {
  const Side from = output_of(s), to = input_of(s);
  const int64_t places = s.h.kernel * s.w.kernel;
  const auto pack = [&](int64_t first, int64_t count, float* room) {
    if (count < kPanel) std::fill_n(room, from.channels * places * kPanel, 0.f);
    for (int64_t o = 0; o < from.channels; ++o, room += places * kPanel) {
      const float* kernels = weight + (o * to.channels + first) * places;
      if (places == 1) {
        std::copy_n(kernels, count, room);
      } else {
        transpose_block(room, kPanel, reinterpret_cast<const char*>(kernels),
                        places * int64_t(sizeof(float)), places, count);
      }
    }
  };
  pass(s.images, from, to, classes_of(inputs_of(s.h), inputs_of(s.w), from, to, s), places, grad,
       pack, nullptr, dx);
}

// Which pixels a place of the kernel joins: runs along the rows of all images.
std::vector<std::vector<Run>> pixels_of_places(const DirectShape& s) {
  std::vector<std::vector<Run>> places;
  const int64_t pitch = pitch_of(s.in_channels);
  for (int64_t kh = 0; kh < s.h.kernel; ++kh) {
    for (int64_t kw = 0; kw < s.w.kernel; ++kw) {
      const Inside h = inside(s.h, kh), w = inside(s.w, kw);
      std::vector<Run> runs;  // from the pixels of x and from those of a panel of grad
      for (int64_t n = 0; n < s.images; ++n) {
        for (int64_t o = h.first; o < h.last; ++o) {
          const int64_t i = h.start + (o - h.first) * s.h.stride;
          runs.push_back({((n * s.h.size + i) * s.w.size + w.start) * pitch,
                          ((n * s.h.out + o) * s.w.out + w.first) * kPanel, w.last - w.first});
        }
      }
      places.push_back(std::move(runs));
    }
  }
  return places;
}

// The gradients of a panel of outputs for all images, channels side by side.
void load_panel(const DirectShape& s, const float* grad, int64_t first, int64_t count,
                float* panel) {
  const int64_t plane = s.h.out * s.w.out;
  if (count < kPanel) std::fill_n(panel, s.images * plane * kPanel, 0.f);
  for (int64_t n = 0; n < s.images; ++n, panel += plane * kPanel) {
    load_pixels({grad + n * s.out_step + first * plane, count, 1, plane}, 0, 0, 1, plane, panel,
                kPanel);
  }
}

// The kernel of the unpadded convolution's weight gradient. Tasks are a panel of outputs and a
// block of input channels, whose sums stay in the cache until they are turned back.
void weight_gradient(const DirectShape& s, const float* x, const float* grad, float* dweight) {
  const Buffer pixels = turn_pixels(x, s.images, input_of(s));
  const std::vector<std::vector<Run>> joined = pixels_of_places(s);
  const int64_t places = int64_t(joined.size()), c = s.in_channels;
  const int64_t affordable = kRoom / 2 / (places * kPanel * int64_t(sizeof(float)));
  const int64_t per_block = std::max<int64_t>(affordable / kRows, 1) * kRows;
  const int64_t panels = ceil_div(s.out_channels, kPanel), blocks = ceil_div(c, per_block);
  parallel_for(panels * blocks, 1, [&](int64_t begin, int64_t end) {
    const Buffer panel(s.images * s.h.out * s.w.out * kPanel), sums(per_block * places * kPanel);
    const float zeros[kPanel] = {};
    for (int64_t task = begin; task < end; ++task) {
      const int64_t o = task / blocks * kPanel, first = task % blocks * per_block;
      const int64_t count = std::min(kPanel, s.out_channels - o);
      const int64_t width = std::min(per_block, c - first);
      if (task == begin || first == 0) load_panel(s, grad, o, count, panel.data());
      for (int64_t k = 0; k < places; ++k) {
        const auto row = [&](int64_t i) {
          return TileRow{pixels.data() + first + i, sums.data() + (i * places + k) * kPanel};
        };
        multiply(width, row, {joined[size_t(k)], s.w.stride * pitch_of(c), kPanel, panel.data()},
                 count <= kL, zeros);
      }
      store_pixels(sums.data(), kPanel, width * places, count, dweight + (o * c + first) * places,
                   c * places);
    }
  });
}
}  // namespace

template <>
const UnpaddedTable& table<UnpaddedTable, kIsa>() {
  static constexpr UnpaddedTable t{{&convolve, &input_gradient, &weight_gradient}};
  return t;
}
}  // namespace norch
