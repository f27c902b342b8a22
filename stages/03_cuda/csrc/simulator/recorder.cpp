// How the logs of threads become requests of warps. A thread runs alone in the simulator, from one
// barrier to the next; what its warp does in one instruction is only known when all have come
// there.
#include "recorder.h"

#include <string.h>

#include <algorithm>

namespace norch_sim {
namespace {

constexpr int64_t kSector = 32, kBanks = 32, kWord = 4;
constexpr size_t kMostEvents = size_t(1) << 23;  // 256 MB
using Span = std::pair<int64_t, int64_t>;        // from, size

// Different bytes, and different sectors, of the spans that the lanes ask for.
void count_sectors(std::vector<Span>& spans, Site& site) {
  std::sort(spans.begin(), spans.end());
  int64_t end = INT64_MIN, last_sector = INT64_MIN;
  for (auto [from, size] : spans) {
    site.moved += size;
    site.bytes += std::max<int64_t>(0, from + size - std::max(from, end));
    end = std::max(end, from + size);
    int64_t first = std::max(from / kSector, last_sector + 1), last = (from + size - 1) / kSector;
    site.sectors += std::max<int64_t>(0, last - first + 1);
    last_sector = std::max(last_sector, last);
  }
  site.requests++;
}

// How often shared memory is asked until all of these lanes have their words: a bank serves one
// word at a time, to any number of lanes; but atomics on one word wait for each other.
int passes_of(const Span* spans, size_t count, bool atomic) {
  std::vector<int64_t> words;
  for (size_t i = 0; i < count; i++) {
    for (int64_t word = spans[i].first / kWord;
         word <= (spans[i].first + spans[i].second - 1) / kWord; word++)
      words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  if (!atomic) words.erase(std::unique(words.begin(), words.end()), words.end());
  int in_bank[kBanks] = {};
  for (int64_t word : words) in_bank[word % kBanks]++;
  return *std::max_element(in_bank, in_bank + kBanks);
}

// A pass brings 128 bytes: of wide elements a half or a quarter of the warp is served at a time.
int count_passes(const std::vector<Span>& spans, bool atomic, Site& site) {
  int64_t words = (spans[0].second + kWord - 1) / kWord;
  size_t together = static_cast<size_t>(std::max<int64_t>(1, kWarpSize / words));
  int passes = 0, least = 0;
  for (size_t i = 0; i < spans.size(); i += together) {
    size_t count = std::min(together, spans.size() - i);
    passes += passes_of(&spans[i], count, atomic);
    least++;
  }
  site.passes += passes;
  site.least_passes += least;
  site.shared_requests++;
  for (auto [from, size] : spans) {
    site.shared_low = std::min(site.shared_low, from);
    site.shared_high = std::max(site.shared_high, from + size);
  }
  return passes;
}

uint64_t value_at(const void* address, int32_t size) {
  uint64_t value = 0;
  memcpy(&value, address, static_cast<size_t>(std::min(size, 8)));
  return value;
}

}  // namespace

void Recorder::begin(const CheckedLaunch& memory, uintptr_t code_begin, uintptr_t code_end) {
  memory_ = memory;
  code_begin_ = code_begin;
  site_at_.assign(code_end - code_begin, -1);
}

void Recorder::begin_block(int64_t number, const Block& block) {
  const dim3& size = block.block_dim;
  logs_.assign(size_t(size.x) * size.y * size.z, {});
  keeping_ = number == replayed_;
  epoch_ = block.epoch;
}

void Recorder::end_block() {
  finish_write();
  replay_all();
  keeping_ = false;
}

int Recorder::site_of(Recorded kind, void* code) {
  uint64_t offset = reinterpret_cast<uintptr_t>(code) - code_begin_;
  int& site = site_at_.at(offset);
  if (site < 0) {
    site = static_cast<int>(sites_.size());
    sites_.push_back({});
    sites_.back().code = offset;
    sites_.back().kind = static_cast<int64_t>(kind);
    sites_.back().shared_low = INT64_MAX;
  }
  return site;
}

// Which memory it is: that of the block, an argument's, or none that a GPU would ask (a register).
Touch Recorder::touch_of(const Block& block, uintptr_t address, size_t size) const {
  auto bytes = static_cast<int32_t>(size);
  auto inside = [&](uintptr_t begin, uintptr_t end) { return address >= begin && address < end; };
  const Range& fixed = memory_.shared_static;
  if (inside(fixed.begin, fixed.end)) return {kShared, bytes, int64_t(address - fixed.begin), 0};
  auto dynamic = reinterpret_cast<uintptr_t>(block.dynamic_shared.data());
  if (inside(dynamic, dynamic + block.dynamic_shared.size())) {
    // On a GPU it begins where the arrays of fixed size end; here at a multiple of all banks.
    uintptr_t behind = (fixed.end - fixed.begin + 127) / 128 * 128;
    return {kShared, bytes, int64_t(behind + address - dynamic), 0};
  }
  for (const Range& range : memory_.global) {
    if (inside(range.begin, range.end)) {
      return {range.argument, bytes, int64_t(address - range.begin), 0};
    }
  }
  return {kNoMemory, 0, 0, 0};
}

// A write is announced before it happens; by the next announcement it has.
void Recorder::finish_write() {
  if (written_ != nullptr) {
    written_touch_->value = value_at(written_, written_touch_->size);
  }
  written_ = nullptr;
}

void Recorder::add(const Thread& thread, Recorded kind, void* pointer, size_t size, void* code) {
  finish_write();
  if (thread.block->epoch != epoch_) {
    replay_all();
    epoch_ = thread.block->epoch;
  }
  if (logged_++ == kMostEvents) {
    fail_at("does more between two barriers than can be recorded: profile a smaller launch,", code);
  }
  Touch touch = touch_of(*thread.block, reinterpret_cast<uintptr_t>(pointer), size);
  auto& log = logs_[static_cast<size_t>(thread.index)];
  log.push_back({site_of(kind, code), touch});
  if (!keeping_ || touch.memory == kNoMemory) return;
  log.back().touch.value = value_at(pointer, touch.size);
  if (kind == Recorded::kRead) return;
  written_ = pointer;
  written_touch_ = &log.back().touch;
}

void Recorder::replay_all() {
  int warps = static_cast<int>((logs_.size() + kWarpSize - 1) / kWarpSize);
  for (int warp = 0; warp < warps; warp++) replay(warp);
  for (auto& log : logs_) log.clear();
  logged_ = 0;
}

void Recorder::replay(int warp) {
  size_t first = static_cast<size_t>(warp) * kWarpSize;
  size_t lanes = std::min<size_t>(kWarpSize, logs_.size() - first);
  size_t next[kWarpSize] = {};
  Touch touches[kWarpSize];
  for (;;) {
    int site = -1;
    for (size_t i = 0; i < lanes; i++) {
      const auto& log = logs_[first + i];
      if (next[i] == log.size()) continue;
      int here = log[next[i]].site;
      if (site < 0 || sites_[here].code < sites_[site].code) site = here;
    }
    if (site < 0) return;
    uint32_t mask = 0;
    for (size_t i = 0; i < lanes; i++) {
      const auto& log = logs_[first + i];
      if (next[i] == log.size() || log[next[i]].site != site) continue;
      mask |= 1u << i;
      touches[i] = log[next[i]++].touch;
    }
    count(warp, site, mask, touches);
  }
}

// One instruction of a warp.
void Recorder::count(int warp, int number, uint32_t mask, const Touch* touches) {
  Site& site = sites_[static_cast<size_t>(number)];
  std::vector<Span> global, shared;
  for (int i = 0; i < kWarpSize; i++) {
    if (!(mask >> i & 1)) continue;
    const Touch& touch = touches[i];
    site.lanes++;
    // Arguments begin at a multiple of 256 bytes, so their offsets say what their addresses would.
    int64_t from = touch.offset + (int64_t(touch.memory) << 40);
    if (touch.memory == kShared) shared.push_back({touch.offset, touch.size});
    if (touch.memory >= 0) global.push_back({from, touch.size});
  }
  site.executions++;
  int passes = 0;
  bool atomic = site.kind == static_cast<int64_t>(Recorded::kAtomic);
  if (!global.empty()) count_sectors(global, site);
  if (!shared.empty()) passes = count_passes(shared, atomic, site);
  if (!keeping_) return;
  cut_ = cut_ || int64_t(steps_.size()) >= most_steps_;
  if (cut_) return;
  steps_.push_back({int64_t(epoch_), warp, number, mask, passes, int64_t(touches_.size())});
  for (int i = 0; i < kWarpSize; i++) {
    if (mask >> i & 1) touches_.push_back(touches[i]);
  }
}

void record(Recorded kind, void* pointer, size_t size, void* code) {
  if (self == nullptr) return;  // the library itself, while it is loaded
  Recorder* recorder = self->block->recorder;
  if (recorder != nullptr) recorder->add(*self, kind, pointer, size, code);
}

}  // namespace norch_sim

using norch_sim::Recorder;

extern "C" {
// What the compiler calls where a basic block of a recorded kernel begins.
void __sanitizer_cov_trace_pc() {
  norch_sim::record(norch_sim::Recorded::kBlock, nullptr, 0, __builtin_return_address(0));
}
Recorder* norch_sim_new_recorder(int64_t replayed, int64_t most_steps) {
  return new Recorder(replayed, most_steps);
}
void norch_sim_delete_recorder(Recorder* recorder) { delete recorder; }
const norch_sim::Site* norch_sim_sites(const Recorder* recorder, int64_t* count) {
  *count = static_cast<int64_t>(recorder->sites().size());
  return recorder->sites().data();
}
const norch_sim::Step* norch_sim_steps(const Recorder* recorder, int64_t* count) {
  *count = static_cast<int64_t>(recorder->steps().size());
  return recorder->steps().data();
}
const norch_sim::Touch* norch_sim_touches(const Recorder* recorder, int64_t* count) {
  *count = static_cast<int64_t>(recorder->touches().size());
  return recorder->touches().data();
}
int norch_sim_is_cut(const Recorder* recorder) { return recorder->is_cut(); }
}
