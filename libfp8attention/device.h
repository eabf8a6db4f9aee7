#ifndef FP8ATTENTION_DEVICE_H
#define FP8ATTENTION_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Is the current device of compute capability 9.0? CUDA's error where it cannot
 * be asked, or where an earlier call has left one. */
cudaError_t device_is_hopper(bool *is);

/* Gives the error back. It is not left behind for later calls. */
cudaError_t device_take(cudaError_t error);

#endif
