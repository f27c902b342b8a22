// Normalisation over the last dim, over the batch and over groups, and the gradients.
#include "bindings/operation.h"
#include "ops/norm.h"

namespace norch {
// The tuple that the binding of layer_norm gives Python.
inline auto fields(LayerNorm& r) { return std::tie(r.out, r.mean, r.rstd); }
// The tuple that the binding of layer_norm_backward gives Python.
inline auto fields(LayerNormGradients& r) { return std::tie(r.dx, r.dweight, r.dbias); }
// The tuple that the binding of rms_norm gives Python.
inline auto fields(RmsNorm& r) { return std::tie(r.out, r.rstd); }
// The tuple that the binding of rms_norm_backward gives Python.
inline auto fields(RmsNormGradients& r) { return std::tie(r.dx, r.dweight); }
// The tuple that the binding of batch_norm gives Python.
inline auto fields(BatchNorm& r) { return std::tie(r.out, r.mean, r.var); }
// The tuple that the binding of group_norm gives Python.
inline auto fields(GroupNorm& r) { return std::tie(r.out, r.mean, r.rstd); }
// The tuple that the bindings of batch_norm_backward and group_norm_backward give Python.
inline auto fields(ChannelGradients& r) { return std::tie(r.dx, r.dweight, r.dbias); }

// The normalisations, as rows that become Python functions.
Table norm_table() {
  static const Operation rows[] = {
      {"layer_norm(x, weight=None, bias=None, eps=1e-5)", &layer_norm,
       "(x - mean) / sqrt(variance + eps) * weight + bias over the last dim; also mean and rstd."},
      {"layer_norm_backward(grad, x, mean, rstd, weight=None)", &layer_norm_backward,
       "The gradients of layer_norm: (dx, dweight, dbias)."},
      {"rms_norm(x, weight=None, eps=1e-5)", &rms_norm,
       "x / sqrt(mean of squares + eps) * weight over the last dim; also 1 / that root."},
      {"rms_norm_backward(grad, x, rstd, weight=None)", &rms_norm_backward,
       "The gradients of rms_norm: (dx, dweight)."},
      {"batch_norm(x, weight=None, bias=None, eps=1e-5)", &batch_norm,
       "(x - mean) / sqrt(var + eps) * weight + bias for each channel of x (N, C, ...); also mean "
       "and the biased var."},
      {"batch_norm_eval(x, mean, var, weight=None, bias=None, eps=1e-5)", &batch_norm_eval,
       "batch_norm with a mean and a var (C) that are given."},
      {"batch_norm_backward(grad, x, mean, var, weight=None, eps=1e-5)", &batch_norm_backward,
       "The gradients of batch_norm: (dx, dweight, dbias)."},
      {"group_norm(x, num_groups, weight=None, bias=None, eps=1e-5)", &group_norm,
       "(x - mean) / sqrt(var + eps) over groups of channels of each sample of x (N, C, ...), "
       "times weight plus bias; also mean and rstd (N, G)."},
      {"group_norm_backward(grad, x, mean, rstd, num_groups, weight=None)", &group_norm_backward,
       "The gradients of group_norm: (dx, dweight, dbias)."},
  };
  return rows;
}
}  // namespace norch
