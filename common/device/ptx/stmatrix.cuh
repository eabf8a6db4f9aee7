#ifndef STMATRIX_CUH
#define STMATRIX_CUH

//> stmatrix
/* Four 8x8 matrices of halves into shared memory: ldmatrix_x4 backwards. Lane l
 * gives the address of line l % 8 of matrix l / 8, 16 bytes, aligned to 16.
 * PTX ISA, "stmatrix". */
__device__ inline void stmatrix_x4(void *line, const unsigned (&registers)[4]) {
#ifdef SIMT
  simt_stmatrix(line, registers);
#else
  const unsigned address = __cvta_generic_to_shared(line);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
               "{%1, %2, %3, %4};" ::"r"(address),
               "r"(registers[0]), "r"(registers[1]), "r"(registers[2]),
               "r"(registers[3])
               : "memory");
#endif
}
//< stmatrix

#endif
