#pragma once

/* cuBLAS of the executor: a handle, and the products of matrices that learners
 * compare their own with. */

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>

#ifdef __cplusplus
struct __half;
extern "C" {
#endif

typedef struct cublasContext *cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
typedef enum {
  CUBLAS_POINTER_MODE_HOST,
  CUBLAS_POINTER_MODE_DEVICE
} cublasPointerMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle,
                                    cublasPointerMode_t mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *at, size_t size);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

/* C = alpha op(A) op(B) + beta C, all column-major; op(A) has m rows and k
 * columns. */
#define SIMT_GEMM_BEGIN                                                        \
  cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,       \
      int m, int n, int k
/* What they all are to the executor. */
typedef struct {
  void *at;
  cudaDataType type;
  int leading;
  long long stride; /* elements from batch to batch */
  const char *name; /* the rest is the executor's own to fill */
  int rows, columns; /* as they lie there */
} simt_matrix;
cublasStatus_t simt_gemm(const char *call, SIMT_GEMM_BEGIN, const void *alpha,
                         simt_matrix a, simt_matrix b, const void *beta,
                         simt_matrix c, int batches,
                         cublasComputeType_t compute);

#ifdef __cplusplus
}
/* Inlined, so that the executor sees the program's own line. */
#define SIMT_GEMM static inline __attribute__((always_inline)) cublasStatus_t
#define SIMT_CALL_GEMM(type_a, type_b, type_c, strides, batches, compute)      \
  simt_gemm(__func__, handle, op_a, op_b, m, n, k, alpha,                      \
            {(void *)a, type_a, lda, SIMT_STRIDE_##strides(stride_a)},         \
            {(void *)b, type_b, ldb, SIMT_STRIDE_##strides(stride_b)}, beta,   \
            {(void *)c, type_c, ldc, SIMT_STRIDE_##strides(stride_c)},         \
            batches, compute)
#define SIMT_STRIDE_NO(stride) 0
#define SIMT_STRIDE_YES(stride) stride

#define SIMT_GEMM_OF(name, T, type, compute)                                   \
  SIMT_GEMM name(SIMT_GEMM_BEGIN, const T *alpha, const T *a, int lda,         \
                 const T *b, int ldb, const T *beta, T *c, int ldc) {          \
    return SIMT_CALL_GEMM(type, type, type, NO, 1, compute);                   \
  }
SIMT_GEMM_OF(cublasSgemm, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
SIMT_GEMM_OF(cublasHgemm, struct __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

/* CUDA 10 had a type of data in place of one to compute in. */
static inline cublasComputeType_t simt_compute(cublasComputeType_t compute) {
  return compute;
}
static inline cublasComputeType_t simt_compute(cudaDataType compute) {
  return compute == CUDA_R_32F   ? CUBLAS_COMPUTE_32F
         : compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F
                                 : CUBLAS_COMPUTE_64F;
}
template <class Compute>
SIMT_GEMM cublasGemmEx(SIMT_GEMM_BEGIN, const void *alpha, const void *a,
                       cudaDataType type_a, int lda, const void *b,
                       cudaDataType type_b, int ldb, const void *beta, void *c,
                       cudaDataType type_c, int ldc, Compute compute,
                       cublasGemmAlgo_t) {
  return SIMT_CALL_GEMM(type_a, type_b, type_c, NO, 1, simt_compute(compute));
}
SIMT_GEMM cublasSgemmStridedBatched(SIMT_GEMM_BEGIN, const float *alpha,
                                    const float *a, int lda, long long stride_a,
                                    const float *b, int ldb, long long stride_b,
                                    const float *beta, float *c, int ldc,
                                    long long stride_c, int batches) {
  return SIMT_CALL_GEMM(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, YES, batches,
                        CUBLAS_COMPUTE_32F);
}
SIMT_GEMM cublasGemmStridedBatchedEx(
    SIMT_GEMM_BEGIN, const void *alpha, const void *a, cudaDataType type_a,
    int lda, long long stride_a, const void *b, cudaDataType type_b, int ldb,
    long long stride_b, const void *beta, void *c, cudaDataType type_c, int ldc,
    long long stride_c, int batches, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  return SIMT_CALL_GEMM(type_a, type_b, type_c, YES, batches, compute);
}
#endif
