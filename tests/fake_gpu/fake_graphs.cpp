// The fake GPU's graphs: what streams queue while they capture is kept, and a launch queues it.
//
// Work is kept in the order in which it came, which keeps every order that streams and events ask
// for. What CUDA refuses in a capture is refused here, and spoils the capture as it does there.
#include <algorithm>
#include <thread>

#include "fake_gpu.h"

namespace fake {

struct Capture {
  Stream* origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool is_invalid = false;
  std::vector<Stream*> streams;  // the origin, and those that an event has brought in
  std::vector<Work> work;
};

namespace {

std::vector<std::shared_ptr<Capture>> captures;  // those under way

bool is_under_way(const std::shared_ptr<Capture>& capture) {
  return std::find(captures.begin(), captures.end(), capture) != captures.end();
}

// Lets a stream take part in a capture; what it does must be waited for before the capture ends.
void join(Stream* stream, const std::shared_ptr<Capture>& capture) {
  stream->capture = capture;
  stream->captured = 0;
  stream->is_joined = stream == capture->origin;
  capture->streams.push_back(stream);
}

cudaError_t spoil(Capture& capture, cudaError_t why) {
  capture.is_invalid = true;
  say("a capture is spoiled: %s", named(why).text);
  return why;
}

struct Graph {
  std::shared_ptr<std::vector<Work>> work;
};
struct Executable {
  std::shared_ptr<std::vector<Work>> work;
  Stream* stream = nullptr;  // where it was launched last: two launches never run side by side
  uint64_t position = 0;
};

}  // namespace

cudaError_t keep(Stream* stream, Work run) {
  Capture& capture = *stream->capture;
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  capture.work.push_back(std::move(run));
  stream->captured++;
  stream->is_joined = stream == capture.origin;
  return cudaSuccess;
}

void record_captured(Stream* stream, Event* event) {
  event->stream = stream;
  event->position = stream->captured;
}

cudaError_t wait_captured(Stream* stream, const Event* event) {
  if (stream->capture && !event->stream) return cudaSuccess;  // never recorded
  if (!event->capture) return spoil(*stream->capture, cudaErrorStreamCaptureIsolation);
  if (!is_under_way(event->capture)) return cudaErrorCapturedEvent;
  if (!stream->capture) {
    if (stream == device(stream->device).legacy.get())
      return spoil(*event->capture, cudaErrorStreamCaptureImplicit);
    join(stream, event->capture);
  }
  if (stream->capture != event->capture) {
    spoil(*event->capture, cudaErrorStreamCaptureMerge);
    return spoil(*stream->capture, cudaErrorStreamCaptureMerge);
  }
  if (stream->capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
  if (event->stream != stream && event->position == event->stream->captured) {
    event->stream->is_joined = true;
    stream->is_joined = stream == stream->capture->origin;
  }
  return cudaSuccess;
}

cudaError_t refuse_in_capture(Stream* stream, cudaError_t why) {
  return stream->capture ? spoil(*stream->capture, why) : cudaSuccess;
}

cudaError_t refuse_unsafe() {
  cudaError_t found = cudaSuccess;
  for (auto& capture : captures) {
    bool forbids = capture->mode == cudaStreamCaptureModeGlobal ||
                   (capture->mode == cudaStreamCaptureModeThreadLocal &&
                    capture->thread == std::this_thread::get_id());
    if (forbids) found = spoil(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return found;
}

cudaError_t refuse_in_capture_of(int index) {
  cudaError_t found = cudaSuccess;
  for (auto& capture : captures)
    if (capture->origin->device == index)
      found = spoil(*capture, cudaErrorStreamCaptureUnsupported);
  return found;
}

}  // namespace fake

using namespace fake;

// ---- the runtime API: capture -------------------------------------------------------------------

API cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  STREAM(stream);
  if (stream == device(stream->device).legacy.get())
    return result(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return result(cudaErrorIllegalState);
  auto made = std::make_shared<Capture>();
  made->origin = stream;
  made->mode = mode;
  made->thread = std::this_thread::get_id();
  captures.push_back(made);
  join(stream, made);
  return cudaSuccess;
}
API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  STREAM(stream);
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture) return result(cudaErrorIllegalState);
  if (capture->origin != stream) return result(spoil(*capture, cudaErrorStreamCaptureUnmatched));
  bool is_bound = capture->mode != cudaStreamCaptureModeRelaxed;
  if (is_bound && capture->thread != std::this_thread::get_id())
    return result(cudaErrorStreamCaptureWrongThread);
  bool is_joined = true;
  for (Stream* each : capture->streams) {
    is_joined = is_joined && each->is_joined;
    each->capture = nullptr;
  }
  captures.erase(std::find(captures.begin(), captures.end(), capture));
  if (capture->is_invalid) return result(cudaErrorStreamCaptureInvalidated);
  if (!is_joined) return result(cudaErrorStreamCaptureUnjoined);
  auto work = std::make_shared<std::vector<Work>>(std::move(capture->work));
  *graph = reinterpret_cast<cudaGraph_t>(new Graph{work});
  return cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  STREAM(stream);
  *status = cudaStreamCaptureStatusNone;
  Device& gpu = device(stream->device);
  if (stream == gpu.legacy.get()) {
    for (Stream* other : gpu.streams)
      if (other->is_blocking() && other->capture) return result(cudaErrorStreamCaptureImplicit);
  }
  if (stream->capture)
    *status = stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

// ---- the runtime API: graphs --------------------------------------------------------------------

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  ENTER();
  if (!graph) return result(cudaErrorInvalidValue);
  *made = reinterpret_cast<cudaGraphExec_t>(new Executable{reinterpret_cast<Graph*>(graph)->work});
  return cudaSuccess;
}
API cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  ENTER();
  Stream* stream = stream_of(stream_handle);
  if (!stream || !handle) return result(cudaErrorInvalidResourceHandle);
  auto* executable = reinterpret_cast<Executable*>(handle);
  if (executable->stream && executable->stream != stream && !stream->capture)
    push_wait(stream, executable->stream, executable->position);
  cudaError_t error = queue(stream, [work = executable->work] {
    for (const Work& each : *work)
      if (cudaError_t failed = each(); failed != cudaSuccess) return failed;
    return cudaSuccess;
  });
  if (!stream->capture) {
    executable->stream = stream;
    executable->position = stream->queued;
  }
  return result(error);
}
API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  ENTER();
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  ENTER();
  delete reinterpret_cast<Executable*>(handle);  // launches that wait hold the work themselves
  return cudaSuccess;
}
