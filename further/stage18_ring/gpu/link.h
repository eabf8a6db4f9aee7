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
#endif

#endif
