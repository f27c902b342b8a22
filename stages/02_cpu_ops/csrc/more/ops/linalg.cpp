// LAPACK's routines, called for each matrix of a batch; the promise is in more/ops/linalg.h.
//
// LAPACK reads columns: `a` becomes columns by being cloned under its transposed shape, results are
// columns seen transposed, as PyTorch's are. A batch is shared out among the threads of our pool.
#include "more/ops/linalg.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "more/ops/lapack.h"
#include "ops/copy.h"

namespace norch {
namespace {
// ---- Matrices ----

struct Sizes {  // as LAPACK counts them
  int m, n;
  int64_t area() const { return int64_t{m} * n; }
  int least() const { return std::min(m, n); }
  int lead() const { return std::max(m, 1); }  // LAPACK wants 1 for no rows at all
};

// The sizes of a linalg op's matrices. The one place where 64 bits become 32. No workspace below is
// larger than what is asked here.
Sizes matrix_sizes(const Array& a, const char* op) {
  if (a.ndim < 2) {
    raise<ShapeError>("[", op, "] expected matrices (..., rows, columns), got ", a.shape_text());
  }
  const double m = double(a.shape[a.ndim - 2]), n = double(a.shape[a.ndim - 1]);
  const double k = std::min(m, n);
  if (std::max({m * n, m, n, 5 * k * k + 128 * (m + n)}) > INT_MAX) {
    raise<ShapeError>("[", op, "] matrices of ", a.shape_text(),
                      " are too large for LAPACK, which counts in 32 bits");
  }
  return {int(m), int(n)};
}

// The sizes of square matrices for LAPACK, checked.
Sizes square_sizes(const Array& a, const char* op) {
  const Sizes sizes = matrix_sizes(a, op);
  if (sizes.m != sizes.n) {
    raise<ShapeError>("[", op, "] expected square matrices, got shape ", a.shape_text());
  }
  return sizes;
}

// Right sides (..., n, columns) for matrices of `n` rows, with as many matrices as `a` has.
Sizes right_sizes(const Array& a, const Array& b, int64_t rows, const char* op) {
  const Sizes sizes = matrix_sizes(b, op);
  if (b.dtype != a.dtype || b.ndim != a.ndim || sizes.m != rows ||
      !std::equal(a.shape, a.shape + a.ndim - 2, b.shape)) {
    raise<ShapeError>("[", op, "] matrices ", a.shape_text(), " of ", name_of(a.dtype),
                      " and right sides ", b.shape_text(), " of ", name_of(b.dtype),
                      " do not match: expected equal batches, rows and dtypes");
  }
  return sizes;
}

// Columns in new memory: (..., n, m) for matrices (..., m, n).
Array columns_of(const Array& a) { return clone(transposed(a)); }

// New memory for one thing a matrix of `a`: of `sizes`, which may be none.
Array for_each_of(const Array& a, std::initializer_list<int64_t> sizes, DType dtype) {
  Dims shape(a.shape, a.ndim - 2);
  for (const int64_t size : sizes) shape.push(size);
  return Array::empty(shape, dtype);
}

// How many matrices the batch of a linalg op holds.
int64_t count_matrices(const Array& a) {
  int64_t count = 1;
  for (int i = 0; i < a.ndim - 2; ++i) count *= a.shape[i];
  return count;
}

// body(i, scratch) for each matrix i of the batch; scratch is made anew for each share of it.
template <class Scratch, class Body>
void each_matrix(const Array& a, Sizes sizes, const Scratch& make_scratch, const Body& body) {
  const double work = double(sizes.area()) * (sizes.least() + 8);
  const int64_t grain = std::max<int64_t>(1, int64_t(1e5 / (work + 1)));
  parallel_for(count_matrices(a), grain, [&](int64_t begin, int64_t end) {
    auto scratch = make_scratch();
    for (int64_t i = begin; i < end; ++i) body(i, scratch);
  });
}

template <class T>
struct Workspace {
  std::vector<T> numbers;
  std::vector<int> whole;

