// Checks for the optimizer steps, and the one parallel loop over all parameters.
#include "ops/optimizer.h"

#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"
#include "kernels/copy.h"

namespace norch {
namespace {
// One parameter's share of the work: which row function, over which plan, with which settings.
struct Job {
  Plan plan;
  DType dtype;
  RowFn row;  // of the dtype that is computed in
  const void* settings;
  int64_t first;  // its place in the line of all elements of all parameters
};

// How the optimizers' doors call a float32 kernel on a row of halves, the context being its Job:
// blocks of every operand become float32, which are stepped; all but the gradient go back, rounded
// once.
void step_halves(char* const* data, const int64_t* step, int64_t n, const void* context) {
  constexpr int64_t kBlock = 1024, kWide = sizeof(float);
  const Job& job = *static_cast<const Job*>(context);
  const auto& cast = kernels<CopyTable>().row;
  const int half = static_cast<int>(job.dtype), wide = static_cast<int>(DType::kFloat32);
  const int count = job.plan.num_operands;
  alignas(64) float buffer[kMaxOperands][kBlock];
  char* at[kMaxOperands];
  int64_t steps[kMaxOperands];
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    const auto convert = [&](int k, bool back) {
      char* const stored = data[k] + start * step[k];
      char* const ends[] = {back ? stored : at[k], back ? at[k] : stored};
      const int64_t both[] = {back ? step[k] : kWide, back ? kWide : step[k]};
      cast[back ? half : wide][back ? wide : half](ends, both, size, nullptr);
    };
    for (int k = 0; k < count; ++k) {
      at[k] = reinterpret_cast<char*>(buffer[k]);
      steps[k] = kWide;
      convert(k, false);
    }
    job.row(at, steps, size, job.settings);
    for (int k = 0; k < count; ++k) {
      if (k != 1) convert(k, true);
    }
  }
}

// The door's call of the kernel for elements begin..end of one parameter.
void step_range(const Job& job, int64_t begin, int64_t end) {
  if (!is_half(job.dtype)) return walk_range(job.plan, job.row, job.settings, begin, end);
  walk_range(job.plan, &step_halves, &job, begin, end);
}

// The doors' one parallel loop: the elements of all parameters stand in one line, which is cut into
// chunks: a large parameter is shared by the threads and many small ones make one chunk.
void run(const std::vector<Job>& jobs, int64_t total) {
  constexpr int64_t kGrain = 1 << 15;
  parallel_for(total, kGrain, [&](int64_t begin, int64_t end) {
    auto job = std::upper_bound(jobs.begin(), jobs.end(), begin,
                                [](int64_t place, const Job& j) { return place < j.first; }) -
               1;
    for (; job != jobs.end() && job->first < end; ++job) {
      const int64_t from = std::max(begin, job->first) - job->first;
      const int64_t to = std::min(end - job->first, job->plan.numel);
      if (from < to) step_range(*job, from, to);
    }
  });
}

// Refuses lists of another length than the parameters'.
void check_count(size_t count, size_t expected, const char* what, const char* op) {
  if (count != expected) {
    raise<ValueError>("[", op, "] ", expected, " parameters but ", count, " ", what, "s");
  }
}

// Refuses a state that has not its parameter's shape and dtype.
void check_like(const Array& param, const Array& other, size_t i, const char* what,
                const char* op) {
  if (!param.same_shape(other)) {
    raise<ShapeError>("[", op, "] parameter ", i, " has shape ", param.shape_text(), " but its ",
                      what, " has shape ", other.shape_text());
  }
  if (param.dtype != other.dtype) {
    raise<DTypeError>("[", op, "] parameter ", i, " is ", name_of(param.dtype), " but its ", what,
                      " is ", name_of(other.dtype));
  }
}

// Refuses a parameter that is not floating.
void check_param(const Array& param, size_t i, const char* op) {
  if (!is_floating(param.dtype)) {
    raise<DTypeError>("[", op, "] parameter ", i, " is ", name_of(param.dtype),
                      ": expected a floating dtype");
  }
}

// Refuses a list that does not fit the parameters.
void check_all(const Arrays& params, const Arrays& others, const char* what, const char* op) {
  check_count(others.size(), params.size(), what, op);
  for (size_t i = 0; i < params.size(); ++i) {
    check_param(params[i], i, op);
    check_like(params[i], others[i], i, what, op);
  }
}

// The door's choice of the optimizer kernels: for float32 or float64.
const OptimizerRows& rows_for(DType dtype) {
  const OptimizerTable& t = kernels<OptimizerTable>();
  return dtype == DType::kFloat64 ? t.float64 : t.float32;
}

// What a step keeps for each parameter: the lists in the order of the row's operands, with what
// the messages call their arrays. An empty list that is `optional` is left out.
struct Kept {
  Arrays* arrays;
  const char* what;
  bool is_optional = false;

