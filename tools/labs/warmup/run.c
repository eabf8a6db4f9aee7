#include "tools/labs/warmup/matrix.h"

#include <string.h>

#include "common/simt/simt.h"
#include "labs/warmup/warmup.h"

cudaError_t warmup_start(const void *args, cudaStream_t stream) {
  return warmup_launch(args, stream);
}

bool warmup_run(const matrix_case *c,
                cudaError_t (*launch)(const void *args, cudaStream_t),
                const float *in, float *answers, reason *why) {
  float *matrix = NULL, *room[3] = {NULL};
  const size_t bytes = matrix_count(c) * sizeof *in;
  const size_t of_room[3] = {bytes, (size_t)c->rows * sizeof *in, bytes};
  uint32_t drawn; /* NaN, or a number that is none of the answers */
  memcpy(&drawn, in, sizeof drawn);
  const int poison = drawn >> 20 & 1 ? 0xFF : 0x7B;
  cudaError_t status = cudaMalloc((void **)&matrix, bytes);
  for (int i = 0; i < 3 && !status; i++) {
    status = cudaMalloc((void **)&room[i], of_room[i]);
    if (!status) status = cudaMemset(room[i], poison, of_room[i]);
  }
  if (!status) status = cudaMemcpy(matrix, in, bytes, cudaMemcpyHostToDevice);
  simt_input(matrix);
  const warmup_args args = {matrix,  room[0], room[1],
                            room[2], c->rows, c->columns};
  if (!status) status = launch(&args, 0);
  if (!status) status = cudaDeviceSynchronize();
  /* Into room that the answers take afterwards */
  if (!status) status = cudaMemcpy(answers, matrix, bytes,
                                   cudaMemcpyDeviceToHost);
  const bool kept = status || !memcmp(answers, in, bytes);
  char *to = (char *)answers;
  for (int i = 0; i < 3 && !status; to += of_room[i++])
    status = cudaMemcpy(to, room[i], of_room[i], cudaMemcpyDeviceToHost);
  cudaFree(matrix);
  for (int i = 0; i < 3; i++) cudaFree(room[i]);
  if (!kept) return refuse(why, "A kernel has changed its input.");
  if (!status) return true;
  refuse(why, "The kernel failed: %s.", cudaGetErrorString(status));
  cudaDeviceReset(); /* the next one shall have a device that works */
  return false;
}