  // What a query has answered. A float32 cannot count past 2^24: go up to the next it can.
  void allow(T answer) {
    const double size = std::nextafter(answer, std::numeric_limits<T>::max());
    numbers.resize(size_t(std::min(size, double(INT_MAX))) + 1);
  }
  int size() const { return int(std::min<size_t>(numbers.size(), INT_MAX)); }
};

// Whether a matrix may be handed to LAPACK: no NaN, no infinity.
template <class T>
bool is_finite(const T* x, int64_t n) {
  T zero = 0;
  for (int64_t i = 0; i < n; ++i) zero += x[i] * 0;
  return zero == 0;
}

// Whether the lower triangle of a matrix may be handed to LAPACK: no NaN, no infinity.
template <class T>
bool is_lower_finite(const T* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    if (!is_finite(x + j * n + j, n - j)) return false;
  }
  return true;
}

// The result of a matrix that LAPACK was not asked about.
template <class T>
void fill_nan(T* x, int64_t n) {
  std::fill_n(x, n, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
void fill_identity(T* x, int m, int n) {  // m rows, n columns
  std::fill_n(x, int64_t{m} * n, T(0));
  for (int64_t i = 0; i < std::min(m, n); ++i) x[i * m + i] = 1;
}

constexpr auto kNoScratch = [] { return 0; };
}  // namespace

// ---- Singular values, eigenvalues ----

namespace {
template <class T>
struct Svd {
  Sizes size;
  int k, u_columns, v_rows;
  char job;
  Array work, u, s, vt, info;

  Svd(const Array& a, Sizes size_, bool full, bool vectors)
      : size(size_),
        k(size.least()),
        u_columns(!vectors ? 0
                  : full   ? size.m
                           : k),
        v_rows(!vectors ? 0
               : full   ? size.n
                        : k),
        job(!vectors ? 'N'
            : full   ? 'A'
                     : 'S'),
        work(columns_of(a)),
        u(for_each_of(a, {u_columns, vectors ? size.m : 0}, a.dtype)),
        s(for_each_of(a, {k}, a.dtype)),
        vt(for_each_of(a, {vectors ? size.n : 0, v_rows}, a.dtype)),
        info(for_each_of(a, {}, DType::kInt32)) {}

  T* matrix(int64_t i) const { return work.data<T>() + i * size.area(); }
  T* left(int64_t i) const { return u.data<T>() + i * size.m * u_columns; }
  T* values(int64_t i) const { return s.data<T>() + i * k; }
  T* right(int64_t i) const { return vt.data<T>() + i * size.n * v_rows; }

  int call(int64_t i, T* numbers, int lwork, int* whole) const {
    return lapack<T>("svd").gesdd(kColumns, job, size.m, size.n, matrix(i), size.lead(), values(i),
                                  left(i), size.lead(), right(i), std::max(v_rows, 1), numbers,
                                  lwork, whole);
  }
  Workspace<T> scratch() const {
    Workspace<T> space;
    space.whole.resize(size_t(k) * 8 + 1);
    T answer = 1;
    if (k > 0) call(0, &answer, -1, space.whole.data());
    space.allow(answer);
    return space;
  }
  int solve(int64_t i, Workspace<T>& space) const {
    if (k == 0) {
      fill_identity(left(i), size.m, u_columns);
      fill_identity(right(i), v_rows, size.n);
      return 0;
    }
    if (is_finite(matrix(i), size.area())) {
      return call(i, space.numbers.data(), space.size(), space.whole.data());
    }
    fill_nan(left(i), int64_t{size.m} * u_columns);
    fill_nan(values(i), k);
    fill_nan(right(i), int64_t{size.n} * v_rows);
    return -1;
  }
};

template <class T>
struct Eigh {
  Sizes size;
  char job;
  Array v, w, info;

  Eigh(const Array& a, Sizes size_, bool vectors)
      : size(size_),
        job(vectors ? 'V' : 'N'),
        v(columns_of(a)),
        w(for_each_of(a, {size.n}, a.dtype)),
        info(for_each_of(a, {}, DType::kInt32)) {}

  T* matrix(int64_t i) const { return v.data<T>() + i * size.area(); }
  T* values(int64_t i) const { return w.data<T>() + i * size.n; }

  int call(int64_t i, T* numbers, int lwork, int* whole, int liwork) const {
    return lapack<T>("eigh").syevd(kColumns, job, 'L', size.n, matrix(i), size.lead(), values(i),
                                   numbers, lwork, whole, liwork);
  }
  Workspace<T> scratch() const {
    Workspace<T> space;
    T answer = 1;
    int whole = 1;
    if (size.n > 0) call(0, &answer, -1, &whole, -1);
    space.allow(answer);
    space.whole.resize(size_t(whole) + 1);
    return space;
  }
  int solve(int64_t i, Workspace<T>& space) const {
    if (size.n == 0) return 0;
    if (is_lower_finite(matrix(i), size.n)) {
      return call(i, space.numbers.data(), space.size(), space.whole.data(),
                  int(space.whole.size()));
    }
    fill_nan(matrix(i), size.area());
    fill_nan(values(i), size.n);
    return -1;
  }
};

// Runs one of these LAPACK problems on every matrix of the batch.
template <class T, class Problem>
void solve_each(const Array& a, const Problem& problem) {
  each_matrix(
      a, problem.size, [&] { return problem.scratch(); },
      [&](int64_t i, Workspace<T>& space) {
        problem.info.template data<int>()[i] = problem.solve(i, space);
      });
}
}  // namespace

// Door of svd: checks, then LAPACK for each matrix.
std::tuple<Array, Array, Array, Array> svd(const Array& a, bool full_matrices, bool compute_uv) {
  require_lapack("svd");
  const Sizes size = matrix_sizes(a, "svd");
  return visit_floating(a.dtype, "svd", [&](auto tag) -> std::tuple<Array, Array, Array, Array> {
    using T = typename decltype(tag)::type;
    const Svd<T> problem(a, size, full_matrices, compute_uv);
    solve_each<T>(a, problem);
    return {transposed(problem.u), problem.s, transposed(problem.vt), problem.info};
  });
}

// Door of eigh: checks, then LAPACK for each matrix.
std::tuple<Array, Array, Array> eigh(const Array& a, bool compute_v) {
  require_lapack("eigh");
  const Sizes size = square_sizes(a, "eigh");
  return visit_floating(a.dtype, "eigh", [&](auto tag) -> std::tuple<Array, Array, Array> {
    using T = typename decltype(tag)::type;
    const Eigh<T> problem(a, size, compute_v);
    solve_each<T>(a, problem);
    const Array none = for_each_of(a, {0, 0}, a.dtype);
    return {problem.w, compute_v ? transposed(problem.v) : none, problem.info};
  });
}

// ---- Factors ----

namespace {
template <class T>
struct Qr {
  Sizes size;
  int k, inner, q_columns;  // Q is (m, inner), R (inner, n)
  Array work, q, r;

  Qr(const Array& a, Sizes size_, bool complete, bool compute_q)
      : size(size_),
        k(size.least()),
        inner(complete ? size.m : k),
        q_columns(compute_q ? inner : 0),
        work(columns_of(a)),
        q(for_each_of(a, {q_columns, compute_q ? size.m : 0}, a.dtype)),
        r(for_each_of(a, {size.n, inner}, a.dtype)) {}

  std::pair<Workspace<T>, std::vector<T>> scratch() const {
    std::pair<Workspace<T>, std::vector<T>> both;
    auto& [space, tau] = both;
    tau.resize(size_t(k) + 1);
    T first = 1, second = 1;
    if (k > 0) {
      factor(work.data<T>(), tau.data(), &first, -1);
      expand(q.data<T>(), tau.data(), &second, -1);
    }
    space.allow(std::max(first, second));
    return both;
  }
  // R in the upper triangle, and below it the reflections, from which `expand` makes Q.
  void factor(T* x, T* tau, T* numbers, int lwork) const {
    lapack<T>("qr").geqrf(kColumns, size.m, size.n, x, size.lead(), tau, numbers, lwork);
  }
  void expand(T* x, const T* tau, T* numbers, int lwork) const {
    if (q_columns == 0) return;
    lapack<T>("qr").orgqr(kColumns, size.m, q_columns, k, x, size.lead(), tau, numbers, lwork);
  }
  void solve(int64_t i, Workspace<T>& space, T* tau) const {
    T *x = work.data<T>() + i * size.area(), *out = q.data<T>() + i * size.m * q_columns;
    T* upper = r.data<T>() + i * inner * size.n;
    std::fill_n(upper, int64_t{inner} * size.n, T(0));
    if (k == 0) return fill_identity(out, size.m, q_columns);
    factor(x, tau, space.numbers.data(), space.size());
    for (int64_t j = 0; j < size.n; ++j) {
      std::copy_n(x + j * size.m, std::min<int64_t>(j + 1, k), upper + j * inner);
    }
    std::copy_n(x, int64_t{size.m} * std::min(size.n, q_columns), out);
    expand(out, tau, space.numbers.data(), space.size());
  }
};
}  // namespace

// Door of qr: checks, then LAPACK for each matrix.
std::pair<Array, Array> qr(const Array& a, bool complete, bool compute_q) {
  require_lapack("qr");
  const Sizes size = matrix_sizes(a, "qr");
  return visit_floating(a.dtype, "qr", [&](auto tag) -> std::pair<Array, Array> {
    using T = typename decltype(tag)::type;
    const Qr<T> problem(a, size, complete, compute_q);
    each_matrix(
        a, size, [&] { return problem.scratch(); },
        [&](int64_t i, auto& both) { problem.solve(i, both.first, both.second.data()); });
    return {transposed(problem.q), transposed(problem.r)};
  });
}

namespace {
// L in place of the lower triangle, zeros above. LAPACK takes NaN for a success: the first column
// with one is told as the minor that is not positive.
template <class T>
int cholesky_of(T* x, Sizes size) {
  const int code = lapack<T>("cholesky").potrf(kColumns, 'L', size.n, x, size.lead());
  for (int64_t j = 0; j < size.n; ++j) std::fill_n(x + j * size.n, j, T(0));
  if (code != 0) return code;
  for (int64_t j = 0; j < size.n; ++j) {
    if (std::isnan(x[j * size.n + j])) return int(j) + 1;
  }
  return 0;
}
}  // namespace

// Door of cholesky: checks, then LAPACK for each matrix.
std::pair<Array, Array> cholesky(const Array& a) {
  require_lapack("cholesky");
  const Sizes size = square_sizes(a, "cholesky");
  return visit_floating(a.dtype, "cholesky", [&](auto tag) -> std::pair<Array, Array> {
    using T = typename decltype(tag)::type;
    const Array factor = columns_of(a), info = for_each_of(a, {}, DType::kInt32);
    each_matrix(a, size, kNoScratch, [&](int64_t i, int) {
      info.data<int>()[i] = cholesky_of(factor.data<T>() + i * size.area(), size);
    });
    return {transposed(factor), info};
  });
}

// Door of lu_factor: checks, then LAPACK for each matrix.
std::tuple<Array, Array, Array> lu_factor(const Array& a) {
  require_lapack("lu_factor");
  const Sizes size = matrix_sizes(a, "lu_factor");
  return visit_floating(a.dtype, "lu_factor", [&](auto tag) -> std::tuple<Array, Array, Array> {
    using T = typename decltype(tag)::type;
    const Array lu = columns_of(a);
    const Array pivots = for_each_of(a, {size.least()}, DType::kInt32);
    const Array info = for_each_of(a, {}, DType::kInt32);
    each_matrix(a, size, kNoScratch, [&](int64_t i, int) {
      info.data<int>()[i] = lapack<T>("lu_factor")
                                .getrf(kColumns, size.m, size.n, lu.data<T>() + i * size.area(),
                                       size.lead(), pivots.data<int>() + i * size.least());
    });
    return {transposed(lu), pivots, info};
  });
}

// Door of row_order: exchanges of rows as an order of rows.
Array row_order(const Array& pivots, int64_t rows) {
  if (pivots.dtype != DType::kInt32 || pivots.ndim == 0 || pivots.shape[pivots.ndim - 1] > rows) {
    raise<ShapeError>("[row_order] expected at most ", rows, " pivots a matrix, of int32, got ",
                      pivots.shape_text(), " of ", name_of(pivots.dtype));
  }
  const Array exchanged = contiguous(pivots);
  Dims shape = dims_of(pivots);
  const int64_t k = shape[shape.n - 1];
  shape[shape.n - 1] = rows;
  const Array out = Array::empty(shape, DType::kInt64);
  const int* pivot = exchanged.data<int>();
  for (int64_t* order = out.data<int64_t>(); order != out.data<int64_t>() + out.numel;) {
    for (int64_t i = 0; i < rows; ++i) order[i] = i;
    for (int64_t i = 0; i < k; ++i, ++pivot) {
      if (*pivot < 1 || *pivot > rows) {
        raise<Error>("[row_order] pivots are rows from 1 to ", rows, ", got ", *pivot);
      }
      std::swap(order[i], order[*pivot - 1]);
    }
    order += rows;
  }
  return out;
}

// ---- Solutions ----

// Door of solve_triangular: checks, then BLAS for each matrix.
Array solve_triangular(const Array& a, const Array& b, bool upper, bool unit) {
  require_lapack("solve_triangular");
  const Sizes size = square_sizes(a, "solve_triangular");
  const Sizes right = right_sizes(a, b, size.n, "solve_triangular");
  return visit_floating(a.dtype, "solve_triangular", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Array matrix = contiguous(transposed(a)), x = columns_of(b);
    each_matrix(b, right, kNoScratch, [&](int64_t i, int) {
      if (right.area() == 0) return;
      lapack<T>("solve_triangular")
          .trsm(kColumns, kLeft, upper ? kUpper : kLower, kNoTrans, unit ? kUnit : kNonUnit,
                right.m, right.n, T(1), matrix.data<T>() + i * size.area(), size.lead(),
                x.data<T>() + i * right.area(), right.lead());
    });
    return transposed(x);
  });
}

namespace {
enum class Driver { kGels, kGelsy, kGelsd, kGelss };

// For the linalg op lstsq: which LAPACK driver a name means.
Driver driver_of(const std::string& name) {
  if (name == "gels") return Driver::kGels;
  if (name == "gelsy") return Driver::kGelsy;
  if (name == "gelsd") return Driver::kGelsd;
  if (name == "gelss") return Driver::kGelss;
  raise<Error>("[lstsq] driver must be 'gels', 'gelsy', 'gelsd' or 'gelss', got '", name, "'");
}

// Right sides as columns with room for the solutions, which may be longer: (..., columns, longest).
Array with_room(const Array& b, int64_t longest) {
  const Array room = for_each_of(b, {b.shape[b.ndim - 1], longest}, b.dtype);
  std::memset(room.bytes(), 0, size_t(room.nbytes()));
  Array front = transposed(room);
  front.shape[b.ndim - 2] = b.shape[b.ndim - 2];
  front.update();
  copy_elements(front, b);
  return room;
}

template <class T>
struct Lstsq {
  Sizes size, right;
  Driver driver;
  T rcond;
  int k, longest, num_values;
  Array work, x, s, rank, info;

