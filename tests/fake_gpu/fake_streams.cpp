// The fake GPU's streams and events: queues that run as late as they may.
//
// What is queued runs when somebody waits for it, so a program that forgets to wait reads what was
// there before. What a stream does while it captures is in fake_graphs.cpp.
#include <algorithm>

#include "fake_gpu.h"

namespace fake {

namespace {
thread_local std::map<int, Stream*> thread_streams;
}  // namespace

Stream* stream_of(cudaStream_t handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) return device(current).legacy.get();
  if (number == 2) {
    Stream*& mine = thread_streams[current];
    if (!mine) device(current).streams.push_back(mine = new Stream{current, cudaStreamDefault});
    return mine;
  }
  auto* stream = reinterpret_cast<Stream*>(handle);
  for (int i = 0; i < kDevices; i++)
    for (Stream* known : device(i).streams)
      if (known == stream) return stream;
  return nullptr;  // destroyed, or never made
}

cudaError_t drain(Stream* stream, uint64_t upto) {
  Device& gpu = device(stream->device);
  while (stream->done < upto && !stream->queue.empty()) {
    Work next = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->done++;
    if (gpu.broken != cudaSuccess) continue;  // nothing runs after a failure
    cudaError_t error = next();
    if (error != cudaSuccess && gpu.broken == cudaSuccess) gpu.broken = error;
  }
  return gpu.broken;
}
cudaError_t drain(Stream* stream) { return drain(stream, stream->queued); }

namespace {
void push(Stream* stream, Work run) {
  stream->queue.push_back(std::move(run));
  stream->queued++;
}
}  // namespace
void push_wait(Stream* stream, Stream* other, uint64_t position) {
  if (position > other->done) push(stream, [=] { return drain(other, position); });
}
void push_wait(Stream* stream, Stream* other) { push_wait(stream, other, other->queued); }

cudaError_t queue(Stream* stream, Work run) {
  if (stream->capture) return keep(stream, std::move(run));
  Device& gpu = device(stream->device);
  if (stream == gpu.legacy.get()) {
    for (Stream* other : gpu.streams) {
      if (!other->is_blocking()) continue;
      cudaError_t error = refuse_in_capture(other, cudaErrorStreamCaptureImplicit);
      if (error != cudaSuccess) return error;
      push_wait(stream, other);
    }
  } else if (stream->is_blocking()) {
    push_wait(stream, gpu.legacy.get());
  }
  push(stream, std::move(run));
  return cudaSuccess;
}

cudaError_t drain_device(int index) {
  Device& gpu = device(index);
  for (Stream* stream : gpu.streams) drain(stream);
  return drain(gpu.legacy.get());
}

}  // namespace fake

using namespace fake;

// ---- the runtime API: streams and events ---------------------------------------------------

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  ENTER();
  auto* made = new Stream{current, flags};
  made->priority = std::max(-5, std::min(0, priority));
  device(current).streams.push_back(made);
  *handle = reinterpret_cast<cudaStream_t>(made);
  return cudaSuccess;
}
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}
API cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}
API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  STREAM(stream);
  cudaError_t error = drain(stream);
  auto& known = device(stream->device).streams;
  for (size_t i = 0; i < known.size(); i++)
    if (known[i] == stream) known.erase(known.begin() + i--);
  return result(error);  // never freed: events may still name it
}
API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  STREAM(stream);
  cudaError_t error = refuse_in_capture(stream, cudaErrorStreamCaptureUnsupported);
  return result(error != cudaSuccess ? error : drain(stream));
}
API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  STREAM(stream);
  cudaError_t error = refuse_in_capture(stream, cudaErrorStreamCaptureUnsupported);
  if (error != cudaSuccess) return result(error);
  bool busy = stream->done < stream->queued;
  if (busy) drain(stream, stream->done + 1);  // who polls must see it end one day
  return busy ? cudaErrorNotReady : result(device(stream->device).broken);
}
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  ENTER();
  *handle = reinterpret_cast<cudaEvent_t>(new Event{flags, current});
  return cudaSuccess;
}
API cudaError_t cudaEventCreate(cudaEvent_t* handle) { return cudaEventCreateWithFlags(handle, 0); }
API cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }  // a queue may name it
API cudaError_t cudaEventRecord(cudaEvent_t which, cudaStream_t handle) {
  STREAM(stream);
  auto* event = reinterpret_cast<Event*>(which);
  if (event->device != stream->device) {
    say("an event of GPU %d cannot be recorded in a stream of GPU %d", event->device,
        stream->device);
    return result(cudaErrorInvalidResourceHandle);
  }
  event->capture = stream->capture;
  if (stream->capture) {
    record_captured(stream, event);
    return cudaSuccess;
  }
  cudaError_t error = queue(stream, [=] {
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
  event->stream = stream;
  event->position = stream->queued;
  return result(error);
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t which, unsigned) {
  STREAM(stream);
  auto* event = reinterpret_cast<Event*>(which);
  if (event->capture || stream->capture) return result(wait_captured(stream, event));
  if (event->stream && event->stream != stream) push_wait(stream, event->stream, event->position);
  return cudaSuccess;
}
API cudaError_t cudaEventSynchronize(cudaEvent_t which) {
  ENTER();
  auto* event = reinterpret_cast<Event*>(which);
  if (event->capture) return result(cudaErrorCapturedEvent);
  return result(event->stream ? drain(event->stream, event->position) : cudaSuccess);
}
API cudaError_t cudaEventQuery(cudaEvent_t which) {
  ENTER();
  auto* event = reinterpret_cast<Event*>(which);
  if (event->capture) return result(cudaErrorCapturedEvent);
  if (cudaError_t error = refuse_unsafe(); error != cudaSuccess) return result(error);
  if (!event->stream || event->stream->done >= event->position) return cudaSuccess;
  drain(event->stream, event->stream->done + 1);
  return cudaErrorNotReady;
}
API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  ENTER();
  auto *first = reinterpret_cast<Event*>(begin), *second = reinterpret_cast<Event*>(end);
  for (Event* event : {first, second}) {
    if (event->capture) return result(cudaErrorCapturedEvent);
    if (!event->stream || event->flags & cudaEventDisableTiming)
      return result(cudaErrorInvalidResourceHandle);
    if (event->stream->done < event->position) return result(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(second->time - first->time).count();
  return cudaSuccess;
}
