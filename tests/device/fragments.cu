// Which element of its 16 x 16 matrix does a lane hold in each register of a
// WMMA accumulator? Every element is loaded, named by its value, and compared
// with the map that the kernels use. Prints that map and those of the products,
// a line for each element: MAP ROW COLUMN LANE REGISTER.

#include <mma.h>

#include <cstdio>

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

static void print(const char *map, element at, int lane, char name, int i) {
  printf("%s %d %d %d %c%d\n", map, at.row, at.column, lane, name, i);
}

int main() {
  static int found[32][8];
  int(*device)[8];
  if (cudaMalloc(reinterpret_cast<void **>(&device), sizeof found))
    return EXIT_IMPOSSIBLE;
  cudaMemset(device, 0xff, sizeof found);
  LAUNCH(hold, 1, 32, 0, 0, device);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  if (cudaGetLastError()) return EXIT_FAILED;
  int wrong = 0;
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 8; i++) {
      const int place = found[lane][i];
      wrong += place !=
               16 * accumulator_row(lane, i) + accumulator_column(lane, i);
      print("accumulator", {place / 16, place % 16}, lane, 'x', i);
    }
    for (int i = 0; i < 2; i++) {
      for (int r = 0; r < 4; r++)
        print("mma_a", held_of_a(lane, r, i, 2), lane, 'a', r);
      for (int r = 0; r < 2; r++)
        print("mma_b", held_of_b(lane, r, i, 2), lane, 'b', r);
    }
    for (int i = 0; i < 4; i++) print("mma_d", held_of_d(lane, i), lane, 'd', i);
  }
  if (wrong)
    fprintf(stderr, "%d elements are held elsewhere than the map says\n", wrong);
  return wrong ? EXIT_FAILED : EXIT_PASS;
}
