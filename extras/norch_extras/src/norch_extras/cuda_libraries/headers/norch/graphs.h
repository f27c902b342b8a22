// Graphs of the runtime API: work that is put down once and launched again and again.
//
// A graph is a list in the order in which its nodes were added or captured, which every dependency
// allows; so those are not kept. Included by <cuda_runtime.h>.
#pragma once

struct CUgraph_st {
  norch_sim::Graph work;
  std::vector<struct CUgraphNode_st*> nodes;
};
typedef CUgraph_st *cudaGraph_t, *cudaGraphExec_t;
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel,
  cudaGraphNodeTypeMemcpy,
  cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph,
  cudaGraphNodeTypeEmpty
};
struct CUgraphNode_st {
  cudaGraphNodeType type;
  size_t index;
};
typedef CUgraphNode_st* cudaGraphNode_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

// ---- captured ----

namespace norch_sim {
inline cudaGraph_t being_captured = nullptr;
// Puts what `add` does on a stream at the end of a graph.
template <class Add>
cudaError_t put_down(Graph* graph, const Add& add) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  capture(stream, graph);
  cudaError_t error = add(stream);
  capture(stream, nullptr);
  cudaStreamDestroy(stream);
  return error;
}
template <class Add>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNodeType type,
                     const Add& add) {
  *node = new CUgraphNode_st{type, graph->work.size()};
  graph->nodes.push_back(*node);
  return put_down(&graph->work, add);
}
}  // namespace norch_sim

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || norch_sim::being_captured) return cudaErrorInvalidValue;
  norch_sim::capture(stream, &(norch_sim::being_captured = new CUgraph_st)->work);
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  norch_sim::capture(stream, nullptr);
  *graph = std::exchange(norch_sim::being_captured, nullptr);
  if (*graph == nullptr) return cudaErrorInvalidValue;
  for (size_t i = 0; i < (*graph)->work.size(); i++) {
    (*graph)->nodes.push_back(new CUgraphNode_st{cudaGraphNodeTypeKernel, i});
  }
  return cudaSuccess;
}

// ---- made by hand ----

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return *graph = new CUgraph_st, cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  for (cudaGraphNode_t node : graph->nodes) delete node;
  return delete graph, cudaSuccess;
}
inline cudaError_t cudaGraphClone(cudaGraph_t* made, cudaGraph_t graph) {
  *made = new CUgraph_st{graph->work, {}};
  for (cudaGraphNode_t node : graph->nodes) (*made)->nodes.push_back(new CUgraphNode_st(*node));
  return cudaSuccess;
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes == nullptr) return *count = graph->nodes.size(), cudaSuccess;
  for (size_t i = 0; i < *count && i < graph->nodes.size(); i++) nodes[i] = graph->nodes[i];
  return cudaSuccess;
}
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return *type = node->type, cudaSuccess;
}
// Nodes are in order already.
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*,
                                            const cudaGraphNode_t*, size_t) {
  return cudaSuccess;
}
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t*, size_t,
                                          const cudaKernelNodeParams* p, NORCH_AT) {
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeKernel, [=](cudaStream_t stream) {
    return cudaLaunchKernel((const void*)p->func, p->gridDim, p->blockDim, p->kernelParams,
                            p->sharedMemBytes, stream, at);
  });
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t*, size_t,
                                          const cudaMemcpy3DParms* p, NORCH_AT) {
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeMemcpy,
                             [=](cudaStream_t stream) { return cudaMemcpy3DAsync(p, stream, at); });
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t*, size_t, void* to,
                                            const void* from, size_t n, cudaMemcpyKind kind,
                                            NORCH_AT) {
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeMemcpy, [=](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, n, kind, stream, at);
  });
}
// Elements of more than a byte are filled with zeros only.
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t*, size_t, const cudaMemsetParams* p,
                                          NORCH_AT) {
  if (p->elementSize > 1 && p->value != 0) return cudaErrorNotSupported;
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeMemset, [=](cudaStream_t stream) {
    size_t width = p->width * p->elementSize, pitch = p->pitch ? p->pitch : width;
    return cudaMemset2DAsync(p->dst, pitch, int(p->value), width, p->height, stream, at);
  });
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t*, size_t,
                                        const cudaHostNodeParams* p) {
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeHost, [=](cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, p->fn, p->userData);
  });
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                         const cudaGraphNode_t*, size_t) {
  return norch_sim::add_node(node, graph, cudaGraphNodeTypeEmpty, [](cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, [](void*) {}, nullptr);
  });
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t*, size_t, cudaGraph_t child) {
  *node = new CUgraphNode_st{cudaGraphNodeTypeGraph, graph->work.size()};
  graph->nodes.push_back(*node);
  graph->work.push_back([all = child->work] {
    for (const auto& work : all) work();
  });
  return cudaSuccess;
}

// ---- launched ----

template <class... T>
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, T...) {
  return *made = new CUgraph_st{graph->work, {}}, cudaSuccess;
}
#define cudaGraphInstantiateWithFlags cudaGraphInstantiate
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made) { return delete made, cudaSuccess; }
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
  for (const auto& work : made->work) norch_sim::submit(stream, "a graph", work);
  return cudaPeekAtLastError();
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphNode_t*,
                                       cudaGraphExecUpdateResult* result) {
  bool alike = made->work.size() == graph->work.size();
  *result = alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError;
  if (!alike) return cudaErrorInvalidValue;
  return made->work = graph->work, cudaSuccess;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo* info) {
  return cudaGraphExecUpdate(made, graph, nullptr, &info->result);
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* p, NORCH_AT) {
  norch_sim::Graph one;
  cudaError_t error = norch_sim::put_down(&one, [=](cudaStream_t stream) {
    return cudaLaunchKernel((const void*)p->func, p->gridDim, p->blockDim, p->kernelParams,
                            p->sharedMemBytes, stream, at);
  });
  if (error == cudaSuccess) made->work[node->index] = one[0];
  return error;
}
