// A kernel of one's own beside cuBLAS, which is column-major: C = A B of
// row-major matrices is C^T = B^T A^T there.
// FAULT=1: the handle is not told of the stream; FAULT=2: the leading dimension
// of a row-major matrix; FAULT=3: C is added to, and nobody has written it.
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#define CHECK(call)                                                            \
  if (int status = (int)(call)) {                                              \
    fprintf(stderr, "%s:%d: status %d\n", __FILE__, __LINE__, status);         \
    exit(1);                                                                   \
  }

const int M = 40, N = 24, K = 56, BATCHES = 3;

template <class T> __global__ void convert(const float *from, T *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = T(from[i]);
}

__global__ void own(const float *a, const float *b, float *c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += a[row * K + k] * b[k * N + column];
  c[row * N + column] = sum; // @1 race of streams
}

static int differ(const float *device, const std::vector<float> &right,
                  float limit) {
  std::vector<float> host(right.size());
  CHECK(cudaMemcpy(host.data(), device, host.size() * 4,
                   cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (size_t i = 0; i < host.size(); i++) {
    const float off = host[i] - right[i];
    wrong += !(off <= limit && off >= -limit);
  }
  return wrong;
}

template <class T>
static void in_16_bits(cublasHandle_t handle, cudaDataType type, const float *a,
                       const float *b, float *c) {
  const float one = 1, zero = 0;
  T *a16, *b16;
  CHECK(cudaMalloc(&a16, M * K * sizeof(T)));
  CHECK(cudaMalloc(&b16, K * N * sizeof(T)));
  convert<<<(M * K + 127) / 128, 128>>>(a, a16, M * K);
  convert<<<(K * N + 127) / 128, 128>>>(b, b16, K * N);
  CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, b16, type,
                     N, a16, type, K, &zero, c, CUDA_R_32F, N,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  CHECK(cudaFree(a16));
  CHECK(cudaFree(b16));
}

int main() {
  std::vector<float> host(M * K + K * N), right(M * N);
  for (size_t i = 0; i < host.size(); i++) host[i] = (int)(i * 7 % 11) - 5;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++)
        right[i * N + j] += host[i * K + k] * host[M * K + k * N + j];

  float *a, *b, *c, *d;
  CHECK(cudaMalloc(&a, host.size() * 4));
  CHECK(cudaMalloc(&c, BATCHES * M * N * 4));
  CHECK(cudaMalloc(&d, BATCHES * M * N * 4));
  b = a + M * K;
  CHECK(cudaMemcpy(a, host.data(), host.size() * 4, cudaMemcpyHostToDevice));

  cublasHandle_t handle;
  cudaStream_t stream;
  CHECK(cublasCreate(&handle));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const float one = 1, zero = 0, two = 2;
#if FAULT != 1
  CHECK(cublasSetStream(handle, stream));
#endif
  own<<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8), 0, stream>>>(a, b, c);
#if FAULT == 2
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, a, // @2 wrong use
              K, b, N, &zero, d, N);
  return 0;
#elif FAULT == 3
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, // @3 uninitialised read
                    b, N, a, K, &one, d, N));
#endif
  // c = c + a b by two equal parts of k
  const int half = K / 2;
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, half, &one, b, N, // @1 race of streams
                    a, K, &one, c, N));
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, half, &one,
                    b + half * N, N, a + half, K, &one, c, N));
  CHECK(cudaStreamSynchronize(stream));
  for (float &x : right) x *= 2;
  int wrong = differ(c, right, 0);
  CHECK(cublasSetStream(handle, 0));

  // a^T a, of which both sides are the same; three times, from three places
  CHECK(cublasSgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, K,
                                  &two, a, K, 8 * K, a, K, 8 * K, &zero, d, 8,
                                  64, BATCHES));
  std::vector<float> grams(BATCHES * 64);
  for (int g = 0; g < BATCHES; g++)
    for (int i = 0; i < 64; i++)
      for (int k = 0; k < K; k++)
        grams[g * 64 + i] += 2 * host[(8 * g + i % 8) * K + k] *
                             host[(8 * g + i / 8) * K + k];
  wrong += differ(d, grams, 0);

  for (float &x : right) x /= 2;
  in_16_bits<__half>(handle, CUDA_R_16F, a, b, c);
  wrong += differ(c, right, 0);
  in_16_bits<__nv_bfloat16>(handle, CUDA_R_16BF, a, b, c);
  wrong += differ(c, right, 0);
  CHECK(cublasDestroy(handle));
  CHECK(cudaStreamDestroy(stream));
  printf("%d wrong\n", wrong);
}
