#ifndef FP8ATTENTION_DEVICE_H
#define FP8ATTENTION_DEVICE_H

#include <cuda_runtime_api.h>

/* A code of fp8attention.h: is the current device one that the kernels take? */
int device_check(void);

/* Gives the error back. It is not left behind for later calls. */
cudaError_t device_take(cudaError_t error);

#endif