  bool is_left_out() const { return is_optional && arrays->empty(); }
};

// The door's check of every destination of all lists, before the first one counts as written: no
// step is left half done, nor its versions.
void begin_writes(Arrays& params, std::initializer_list<Kept> lists, const char* op) {
  const auto for_all = [&](auto f) {
    for (Array& a : params) f(a);
    for (const Kept& kept : lists) {
      for (Array& a : *kept.arrays) f(a);
    }
  };
  for_all([=](const Array& a) { check_writable(a, op); });
  for_all([=](Array& a) { begin_write(a, op); });
}

// The one door behind all optimizers: checks everything, then runs row(rows of the dtype) with
// settings_of(i) over every parameter.
template <class Row, class SettingsOf>
void step_all(Arrays& params, const Arrays& grads, std::initializer_list<Kept> lists, Row row,
              SettingsOf settings_of, const char* op) {
  check_all(params, grads, "gradient", op);
  for (const Kept& kept : lists) {
    if (!kept.is_left_out()) check_all(params, *kept.arrays, kept.what, op);
  }
  begin_writes(params, lists, op);
  std::vector<Job> jobs;
  jobs.reserve(params.size());
  int64_t total = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    const Array* operands[kMaxOperands] = {&params[i], &grads[i]};
    int count = 2;
    for (const Kept& kept : lists) {
      if (!kept.is_left_out()) operands[count++] = &(*kept.arrays)[i];
    }
    jobs.push_back({make_plan(operands, count), params[i].dtype, row(rows_for(params[i].dtype)),
                    settings_of(i), total});
    total += params[i].numel;
  }
  run(jobs, total);
}

// What Adam's door hands its kernel at the t-th step.
AdamSettings settings_for(const AdamOptions& o, int64_t step) {
  const double t = static_cast<double>(step);
  return {o.beta1,
          o.beta2,
          o.eps,
          o.lr / (1 - std::pow(o.beta1, t)),
          std::sqrt(1 - std::pow(o.beta2, t)),
          o.decoupled ? 0 : o.weight_decay,
          o.decoupled ? 1 - o.lr * o.weight_decay : 1};
}

// Refuses step counts that an optimizer cannot have.
void check_steps(const Arrays& params, const std::vector<int64_t>& steps, const char* op) {
  check_count(steps.size(), params.size(), "step count", op);
  for (const int64_t step : steps) {
    if (step < 1) raise<ValueError>("[", op, "] steps count from 1, got ", step);
  }
}

// Refuses decay rates outside [0, 1).
void check_betas(double beta1, double beta2, const char* op) {
  for (const double beta : {beta1, beta2}) {
    if (!(beta >= 0 && beta < 1)) {
      raise<ValueError>("[", op, "] expected betas in [0, 1), got ", beta);
    }
  }
}
}  // namespace

