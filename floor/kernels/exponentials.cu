#include <cuda_fp16.h>

#include "common/device/ptx/exp2.cuh"
#include "common/device/interface/launch.cuh"
#include "floor/kernels.h"
#include "floor/kernels/stopwatch.cuh"

//> halves-exponential
// 2^x of two halves at once. PTX ISA, "ex2".
__device__ inline unsigned exp2_halves(unsigned x) {
#ifdef SIMT
  auto &pair = *reinterpret_cast<__half2 *>(&x);
  pair = __floats2half2_rn(exp2f(__low2float(pair)), exp2f(__high2float(pair)));
  return x;
#else
  unsigned result;
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(result) : "r"(x));
  return result;
#endif
}
//< halves-exponential

//> polynomial
// 2^x in the FMA units: 2^n by adding to the exponent, 2^f by a polynomial.
__device__ float exp2_polynomial(float x) {
  x = fmaxf(x, -120.0f);
  const float shifted = x + 12582912.0f;  // 1.5 * 2^23: n in the low bits
  const float f = x - (shifted - 12582912.0f);
  float y = fmaf(f, 0.0551713f, 0.2401522f);
  y = fmaf(y, f, 0.6931530f);
  y = fmaf(y, f, 1.0f);
  return __int_as_float(__float_as_int(y) + (__float_as_int(shifted) << 23));
}
//< polynomial

//> exponentials
// x becomes 2^-x, over and over: it stays near 0.64, and each step needs the
// one before it, so none can be left out or taken out of the loop.
struct by_unit {
  using number = float;
  __device__ static float step(float x) { return exp2_approx(-x); }
};
struct by_unit_halves {
  using number = unsigned;
  __device__ static unsigned step(unsigned x) {
    return exp2_halves(x ^ 0x80008000);
  }
};
struct by_polynomial {
  using number = float;
  __device__ static float step(float x) { return exp2_polynomial(-x); }
};

template <typename HOW>
__global__ void __launch_bounds__(256)
    exponentials_kernel(const typename HOW::number *in, int rounds,
                        typename HOW::number *out, floor_span *span) {
  const int64_t first =
      static_cast<int64_t>(blockIdx.x * blockDim.x + threadIdx.x) * CHAINS;
  typename HOW::number x[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; i++) x[i] = in[first + i];
  const stopwatch start = stopwatch_start();
  //> exponential-loop
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < CHAINS; i++) x[i] = HOW::step(x[i]);
  //< exponential-loop
#pragma unroll
  for (int i = 0; i < CHAINS; i++) out[first + i] = x[i];
  stopwatch_stop(start, span);
}
//< exponentials

template <typename HOW>
static cudaError_t launch(const floor_call *call, cudaStream_t stream) {
  using number = typename HOW::number;
  LAUNCH(exponentials_kernel<HOW>, call->blocks, call->threads, 0, stream,
         static_cast<const number *>(call->in), call->rounds,
         static_cast<number *>(call->out), call->span);
  return cudaGetLastError();
}

extern "C" cudaError_t floor_exp2(const floor_call *call, cudaStream_t stream) {
  return launch<by_unit>(call, stream);
}

extern "C" cudaError_t floor_exp2_halves(const floor_call *call,
                                         cudaStream_t stream) {
  return launch<by_unit_halves>(call, stream);
}

extern "C" cudaError_t floor_exp2_polynomial(const floor_call *call,
                                             cudaStream_t stream) {
  return launch<by_polynomial>(call, stream);
}
