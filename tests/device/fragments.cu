// Which element of its 16 x 16 matrix does a lane hold in each register of a
// WMMA accumulator? Every element is loaded, named by its value, and compared
// with the map that the kernels use. With --json FILE it writes the maps that
// the book draws instead.

#include <mma.h>

#include <cstdio>
#include <cstring>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/ptx/accumulator.cuh"
#include "common/harness/program.h"
#include "tests/device/maps.cuh"

namespace wmma = nvcuda::wmma;

// found[lane][register]: 16 * row + column.
__global__ void hold(int (*found)[8]) {
  __shared__ __align__(32) float floats[256];
  for (int i = threadIdx.x; i < 256; i += 32) floats[i] = i;
  __syncwarp();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(c, floats, 16, wmma::mem_row_major);
  for (int i = 0; i < 8; i++)
    found[threadIdx.x][i] = static_cast<int>(c.x[i]);
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
static int write_maps(const char *path, const int (&found)[32][8]) {
  holders sums(16, 16), a(16, 16), b(16, 8), d(16, 8);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 8; i++) {
      const int place = found[lane][i];
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
  static int found[32][8];
  int(*device)[8];
  if (cudaMalloc(reinterpret_cast<void **>(&device), sizeof found))
    return EXIT_IMPOSSIBLE;
  cudaMemset(device, 0xff, sizeof found);
  LAUNCH(hold, 1, 32, 0, 0, device);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  if (cudaGetLastError()) return EXIT_FAILED;
  if (argc == 3) return write_maps(argv[2], found);
  int wrong = 0;
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 8; i++)
      wrong += found[lane][i] !=
               16 * accumulator_row(lane, i) + accumulator_column(lane, i);
  printf("%d elements are held elsewhere than the map says\n", wrong);
  return wrong ? EXIT_FAILED : EXIT_PASS;
}
