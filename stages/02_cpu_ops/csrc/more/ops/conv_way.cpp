#include "more/ops/fast_conv.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "more/kernels/direct.h"

namespace norch {
namespace {
std::atomic<bool> winograd_enabled{true}, direct_enabled{true};

// Whether a window is one that Winograd's convolution takes.
bool moves_by_one(const Window& w) {
  return (w.kernel == 3 || w.kernel == 5) && w.stride == 1 && w.dilation == 1;
}

// For the choice of a convolution's way: pairs of an output and a place of the kernel that lies
// inside the input, at a stride of 1.
double pairs_inside(const Window& w) {
  int64_t pairs = 0;
  for (int64_t k = 0; k < w.kernel; ++k) {
    const int64_t first = std::max<int64_t>(w.padding - k, 0);
    pairs += std::max<int64_t>(std::min(w.out, w.size + w.padding - k) - first, 0);
  }
  return static_cast<double>(pairs);
}

// Whether a convolution goes Winograd's way. In products of one input with one output channel, as
// the other ways compute them: a tile of 4 x 4 outputs, of 2 x 2 under 5 x 5, takes 36, which here
// cost as much as 42; its transforms cost 600 per channel, shared by the channels of the other
// side; and the transform of the weights, which leave the cache, costs 12, of 5 x 5 36, for the
// square root of each pair of channels. Fitted to 8 to 512 channels, images of 2 x 2 to 28 x 28, 1
// to 128 of them; where both sides are equal neither way took 1.3 times as long. The error grows
// with the square root of the channels: 1.4e-5 of the largest result at 512.
bool suits_winograd(const ConvGeometry& g, ConvPass pass) {
  const Window &h = g.patches.h, &w = g.patches.w;
  const auto in = static_cast<double>(g.patches.channels),
             out = static_cast<double>(g.out_channels);
  constexpr double kMostChannels = 2048;
  if (!winograd_enabled || !moves_by_one(h) || !moves_by_one(w) || h.kernel != w.kernel ||
      std::max(in, out) > kMostChannels) {
    return false;
  }
  const auto images = static_cast<double>(g.images);
  const int64_t tile = 7 - h.kernel;
  const auto in_line = [&](const Window& line) {
    return ((pass == ConvPass::kToInput ? line.size : line.out) + tile - 1) / tile;
  };
  const double tiles = images * static_cast<double>(in_line(h) * in_line(w));
  return images * pairs_inside(h) * pairs_inside(w) >
         tiles * (42 + 600 / in + 600 / out) + (h.kernel == 3 ? 12 : 36) * std::sqrt(in * out);
}

// For the choice of a convolution's way, among more's ops: the places of a padded line that the
// direct ways hold in memory, those under some window and those before the end of the input.
int64_t extent(const Window& w) {
  const int64_t under_windows = (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  return std::max(under_windows, w.padding + w.size);
}

// For the choice of a convolution's way: whether a padded plane is hardly larger than the planes it
// lies between. Much padding under a wide dilation makes a few pixels into a plane that no memory
// holds.
bool is_compact(const Window& h, const Window& w) {
  constexpr int64_t kMostSpread = 8, kSmall = 128;
  int64_t plane;
  return !__builtin_mul_overflow(extent(h), extent(w), &plane) &&
         plane / kMostSpread <= h.size * w.size + h.out * w.out + kSmall;
}

// Whether a convolution goes the depthwise way.
bool suits_depthwise(const ConvGeometry& g) {
  return direct_enabled && g.patches.channels == 1 && g.out_channels == 1 && g.groups >= 8 &&
         is_compact(g.patches.h, g.patches.w);
}

constexpr int64_t kFewestChannels = 8;        // fewer leave most lanes of a vector empty
constexpr int64_t kTooManyWeights = 1 << 19;  // would be read, or their sums, with every strip

// Whether a convolution goes the way without padding.
bool suits_unpadded(const ConvGeometry& g, ConvPass pass) {
  constexpr int64_t kMostPlaces = 64;   // large kernels have a class for nearly every position
  constexpr int64_t kFewestPixels = 4;  // below, turning the weights costs more than a product
  constexpr int64_t kSmallPlane = 64;   // 8 x 8: a product for each image is too small for BLAS
  constexpr int64_t kPlane = 256, kManyChannels = 32;  // 16 x 16: much of 5 x 5 lies in the padding
  const Window &h = g.patches.h, &w = g.patches.w;
  const int64_t places = h.kernel * w.kernel, out_plane = h.out * w.out;
  const int64_t plane = std::max(h.size * w.size, out_plane);
  const int64_t in = g.patches.channels, out = g.out_channels;
  if (!direct_enabled || std::min(in, out) < kFewestChannels || places > kMostPlaces ||
      g.images * plane < kFewestPixels) {
    return false;
  }
  if (places == 1) return out_plane <= kSmallPlane;
  // Columns add up four times as many numbers there, and the direct way knows no such stride.
  if (pass == ConvPass::kToInput && std::max(h.stride, w.stride) > 1) return true;
  if (in * out * places > kTooManyWeights) return true;
  const int64_t source = pass == ConvPass::kToInput ? out : in;
  return plane <= (source < kManyChannels ? kSmallPlane : kPlane);
}

// Whether a convolution goes the direct way. Short runs of numbers and few outputs do not pay for
// turning pixels and weights around.
bool suits_direct(const ConvGeometry& g, ConvPass pass) {
  constexpr int64_t kShortestRun = 8, kFewestOutputs = 64;
  Window h = g.patches.h, w = g.patches.w;
  int64_t in = g.patches.channels, out = g.out_channels;
  if (pass == ConvPass::kToInput) {
    if (h.stride != 1 || w.stride != 1) return false;
    h = turned(h);
    w = turned(w);
    std::swap(in, out);
  }
  const int64_t places = h.kernel * w.kernel;
  return direct_enabled && places > 1 && out >= kFewestChannels && in * w.kernel >= kShortestRun &&
         g.images * h.out * w.out >= kFewestOutputs && in * out * places <= kTooManyWeights &&
         is_compact(h, w);
}
}  // namespace

// Switches Winograd's way of convolution off or on.
void set_winograd_enabled(bool on) { winograd_enabled = on; }
// Switches the direct ways of convolution off or on.
void set_direct_enabled(bool on) { direct_enabled = on; }

// Which way a convolution goes.
ConvWay choose_way(const ConvGeometry& g, ConvPass pass, bool is_winograd_possible) {
  if (suits_depthwise(g)) return ConvWay::kDepthwise;
  if (is_winograd_possible && suits_winograd(g, pass)) return ConvWay::kWinograd;
  if (suits_unpadded(g, pass)) return ConvWay::kUnpadded;
  if (suits_direct(g, pass)) return ConvWay::kDirect;
  return ConvWay::kColumns;
}
}  // namespace norch
