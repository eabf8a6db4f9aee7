#ifndef LDMATRIX_CUH
#define LDMATRIX_CUH

/* Four 8x8 matrices of halves from shared memory. Lane l gives the address of
 * line l % 8 of matrix l / 8, 16 bytes, aligned to 16. Register i of lane l then
 * holds elements 2 * (l % 4) and the next of line l / 4 of matrix i; `_trans`
 * hands out the transposed matrices. PTX ISA, "ldmatrix". */

__device__ inline void ldmatrix_x4(unsigned (&registers)[4], const void *line) {
#ifdef SIMT
  simt_ldmatrix(registers, line, false);
#else
  const unsigned address = __cvta_generic_to_shared(line);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]),
                 "=r"(registers[3])
               : "r"(address)
               : "memory");
#endif
}

//> ldmatrix-trans
__device__ inline void ldmatrix_x4_trans(unsigned (&registers)[4],
                                         const void *line) {
#ifdef SIMT
  simt_ldmatrix(registers, line, true);
#else
  const unsigned address = __cvta_generic_to_shared(line);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]),
                 "=r"(registers[3])
               : "r"(address)
               : "memory");
#endif
}
//< ldmatrix-trans

#endif
