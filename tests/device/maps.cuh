#ifndef MAPS_CUH
#define MAPS_CUH

/* The manual's maps of mma.m16n8k16 on halves and m16n8k32 on E4M3: the element
 * in place i of register r, `pack` places a register, of A and B; and that of
 * result i. The book draws them, and tests/arithmetic multiplies by them. */

struct element {
  int row, column;
};

__host__ __device__ inline element held_of_a(int lane, int r, int i, int pack) {
  return {lane / 4 + r % 2 * 8, pack * (lane % 4) + i + r / 2 * 4 * pack};
}

__host__ __device__ inline element held_of_b(int lane, int r, int i, int pack) {
  return {pack * (lane % 4) + i + r * 4 * pack, lane / 4};
}

__host__ __device__ inline element held_of_d(int lane, int i) {
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

#endif