// Door of SGD: checks, then one loop over all parameters.
void sgd_step(Arrays& params, const Arrays& grads, Arrays& buffers, const SgdSettings& settings) {
  const bool has_momentum = settings.momentum != 0;
  if (settings.nesterov && (!has_momentum || settings.dampening != 0)) {
    raise<ValueError>("[sgd_step] nesterov needs momentum > 0 and dampening 0");
  }
  Arrays none;
  step_all(
      params, grads, {{has_momentum ? &buffers : &none, "momentum buffer", !has_momentum}},
      [=](const OptimizerRows& rows) { return has_momentum ? rows.sgd_momentum : rows.sgd; },
      [&](size_t) { return &settings; }, "sgd_step");
}

// Door of Adam and AdamW: checks, then one loop over all parameters.
void adam_step(Arrays& params, const Arrays& grads, Arrays& means, Arrays& squares, Arrays& maxima,
               const std::vector<int64_t>& steps, const AdamOptions& options) {
  const char* op = "adam_step";
  const bool amsgrad = !maxima.empty();
  check_steps(params, steps, op);
  check_betas(options.beta1, options.beta2, op);
  std::vector<AdamSettings> settings;
  settings.reserve(steps.size());
  for (const int64_t step : steps) settings.push_back(settings_for(options, step));
  step_all(
      params, grads,
      {{&means, "average"}, {&squares, "squared average"}, {&maxima, "maximum", true}},
      [=](const OptimizerRows& rows) { return amsgrad ? rows.adam_max : rows.adam; },
      [&](size_t i) { return &settings[i]; }, op);
}

// Door of RMSprop: checks, then one loop over all parameters.
void rmsprop_step(Arrays& params, const Arrays& grads, Arrays& squares, Arrays& means,
                  Arrays& buffers, const RmspropSettings& settings) {
  const char* op = "rmsprop_step";
  if (settings.momentum != 0 && buffers.empty() && !params.empty()) {
    raise<ValueError>("[rmsprop_step] momentum ", settings.momentum, " needs momentum_buffers");
  }
  const bool centered = !means.empty(), momentum = !buffers.empty();
  step_all(
      params, grads,
      {{&squares, "squared average"},
       {&means, "average", true},
       {&buffers, "momentum buffer", true}},
      [=](const OptimizerRows& rows) { return rows.rmsprop[centered][momentum]; },
      [&](size_t) { return &settings; }, op);
}

// Door of Adagrad: checks, then one loop over all parameters.
void adagrad_step(Arrays& params, const Arrays& grads, Arrays& sums,
                  const std::vector<int64_t>& steps, const AdagradOptions& o) {
  const char* op = "adagrad_step";
  check_steps(params, steps, op);
  std::vector<AdagradSettings> settings;
  for (const int64_t step : steps) {
    settings.push_back({o.lr / (1 + double(step - 1) * o.lr_decay), o.eps, o.weight_decay});
  }
  step_all(
      params, grads, {{&sums, "sum"}}, [](const OptimizerRows& rows) { return rows.adagrad; },
      [&](size_t i) { return &settings[i]; }, op);
}

// Door of Adadelta: one loop over all parameters.
void adadelta_step(Arrays& params, const Arrays& grads, Arrays& squares, Arrays& deltas,
                   const AdadeltaSettings& settings) {
  step_all(
      params, grads, {{&squares, "squared average"}, {&deltas, "average of steps"}},
      [](const OptimizerRows& rows) { return rows.adadelta; }, [&](size_t) { return &settings; },
      "adadelta_step");
}

// Door of Lion: checks, then one loop over all parameters.
void lion_step(Arrays& params, const Arrays& grads, Arrays& means, const LionSettings& settings) {
  const char* op = "lion_step";
  check_betas(settings.beta1, settings.beta2, op);
  step_all(
      params, grads, {{&means, "average"}}, [](const OptimizerRows& rows) { return rows.lion; },
      [&](size_t) { return &settings; }, op);
}
}  // namespace norch
