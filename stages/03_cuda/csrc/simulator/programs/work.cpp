// Streams and events: what the device does, in which order, and who waits for it.
//
// Ordinarily each piece of work is done before the call returns. Under --async it is kept until
// somebody waits for it, so that a program that forgets to wait meets old numbers, and is told.
#include <algorithm>
#include <chrono>
#include <list>

#include "program.h"

struct CUstream_st {
  bool waits_for_null;  // and the null stream for it
  norch_sim::Graph* graph = nullptr;
};
struct CUevent_st {
  bool recorded = false;
  norch_sim::Graph* graph = nullptr;
  size_t work = 0;  // the piece of work that records it
  std::chrono::steady_clock::time_point when{};
};

namespace norch_sim {
namespace {
struct Work {
  size_t number;
  cudaStream_t stream;
  std::string what;
  std::function<void()> run;
  std::vector<Memory*> memory;  // closed to the host until it has run
  size_t after;                 // the work of the event that it waits for
};
std::list<Work>& waiting() {
  static auto* instance = new std::list<Work>;
  return *instance;
}
size_t last_number = 0;
std::vector<cudaStream_t> captured;

bool is_own(cudaStream_t stream) { return stream != nullptr && stream != cudaStreamPerThread; }
bool waits_for_null(cudaStream_t stream) { return is_own(stream) && stream->waits_for_null; }
Graph* graph_of(cudaStream_t stream) {
  return is_own(stream) && stream != cudaStreamLegacy ? stream->graph : nullptr;
}

// Whether `later` may not begin before `earlier` has ended.
bool comes_before(const Work& earlier, const Work& later) {
  return earlier.stream == later.stream || earlier.number == later.after ||
         (earlier.stream == nullptr && waits_for_null(later.stream)) ||
         (later.stream == nullptr && waits_for_null(earlier.stream));
}

// Does a piece of work, and before it all that it depends on.
void run_work(size_t number) {
  auto& all = waiting();
  auto is_it = [&](const Work& one) { return one.number == number; };
  for (;;) {
    auto it = std::find_if(all.begin(), all.end(), is_it);
    if (it == all.end()) return;
    auto first = std::find_if(all.begin(), it, [&](auto& one) { return comes_before(one, *it); });
    if (first != it) {
      run_work(first->number);
      continue;
    }
    Work work = std::move(*it);
    all.erase(it);
    for (Memory* m : work.memory) m->busy--;
    for (Memory* m : work.memory) set_open(*m, m->busy == 0);
    return work.run();
  }
}

// Does the first piece of work that `chosen` names; false if there is none.
template <class Chosen>
bool run_first(Chosen chosen, cudaStream_t* stream = nullptr) {
  auto it = std::find_if(waiting().begin(), waiting().end(), chosen);
  if (it == waiting().end()) return false;
  if (stream != nullptr) *stream = it->stream;
  run_work(it->number);
  return true;
}

// Does all that `chosen` names. Streams take turns, so that what waits for nothing comes early.
template <class Chosen>
void run_all(Chosen chosen) {
  cudaStream_t last = nullptr;
  auto other = [&](const Work& one) { return one.stream != last && chosen(one); };
  while (run_first(other, &last) || run_first(chosen)) {
  }
}

// A call about a stream or an event, in its turn: refused if the handle is null.
template <class Act>
cudaError_t about(const void* handle, const Call& call, Act act) {
  Lock lock(api());
  if (handle == nullptr) {
    return refuse_call(cudaErrorInvalidResourceHandle, call, "the stream or event is null");
  }
  act();
  return result();
}
}  // namespace

void capture(cudaStream_t stream, Graph* graph) {
  for (cudaStream_t one : captured) {
    if (graph == nullptr) one->graph = nullptr;
  }
  if (graph == nullptr) return captured.clear();
  stream->graph = graph;
  captured.push_back(stream);
}

bool runs_at_once(cudaStream_t stream) { return !settings().async && !graph_of(stream); }

void submit(cudaStream_t stream, const std::string& what, std::function<void()> run,
            std::vector<Memory*> memory, size_t after) {
  if (Graph* graph = graph_of(stream)) return graph->push_back(std::move(run));
  if (stream == cudaStreamLegacy) stream = nullptr;
  last_number++;
  if (!settings().async) return run();
  for (Memory* m : memory) m->busy++, set_open(*m, false);
  waiting().push_back({last_number, stream, what, std::move(run), std::move(memory), after});
}

void wait_for(cudaStream_t stream) {
  if (stream == cudaStreamLegacy) stream = nullptr;
  run_all([&](const Work& one) {
    return one.stream == stream || (stream == nullptr && waits_for_null(one.stream));
  });
}

void wait_for_all() {
  run_all([](const Work&) { return true; });
}

std::string still_running() {
  auto named = [](const Work& one) { return !one.what.empty(); };
  auto it = std::find_if(waiting().begin(), waiting().end(), named);
  return it == waiting().end() ? "" : it->what;
}
}  // namespace norch_sim

using namespace norch_sim;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{flags != cudaStreamNonBlocking};
  return result();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream, Place at) {
  return about(stream, {__func__, at}, [=] {
    wait_for(stream);  // the device would go on by itself
    delete stream;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream, Place) {
  Lock lock(api());
  wait_for(stream);
  return result();
}

cudaError_t cudaDeviceSynchronize() {
  if (self != nullptr) return cudaSuccess;
  Lock lock(api());
  wait_for_all();
  return result();
}

// Each question lets the device do a little, as time would.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  Lock lock(api());
  bool more = run_first([&](const Work& one) { return one.stream == stream; });
  return more ? cudaErrorNotReady : result();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned, Place at) {
  return about(event, {__func__, at}, [=] {
    bool joins = event->graph != nullptr && !captured.empty() && is_own(stream);
    joins ? capture(stream, event->graph) : submit(stream, "", [] {}, {}, event->work);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Lock lock(api());
  submit(stream, "", [=] { function(data); });
  return result();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned) {
  Lock lock(api());
  submit(stream, "", [=] { function(stream, result(), data); });
  return result();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return result();
}

cudaError_t cudaEventDestroy(cudaEvent_t event, Place at) {
  return about(event, {__func__, at}, [=] {
    run_work(event->work);
    delete event;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream, Place at) {
  return about(event, {__func__, at}, [=] {
    event->recorded = true;
    event->graph = graph_of(stream);
    event->work = last_number + 1;
    if (event->graph == nullptr) submit(stream, "", [=] { event->when = Clock::now(); });
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event, Place at) {
  return about(event, {__func__, at}, [=] { run_work(event->work); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Lock lock(api());
  auto is_it = [&](const Work& one) { return one.number == event->work; };
  if (std::none_of(waiting().begin(), waiting().end(), is_it)) return result();
  run_work(waiting().front().number);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t a, cudaEvent_t b, Place at) {
  Lock lock(api());
  Call call{__func__, at};
  if (a == nullptr || b == nullptr || !a->recorded || !b->recorded) {
    return refuse_call(cudaErrorInvalidResourceHandle, call, "an event was not recorded");
  }
  auto pending = [&](const Work& one) { return one.number == a->work || one.number == b->work; };
  if (std::any_of(waiting().begin(), waiting().end(), pending)) {
    return refuse_call(cudaErrorNotReady, call,
                       "the second event may still be to come: cudaEventSynchronize() first");
  }
  *milliseconds =
      std::max(std::chrono::duration<float, std::milli>(b->when - a->when).count(), 1e-3f);
  return result();
}
