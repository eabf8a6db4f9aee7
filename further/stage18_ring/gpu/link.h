#ifndef RING_LINK_H
#define RING_LINK_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes `bytes` (a multiple of 16) from this card's memory to another's, with
 * so many blocks. */
cudaError_t link_copy(void *peer, const void *own, size_t bytes, int blocks,
                      cudaStream_t stream);

/* Two cards hand a number back and forth, `rounds` times: each writes to the
 * other's flag and waits for its own. Gives up after some seconds, and then
 * *own is below `rounds`. Flags begin as 0. */
cudaError_t link_ping(uint32_t *peer, uint32_t *own, uint32_t rounds, int first,
                      cudaStream_t stream);

#ifdef __cplusplus
}
#else

#include "further/stage18_ring/run.h"

/* Microseconds of what is put on this rank's stream between these two. */
void clock_begin(const ring_run *run);
double clock_end(const ring_run *run, const char *what);

/* The link between neighbours of the ring. All ranks call these together. */

enum { LINK_SIZES = 8 };

/* By NCCL's send and receive, on so many multiprocessors; 0: NCCL decides. */
typedef struct {
  double us[LINK_SIZES]; /* of one exchange, by the size of its message */
  json_t *json;          /* owned by the caller */
} link_figures;

link_figures measure_link(ring_run *run, exchange *x, int multiprocessors);

/* Of a message of any size, between those that were measured. */
double link_us(const link_figures *link, double bytes);

/* By kernels of our own, where all ranks are in one machine; else null. The
 * caller owns the value. */
json_t *measure_own_kernels(ring_run *run);

#endif

#endif