  Lstsq(const Array& a, const Array& b, Sizes size_, Sizes right_, double rcond_, Driver driver_)
      : size(size_),
        right(right_),
        driver(driver_),
        rcond(T(rcond_)),
        k(size.least()),
        longest(std::max(size.m, size.n)),
        num_values(driver == Driver::kGelsd || driver == Driver::kGelss ? k : 0),
        work(columns_of(a)),
        x(with_room(b, longest)),
        s(for_each_of(a, {num_values}, a.dtype)),
        rank(for_each_of(a, {}, DType::kInt32)),
        info(for_each_of(a, {}, DType::kInt32)) {}

  T* matrix(int64_t i) const { return work.data<T>() + i * size.area(); }
  T* solution(int64_t i) const { return x.data<T>() + i * longest * right.n; }
  T* values(int64_t i) const { return s.data<T>() + i * num_values; }

  int call(int64_t i, T* numbers, int lwork, int* whole) const {
    const LapackRoutines<T>& f = lapack<T>("lstsq");
    const int m = size.m, n = size.n, columns = right.n, ldb = std::max(longest, 1);
    T *a = matrix(i), *b = solution(i), *sv = values(i);
    int* r = rank.data<int>() + i;
    switch (driver) {
      case Driver::kGels:
        return f.gels(kColumns, 'N', m, n, columns, a, size.lead(), b, ldb, numbers, lwork);
      case Driver::kGelsy:
        return f.gelsy(kColumns, m, n, columns, a, size.lead(), b, ldb, whole, rcond, r, numbers,
                       lwork);
      case Driver::kGelsd:
        return f.gelsd(kColumns, m, n, columns, a, size.lead(), b, ldb, sv, rcond, r, numbers,
                       lwork, whole);
      default:
        return f.gelss(kColumns, m, n, columns, a, size.lead(), b, ldb, sv, rcond, r, numbers,
                       lwork);
    }
  }
  Workspace<T> scratch() const {
    Workspace<T> space;
    space.whole.resize(size_t(size.n) + 1);
    T answer = 1;
    // gelsd answers in `whole` too.
    if (k > 0 && right.n > 0) call(0, &answer, -1, space.whole.data());
    space.allow(answer);
    space.whole.resize(std::max(size_t(space.whole[0]), size_t(size.n)) + 1);
    return space;
  }
  int solve(int64_t i, Workspace<T>& space) const {
    rank.data<int>()[i] = 0;
    const int64_t area = int64_t{longest} * right.n;
    if (!is_finite(matrix(i), size.area()) || !is_finite(solution(i), area)) {
      fill_nan(solution(i), area);
      fill_nan(values(i), num_values);
      return -1;
    }
    if (k == 0 || right.n == 0) {  // LAPACK would refuse
      std::fill_n(solution(i), area, T(0));
      std::fill_n(values(i), num_values, T(0));
      return 0;
    }
    std::fill(space.whole.begin(), space.whole.end(), 0);  // gelsy: no column is preferred
    return call(i, space.numbers.data(), space.size(), space.whole.data());
  }
};
}  // namespace

// Door of lstsq: checks, then LAPACK for each matrix.
std::tuple<Array, Array, Array, Array> lstsq(const Array& a, const Array& b, double rcond,
                                             const char* driver_name) {
  require_lapack("lstsq");
  const Sizes size = matrix_sizes(a, "lstsq");
  const Sizes right = right_sizes(a, b, size.m, "lstsq");
  const Driver driver = driver_of(driver_name);
  return visit_floating(a.dtype, "lstsq", [&](auto tag) -> std::tuple<Array, Array, Array, Array> {
    using T = typename decltype(tag)::type;
    const Lstsq<T> problem(a, b, size, right, rcond, driver);
    solve_each<T>(a, problem);
    Array solution = transposed(problem.x);
    solution.shape[solution.ndim - 2] = size.n;
    solution.update();
    return {solution, problem.rank, problem.s, problem.info};
  });
}
}  // namespace norch
