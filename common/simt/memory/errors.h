#ifndef ERRORS_H
#define ERRORS_H

#include <driver_types.h>

/* CUDA's latest error. One that has ended a kernel stays, as on a GPU: the
 * device is lost until cudaDeviceReset. Others are told of once. */
void error_set(cudaError_t error);
void error_set_sticky(cudaError_t error);
cudaError_t error_sticky(void); /* cudaSuccess, or what the device is lost to */

#endif
