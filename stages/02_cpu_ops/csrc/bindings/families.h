// Every binding translation unit offers one function; module.cpp calls them all.
// To add a family: write bindings/bind_<family>.cpp, declare it here, and list it in kFamilies.
#pragma once

#include <pybind11/pybind11.h>

namespace norch {

void bind_copy(pybind11::module_& m);
void bind_elementwise(pybind11::module_& m);
void bind_activation(pybind11::module_& m);
void bind_reduce(pybind11::module_& m);
void bind_matmul(pybind11::module_& m);
void bind_index(pybind11::module_& m);
void bind_softmax(pybind11::module_& m);
void bind_random(pybind11::module_& m);
void bind_optimizer(pybind11::module_& m);
void bind_norm(pybind11::module_& m);
void bind_conv(pybind11::module_& m);
void bind_pool(pybind11::module_& m);
void bind_resample(pybind11::module_& m);
void bind_sort(pybind11::module_& m);
void bind_attention(pybind11::module_& m);
void bind_recurrent(pybind11::module_& m);
void bind_lessons(pybind11::module_& m);

inline constexpr void (*kFamilies[])(pybind11::module_&) = {
    &bind_copy,      &bind_elementwise, &bind_activation, &bind_reduce,    &bind_matmul,
    &bind_index,     &bind_softmax,     &bind_random,     &bind_optimizer, &bind_norm,
    &bind_conv,      &bind_pool,        &bind_resample,   &bind_sort,      &bind_attention,
    &bind_recurrent, &bind_lessons,
};

}  // namespace norch
