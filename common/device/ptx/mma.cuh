#ifndef MMA_CUH
#define MMA_CUH

//> halves
/* D += A * B on tensor cores, 16 x 8 results, with all fragments in registers.
 * With g = lane / 4 and t = lane % 4, a lane holds of D: d[0], d[1] of row g
 * and d[2], d[3] of row g + 8, columns 2t and 2t + 1. PTX ISA, "mma.m16n8k16"
 * and "mma.m16n8k32". */

/* Halves, 16 deep. A: a[0] and a[1] are rows g and g + 8 at k = 2t, 2t + 1;
 * a[2] and a[3] the same at k + 8. B: b0 is column g at k = 2t, 2t + 1, b1 at
 * k + 8. */
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4],
                                    unsigned b0, unsigned b1) {
#ifdef SIMT
  const unsigned b[2] = {b0, b1};
  simt_mma(d, a, b, false);
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}
//< halves

//> codes
/* E4M3 codes, 32 deep: four neighbours in k a register, k = 4t to 4t + 3, and
 * k + 16. Compute capability 8.9 and later. */
__device__ inline void mma_m16n8k32(float (&d)[4], const unsigned (&a)[4],
                                    unsigned b0, unsigned b1) {
#ifdef SIMT
  const unsigned b[2] = {b0, b1};
  simt_mma(d, a, b, true);
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  __trap();
#endif
}
//< codes

#endif
