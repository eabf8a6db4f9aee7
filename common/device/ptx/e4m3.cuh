#ifndef E4M3_CUH
#define E4M3_CUH

#include <cuda_fp16.h>
#include <cuda_fp8.h>

//> widen
/* Two E4M3 codes become two halves: those in the low half of a register, or in
 * the high half. From compute capability 8.9 on that is one instruction, and it
 * takes either half without a shift. PTX ISA, "cvt". */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
__device__ inline unsigned widen_low(unsigned codes) {
  unsigned halves;
  asm("{ .reg .b16 low, high;\n  mov.b32 {low, high}, %1;\n"
      "  cvt.rn.f16x2.e4m3x2 %0, low; }"
      : "=r"(halves)
      : "r"(codes));
  return halves;
}

__device__ inline unsigned widen_high(unsigned codes) {
  unsigned halves;
  asm("{ .reg .b16 low, high;\n  mov.b32 {low, high}, %1;\n"
      "  cvt.rn.f16x2.e4m3x2 %0, high; }"
      : "=r"(halves)
      : "r"(codes));
  return halves;
}
#else
__device__ inline unsigned widen_low(unsigned codes) {
  const __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(
      static_cast<__nv_fp8x2_storage_t>(codes), __NV_E4M3);
  return static_cast<unsigned>(halves.y) << 16 | halves.x;
}

__device__ inline unsigned widen_high(unsigned codes) {
  return widen_low(codes >> 16);
}
#endif
//< widen

#endif
