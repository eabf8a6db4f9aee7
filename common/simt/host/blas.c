/* cuBLAS: products of matrices, as one operation of the handle's stream. What
 * it reads and writes is checked as a kernel's accesses are. */

#include "common/simt/host/host.h"
#include "common/simt/host/include/cublas_v2.h"
#include "common/simt/race/race.h"

struct cublasContext {
  cudaStream_t stream;
};

#define ALWAYS_GOOD(name, ...)                                                 \
  cublasStatus_t name(cublasHandle_t handle, __VA_ARGS__) {                    \
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;     \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
ALWAYS_GOOD(cublasSetMathMode, cublasMath_t mode)
ALWAYS_GOOD(cublasSetPointerMode, cublasPointerMode_t mode)
ALWAYS_GOOD(cublasSetWorkspace, void *at, size_t size)

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  *handle = calloc(1, sizeof **handle);
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream) {
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version) {
  *version = CUDART_VERSION * 10;
  return CUBLAS_STATUS_SUCCESS;
}
const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define NAME(status) case status: return #status;
    NAME(CUBLAS_STATUS_SUCCESS)
    NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME(CUBLAS_STATUS_ALLOC_FAILED)
    NAME(CUBLAS_STATUS_INVALID_VALUE)
    NAME(CUBLAS_STATUS_EXECUTION_FAILED)
  default:
    return "a status that the executor does not use";
  }
}
const char *cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

typedef simt_matrix matrix;

static size_t size_of(cudaDataType type) { return type == CUDA_R_32F ? 4 : 2; }

static float number(cudaDataType type, const void *at) {
  uint16_t bits;
  float value;
  if (type == CUDA_R_32F) return memcpy(&value, at, 4), value;
  memcpy(&bits, at, 2);
  return type == CUDA_R_16F ? half_decode(bits) : bfloat_decode(bits);
}

static void set_number(cudaDataType type, void *at, float value) {
  const uint16_t bits = type == CUDA_R_16F ? half_encode(value)
                                           : bfloat_encode(value);
  memcpy(at, type == CUDA_R_32F ? (void *)&value : (void *)&bits,
         size_of(type));
}

static char *column(const matrix *x, int j) {
  return (char *)x->at + (size_t)j * (size_t)x->leading * size_of(x->type);
}

/* Finds what is wrong with a matrix, and notes who has used it. */
static cublasStatus_t look(const char *call, const matrix *x, bool reads,
                           bool writes, uint32_t pc) {
  if (x->leading < (x->rows > 1 ? x->rows : 1)) {
    FINDING_OF_HOST(SIMT_USAGE, pc,
                    "%s: %s is column-major and has %d rows, but ld%c is %d",
                    call, x->name, x->rows, x->name[0] | 32, x->leading);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const size_t bytes = (size_t)x->rows * size_of(x->type);
  if (bytes == 0 || x->columns == 0) return CUBLAS_STATUS_SUCCESS;
  const size_t size =
      (size_t)(column(x, x->columns - 1) - column(x, 0)) + bytes;
  if (!arena_contains(x->at, size)) {
    FINDING_OF_HOST(SIMT_OUTSIDE_GLOBAL, pc,
                    "%s: %s takes %zu bytes, which are not all memory of the "
                    "device",
                    call, x->name, size);
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  size_t fresh = 0;
  for (int j = 0; j < x->columns; j++) {
    if (reads) fresh += arena_find_fresh(column(x, j), bytes).bytes;
    if (reads) streams_range(pc, column(x, j), bytes, false);
    if (writes) streams_range(pc, column(x, j), bytes, true);
    if (writes) simt_written(column(x, j), bytes);
  }
  if (fresh)
    FINDING_OF_HOST(SIMT_UNINITIALISED, pc,
                    "%s reads %s: nobody has written %zu bytes of it", call,
                    x->name, fresh);
  return CUBLAS_STATUS_SUCCESS;
}

/* op(X) as floats, columns of `height` side by side. */
static float *unpack(const matrix *x, bool transposed, int height) {
  float *all = allocate_zeros((size_t)x->rows * (size_t)x->columns + 1, 4);
  for (int j = 0; j < x->columns; j++)
    for (int i = 0; i < x->rows; i++)
      all[transposed ? (size_t)i * (size_t)height + (size_t)j
                     : (size_t)j * (size_t)height + (size_t)i] =
          number(x->type, column(x, j) + (size_t)i * size_of(x->type));
  return all;
}

typedef struct {
  int m, n, k;
  bool transposed_a, transposed_b;
  float alpha, beta;
} product;

/* Sums are floats, whatever the compute type says; a column of C at a time. */
static void multiply(const product *p, const matrix *a, const matrix *b,
                     const matrix *c) {
  float *x = unpack(a, p->transposed_a, p->m);
  float *y = unpack(b, p->transposed_b, p->k);
  float *sums = allocate_zeros((size_t)p->m + 1, sizeof *sums);
  for (int j = 0; j < p->n; j++) {
    memset(sums, 0, (size_t)p->m * sizeof *sums);
    for (int k = 0; k < p->k; k++) {
      const float by = y[(size_t)j * (size_t)p->k + (size_t)k];
      const float *from = x + (size_t)k * (size_t)p->m;
      for (int i = 0; i < p->m; i++) sums[i] += from[i] * by;
    }
    for (int i = 0; i < p->m; i++) {
      char *at = column(c, j) + (size_t)i * size_of(c->type);
      const float sum = p->alpha * sums[i];
      set_number(c->type, at,
                 p->beta == 0 ? sum : sum + p->beta * number(c->type, at));
    }
  }
  free(sums);
  free(y);
  free(x);
}

static bool is_known(cudaDataType type) {
  return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

cublasStatus_t simt_gemm(const char *call, SIMT_GEMM_BEGIN, const void *alpha,
                         matrix a, matrix b, const void *beta, matrix c,
                         int batches, cublasComputeType_t compute) {
  const uint32_t pc = CALLER;
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (error_sticky()) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (m < 0 || n < 0 || k < 0 || batches < 0) {
    FINDING_OF_HOST(SIMT_USAGE, pc, "%s: a size below 0", call);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!is_known(a.type) || !is_known(b.type) || !is_known(c.type) ||
      compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_32I)
    program_impossible(pc, "the executor's cuBLAS multiplies float, __half and "
                           "__nv_bfloat16, in no other types");
  const bool in_half = compute == CUBLAS_COMPUTE_16F ||
                       compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const cudaDataType scale = in_half ? CUDA_R_16F : CUDA_R_32F;
  const product p = {m, n, k, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N,
                     number(scale, alpha), number(scale, beta)};
  a.name = "A", b.name = "B", c.name = "C";
  a.rows = p.transposed_a ? k : m, a.columns = p.transposed_a ? m : k;
  b.rows = p.transposed_b ? n : k, b.columns = p.transposed_b ? k : n;
  c.rows = m, c.columns = n;
  streams_begin(stream_number(handle->stream), call);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < batches && !status; i++) {
    status = look(call, &a, true, false, pc);
    if (!status) status = look(call, &b, true, false, pc);
    if (!status) status = look(call, &c, p.beta != 0, true, pc);
    if (!status) multiply(&p, &a, &b, &c);
    a.at = (char *)a.at + a.stride * (long long)size_of(a.type);
    b.at = (char *)b.at + b.stride * (long long)size_of(b.type);
    c.at = (char *)c.at + c.stride * (long long)size_of(c.type);
  }
  return status;
}
