#ifndef FP8ATTENTION_DEVICE_H
#define FP8ATTENTION_DEVICE_H

#include <cuda_runtime_api.h>

typedef struct {
  int now, before;
} device_scope;

/* Makes the device current on which this memory is. A code of fp8attention.h:
 * can the kernels run there? If so, device_leave must follow. */
int device_enter(device_scope *scope, const void *memory);

/* The device is as it was before. Gives the error back as a code, and the
 * error is not left behind for later calls. */
int device_leave(const device_scope *scope, cudaError_t error);

#endif
