/* Matrix fragments. Lane and element of a fragment belong to these places of
 * its 16x16 matrix, on sm_80 and later. */

#include "common/simt/run/flaws.h"
#include "common/simt/tensor/warpgroup.h"

#include <string.h>

static inline unsigned low_index(unsigned lane, unsigned i, unsigned bit) {
  return lane / 4 + (i & bit ? 8 : 0);
}
static inline unsigned pair_index(unsigned lane, unsigned i, unsigned bit) {
  return lane % 4 * 2 + (i & 1) + (i & bit ? 8 : 0);
}

/* Two powers of two put the exponent right; only infinity and NaN then still
 * have the wrong one. */
static inline float half_to_float(uint16_t half) {
  uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  value *= 0x1p112f;
  memcpy(&bits, &value, sizeof bits);
  if ((half & 0x7c00) == 0x7c00) bits |= 0x7f800000;
  bits |= (uint32_t)(half & 0x8000) << 16;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void matrix_multiply(thread *lanes) {
  float a[16][16], b[16][16], d[16][16];
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const request *r = &lanes[l].request;
    for (unsigned i = 0; i < 8; i++) {
      const unsigned row = low_index(l, i, 2), column = pair_index(l, i, 4);
      a[row][column] = half_to_float(r->a[i]);
      d[row][column] = r->c[i];
      b[pair_index(l, i, 2)][low_index(l, i, 4)] = half_to_float(r->b[i]);
    }
  }
  for (unsigned row = 0; row < 16; row++)
    for (unsigned k = 0; k < 16; k++)
      for (unsigned column = 0; column < 16; column++)
        d[row][column] += a[row][k] * b[k][column];
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 8; i++)
      lanes[l].request.d[i] = d[low_index(l, i, 2)][pair_index(l, i, 4)];
}

void matrix_hand_out(thread *lanes) {
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const request *r = &lanes[l].request;
    for (unsigned i = 0; i < 4; i++) {
      uint16_t pair[2];
      for (unsigned k = 0; k < 2; k++) {
        const unsigned line = r->transposed ? l % 4 * 2 + k : l / 4;
        const unsigned place = r->transposed ? l / 4 : l % 4 * 2 + k;
        pair[k] = lanes[8 * i + line].request.line[place];
      }
      memcpy(&r->registers[i], pair, sizeof pair);
    }
  }
}

void matrix_take_in(thread *lanes) {
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++) {
      uint16_t *line = (uint16_t *)lanes[8 * i + l / 4].request.line;
      memcpy(&line[l % 4 * 2], &lanes[l].request.from_registers[i], 4);
    }
}

/* Element i, of 4 / size a register. */
static float element(const unsigned *registers, unsigned i, bool e4m3) {
  uint16_t half;
  if (e4m3) return multiply_e4m3[((const uint8_t *)registers)[i]];
  memcpy(&half, (const char *)registers + 2 * i, sizeof half);
  return half_to_float(half);
}

/* PTX, "mma.m16n8k16" and "mma.m16n8k32": a register holds neighbours in k, the
 * second register of A is 8 rows down, the next two are half of k further. */
void matrix_mma(thread *lanes, bool e4m3) {
  const unsigned pack = e4m3 ? 4 : 2, depth = 8 * pack;
  float a[16][32], b[32][8];
  for (unsigned l = 0; l < WARP_SIZE; l++) {
    const request *r = &lanes[l].request;
    for (unsigned i = 0; i < 4 * pack; i++) {
      const unsigned place = i / pack, k = l % 4 * pack + i % pack;
      a[l / 4 + place % 2 * 8][k + place / 2 * depth / 2] =
          element(r->a_registers, i, e4m3);
      if (i < 2 * pack)
        b[k + place * depth / 2][l / 4] = element(r->b_registers, i, e4m3);
    }
  }
  for (unsigned l = 0; l < WARP_SIZE; l++)
    for (unsigned i = 0; i < 4; i++) {
      float *d = &lanes[l].request.d[i];
      const unsigned row = l / 4 + i / 2 * 8, column = l % 4 * 2 + i % 2;
      for (unsigned k = 0; k < depth; k++) *d += a[row][k] * b[k][column];
    }
}

void simt_load_matrix(uint16_t *fragment, const void *source, unsigned stride,
                      simt_operand operand, simt_order lines) {
  block *b = simt_here;
  const uint32_t pc = CALLER;
  const unsigned lane = b->running->lane;
  const uint16_t *from = source;
  /* ldmatrix.x4: lane l names line l % 8 of 8x8 matrix l / 8. */
  const unsigned line = lane % 16, place = lane / 16 * 8;
  if (in_shared(b, source))
    trace_access(b, from + line * stride + place, 16, ACCESS_LDMATRIX, pc);
  for (unsigned i = 0; i < 8; i++) {
    unsigned row = low_index(lane, i, 2), column = pair_index(lane, i, 4);
    if (operand == SIMT_MATRIX_B) {
      row = pair_index(lane, i, 2);
      column = low_index(lane, i, 4);
    }
    const unsigned along = lines == SIMT_LINES_ARE_ROWS ? column : row;
    const unsigned across = lines == SIMT_LINES_ARE_ROWS ? row : column;
    const uint16_t *element = from + across * stride + along;
    if (!in_shared(b, source)) trace_access(b, element, 2, ACCESS_READ, pc);
    fragment[i] = *element;
  }
}

void simt_check_matrix_address(const void *address, unsigned stride_bytes) {
  block *b = simt_here;
  if ((uintptr_t)address % 32 == 0 && stride_bytes % 16 == 0) return;
  flaw_report(b, SIMT_USAGE, CALLER, 0, b->running->id, b->running->id,
              "WMMA takes addresses that are multiples of 32 bytes and rows "
              "that are multiples of 16 bytes long");
}
