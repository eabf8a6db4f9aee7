// Attention in one kernel of 25 lines. By itself:
//   nvcc -O3 -arch=native first/attention.cu -o attention && ./attention
// or, with a GPU or without one:  make run FILE=first/attention.cu
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

//> kernel
const int D = 64;

__device__ float score(const float *q, const float *k) {
  float sum = 0;
  for (int d = 0; d < D; d++) sum += q[d] * k[d];
  return sum / sqrtf(D);
}

__global__ void attention(const float *q, const float *k, const float *v,
                          float *o, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  float m = -INFINITY;  // the largest score of this row
  for (int key = 0; key < rows; key++)
    m = fmaxf(m, score(&q[row * D], &k[key * D]));

  float l = 0, sum[D] = {};
  for (int key = 0; key < rows; key++) {
    const float p = expf(score(&q[row * D], &k[key * D]) - m);
    l += p;
    for (int d = 0; d < D; d++) sum[d] += p * v[key * D + d];
  }
  for (int d = 0; d < D; d++) o[row * D + d] = sum[d] / l;
}
//< kernel

// The same for one row, in double, on the CPU: the largest error in it.
static double error_of(int row, const float *q, const float *k, const float *v,
                       const float *o, int rows) {
  std::vector<double> p(rows);
  double m = -INFINITY, l = 0, worst = 0;
  for (int key = 0; key < rows; key++) {
    for (int d = 0; d < D; d++)
      p[key] += double(q[row * D + d]) * k[key * D + d];
    m = fmax(m, p[key] /= sqrt(D));
  }
  for (double &x : p) l += x = exp(x - m);
  for (int d = 0; d < D; d++) {
    double exact = 0;
    for (int key = 0; key < rows; key++)
      exact += p[key] / l * v[key * D + d];
    const double error = fabs(exact - o[row * D + d]);
    if (!(error <= worst)) worst = error;  // so that NaN counts
  }
  return worst;
}

int main(int count, char **words) {
  const int rows = count > 1 ? atoi(words[1]) : 512;
  if (rows < 1 || rows > 1 << 20) {
    fprintf(stderr, "usage: attention [ROWS]   (1 to 1,048,576)\n");
    return 2;
  }
  const size_t size = size_t(rows) * D, bytes = size * sizeof(float);
  float *q, *k, *v, *o;  // managed memory: the CPU and the GPU both see it
  if (cudaMallocManaged(&q, bytes) || cudaMallocManaged(&k, bytes) ||
      cudaMallocManaged(&v, bytes) || cudaMallocManaged(&o, bytes)) {
    fprintf(stderr, "no GPU here, or not enough memory on it\n");
    return 3;
  }
  for (size_t i = 0; i < size; i++) {
    q[i] = rand() * 2.0f / RAND_MAX - 1;
    k[i] = rand() * 2.0f / RAND_MAX - 1;
    v[i] = rand() * 2.0f / RAND_MAX - 1;
  }

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float ms = 0;
  for (int i = 0; i < 2; i++) {  // the first launch brings the data there
//> launch
    cudaEventRecord(start);
    attention<<<(rows + 127) / 128, 128>>>(q, k, v, o, rows);
    cudaEventRecord(stop);
//< launch
    if (cudaDeviceSynchronize()) {
      fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
      return 1;
    }
    cudaEventElapsedTime(&ms, start, stop);
  }

  double worst = 0;
  for (int row = 0; row < rows; row += (rows + 15) / 16) {
    const double error = error_of(row, q, k, v, o, rows);
    if (!(error <= worst)) worst = error;
  }
  const bool right = worst < 1e-4;
  printf("%d rows: largest error %.1e, %s\n", rows, worst,
         right ? "right" : "WRONG");

  cudaDeviceProp gpu;
  cudaGetDeviceProperties(&gpu, 0);
  printf("one launch on %s in %.3f ms\n", gpu.name, ms);
  return right ? 0 : 1;
}
