// Elementwise operations as tables of rows, indexed by operation and compute dtype. An empty entry
// means the operation does not exist for that dtype; the doors (ops/elementwise.cpp) say so.
#pragma once

#include "core/isa.h"
#include "core/plan.h"

namespace norch {
// Results have the dtype of the inputs. kDiv, kAtan2 and the functions after kReciprocal are
// floating only: the doors turn integers into float32 first.
enum class ArithmeticOp {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDivide,
  kRemainder,
  kFmod,
  kPow,
  kMaximum,
  kMinimum,
  kAtan2,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor
};
inline constexpr int kNumArithmeticOps = 14;

// Results are bool.
enum class CompareOp { kEq, kNe, kLt, kLe, kGt, kGe, kLogicalAnd, kLogicalOr, kLogicalXor };
inline constexpr int kNumCompareOps = 9;

enum class UnaryOp {
  kNeg,
  kAbs,
  kSign,
  kSquare,
  kRelu,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kBitwiseNot,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kSin,
  kCos,
  kTan,
  kTanh,
  kSigmoid,
  kErf,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErfinv
};
inline constexpr int kNumUnaryOps = 33;

// Results are bool.
enum class TestOp { kIsnan, kIsinf, kIsfinite, kLogicalNot };
inline constexpr int kNumTestOps = 4;

struct ArithmeticTable {
  RowFn row[kNumArithmeticOps][kNumDTypes];
};
struct CompareTable {
  RowFn row[kNumCompareOps][kNumDTypes];
};
struct UnaryTable {
  RowFn row[kNumUnaryOps][kNumDTypes];
};
struct SelectTable {
  RowFn test[kNumTestOps][kNumDTypes];
  RowFn where[kNumDTypes];  // out, condition (bool), a, b
  RowFn clamp[kNumDTypes];  // out, a; context: the two bounds, of the dtype
};
}  // namespace norch
