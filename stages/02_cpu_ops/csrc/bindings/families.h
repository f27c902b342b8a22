// The tables of all operations; module.cpp makes a Python function of every row.
// To add a family: write bindings/bind_<family>.cpp, declare its table here, list it in kFamilies.
#pragma once

#include "bindings/operation.h"

namespace norch {
Table copy_table();
Table elementwise_table();
Table activation_table();
Table reduce_table();
Table matmul_table();
Table linalg_table();
Table index_table();
Table softmax_table();
Table random_table();
Table optimizer_table();
Table norm_table();
Table conv_table();
Table pool_table();
Table resample_table();
Table sort_table();
Table attention_table();
Table recurrent_table();
Table lessons_table();
Table engine_table();

inline constexpr Table (*kFamilies[])() = {
    &copy_table,      &elementwise_table, &activation_table, &reduce_table,   &matmul_table,
    &linalg_table,    &index_table,       &softmax_table,    &random_table,   &optimizer_table,
    &norm_table,      &conv_table,        &pool_table,       &resample_table, &sort_table,
    &attention_table, &recurrent_table,   &lessons_table,    &engine_table,
};
}  // namespace norch
