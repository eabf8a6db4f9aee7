// Where stage 2 puts the eight pieces of eight rows of K: its own code stores
// numbered codes, and every 16 bytes of the tile are read back in the order of
// memory. Prints ROW.PIECE for each, or - where no piece lies whole.

#include "common/harness/program.h"
#include "stage2_wmma_pv/kernel.cu"

constexpr int ROWS = 8, PIECES = HEAD_DIM / 8, ALL = ROWS * PIECES;
constexpr int PLACES = ROWS * LD_KV / 8;

// found[place]: the number of the piece there, -1: none that is whole.
__global__ void store_and_look(int *found) {
  __shared__ __align__(16) __half tile[TILE_N][LD_KV];
  const int lane = threadIdx.x;
  auto *flat = &tile[0][0];
  for (int i = lane; i < ROWS * LD_KV; i += 32) flat[i] = __float2half(-1.0f);
  __syncwarp();
  const int row = lane / 4, column = lane % 4 * 16;
  const unsigned first = row * PIECES + column / 8, second = first + 1;
  widen(tile, row, column,
        make_uint4(first * 0x01010101, first * 0x01010101, second * 0x01010101,
                   second * 0x01010101));
  __syncwarp();
  for (int place = lane; place < PLACES; place += 32) {
    const __half *here = flat + place * 8;
    int piece = -1;
    for (int number = 0; number < ALL; number++) {
      __nv_fp8_e4m3 code;
      code.__x = static_cast<__nv_fp8_storage_t>(number);
      int equal = 0;
      for (int i = 0; i < 8; i++)
        equal += __half2float(here[i]) == static_cast<float>(code);
      if (equal == 8) piece = number;
    }
    found[place] = piece;
  }
}

int main() {
  static int found[PLACES];
  int *device;
  if (cudaMalloc(reinterpret_cast<void **>(&device), sizeof found))
    return EXIT_IMPOSSIBLE;
  LAUNCH(store_and_look, 1, 32, 0, 0, device);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  if (cudaGetLastError())
    return EXIT_IMPOSSIBLE;
  for (const int piece : found)
    if (piece >= 0)
      printf("%d.%d\n", piece / PIECES, piece % PIECES);
    else
      printf("-\n");
  return 0;
}
