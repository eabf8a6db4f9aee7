// Which element of its 16 x 16 matrix does a lane hold in each register of a
// WMMA fragment? Every element of every fragment is loaded, named by its value
// and compared with the map that the kernels use. Prints TAP; with --json FILE
// it writes the maps that the book draws instead.

#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <cstring>

#include "common/harness/program/exit_codes.h"
#include "common/device/ptx/accumulator.cuh"
#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "tests/device/maps.cuh"

namespace wmma = nvcuda::wmma;

constexpr int LD = 24; // halves, or floats, from row to row
enum { LEFT, RIGHT, RIGHT_TRANSPOSED, SUMS, FROM_LDMATRIX, COLUMN, KINDS };

using left = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using right = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using right_transposed =
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// found[kind][lane][register]: 16 * line + place in memory, -1: none.
__global__ void hold(int (*found)[32][16]) {
  __shared__ __align__(32) __half halves[16 * LD];
  __shared__ __align__(32) float floats[16 * LD];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) {
    halves[i / 16 * LD + i % 16] = __float2half(static_cast<float>(i));
    floats[i / 16 * LD + i % 16] = static_cast<float>(i);
  }
  __syncwarp();
  left a;
  wmma::load_matrix_sync(a, halves, LD);
  right b;
  wmma::load_matrix_sync(b, halves, LD);
  right_transposed bt;
  wmma::load_matrix_sync(bt, halves, LD);
  for (int i = 0; i < 16; i++) {
    found[LEFT][lane][i] = static_cast<int>(__half2float(a.x[i]));
    found[RIGHT][lane][i] = static_cast<int>(__half2float(b.x[i]));
    found[RIGHT_TRANSPOSED][lane][i] = static_cast<int>(__half2float(bt.x[i]));
  }
  sums c, column;
  wmma::load_matrix_sync(c, floats, LD, wmma::mem_row_major);
  wmma::load_matrix_sync(column, floats, 0, wmma::mem_col_major);
  for (int i = 0; i < 8; i++) {
    found[SUMS][lane][i] = static_cast<int>(c.x[i]);
    found[COLUMN][lane][i] = static_cast<int>(column.x[i]);
  }
  unsigned plain[4], transposed[4];
  ldmatrix_x4(plain, &halves[lane % 16 * LD + lane / 16 * 8]);
  ldmatrix_x4_trans(transposed, &halves[lane % 16 * LD + lane / 16 * 8]);
  for (int i = 0; i < 4; i++) {
    const __half2 two = *reinterpret_cast<__half2 *>(&plain[i]);
    const __half2 other = *reinterpret_cast<__half2 *>(&transposed[i]);
    int *at = &found[FROM_LDMATRIX][lane][2 * i];
    at[0] = static_cast<int>(__low2float(two));
    at[1] = static_cast<int>(__high2float(two));
    at[8] = static_cast<int>(__low2float(other));
    at[9] = static_cast<int>(__high2float(other));
  }
}

// What the maps say. Registers 8 to 15 of a and b repeat the first eight.
static int expected(int kind, int lane, int i) {
  const int pair = lane % 4 * 2 + i % 2, line = lane / 4;
  const int at2 = i / 2 % 2 * 8, at4 = i / 4 % 2 * 8;
  switch (kind) {
  case LEFT: return 16 * (line + at2) + pair + at4;
  case RIGHT: return 16 * (pair + at2) + line + at4;
  case RIGHT_TRANSPOSED: return 16 * (line + at4) + pair + at2;
  case SUMS:
    return i < 8 ? 16 * accumulator_row(lane, i) + accumulator_column(lane, i)
                 : -1;
  case FROM_LDMATRIX:
    return i < 8 ? expected(LEFT, lane, i) : expected(RIGHT, lane, i);
  case COLUMN: return i < 8 ? accumulator_row(lane, i) : -1;
  }
  return -1;
}

// Who holds what of a matrix: a string for each element, "LANE NAME", in rows.
class holders {
public:
  holders(int rows, int columns) : rows(rows), columns(columns) {}
  void set(element at, int lane, const char *name, int number) {
    snprintf(text[at.row * columns + at.column], sizeof text[0], "%d %s%d",
             lane, name, number);
  }
  void print(FILE *file, const char *name, const char *behind) const {
    fprintf(file, "  \"%s\": [", name);
    for (int row = 0; row < rows; row++) {
      fprintf(file, "%s\n   [", row ? "," : "");
      for (int column = 0; column < columns; column++)
        fprintf(file, "%s\"%s\"", column ? ", " : "",
                text[row * columns + column]);
      fprintf(file, "]");
    }
    fprintf(file, "\n  ]%s\n", behind);
  }

private:
  int rows, columns;
  char text[256][16] = {};
};

// The accumulator as it was found, and the maps that the products use.
static int write_maps(const char *path, const int (&found)[KINDS][32][16]) {
  holders sums(16, 16), a(16, 16), b(16, 8), d(16, 8);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 8; i++) {
      const int place = found[SUMS][lane][i];
      if (place < 0 || place > 255) return 1;
      sums.set({place / 16, place % 16}, lane, "x", i);
    }
    for (int i = 0; i < 2; i++) {
      for (int r = 0; r < 4; r++) a.set(held_of_a(lane, r, i, 2), lane, "a", r);
      for (int r = 0; r < 2; r++) b.set(held_of_b(lane, r, i, 2), lane, "b", r);
    }
    for (int i = 0; i < 4; i++) d.set(held_of_d(lane, i), lane, "d", i);
  }
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "{\n \"maps\": {\n");
    sums.print(file, "accumulator", ",");
    a.print(file, "mma_a", ",");
    b.print(file, "mma_b", ",");
    d.print(file, "mma_d", "");
    fprintf(file, " }\n}\n");
    if (fclose(file) == 0) return 0;
  }
  fprintf(stderr, "fragments: %s could not be written.\n", path);
  return EXIT_IMPOSSIBLE;
}

int main(int argc, char **argv) {
  if (argc != 1 && (argc != 3 || strcmp(argv[1], "--json") != 0)) {
    fprintf(stderr, "Usage: fragments [--json FILE]\n");
    return EXIT_USAGE;
  }
  static const char *const names[KINDS] = {
      "a left operand", "a right operand", "a transposed right operand",
      "an accumulator", "ldmatrix, plain and transposed",
      "a column loaded with a distance of 0"};
  static int found[KINDS][32][16];
  int(*device)[32][16];
  if (cudaMalloc(reinterpret_cast<void **>(&device), sizeof found))
    return EXIT_IMPOSSIBLE;
  cudaMemset(device, 0xff, sizeof found);
  LAUNCH(hold, 1, 32, 0, 0, device);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error) printf("# %s\n", cudaGetErrorString(error));
  int failures = error != cudaSuccess;
  if (argc == 3) return failures ? 1 : write_maps(argv[2], found);
  for (int kind = 0; kind < KINDS; kind++) {
    int wrong = 0;
    for (int lane = 0; lane < 32; lane++)
      for (int i = 0; i < 16; i++)
        wrong += found[kind][lane][i] != expected(kind, lane, i);
    printf("%sok %d - %s: every element of every lane\n", wrong ? "not " : "",
           kind + 1, names[kind]);
    failures += wrong > 0;
  }
  printf("1..%d\n", KINDS);
  return failures ? EXIT_FAILED : EXIT_PASS;
}
