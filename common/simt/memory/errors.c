#include "common/simt/memory/memory.h"

#include <cuda_runtime_api.h>

static cudaError_t last_error, lost;

void error_set(cudaError_t error) { last_error = error; }
void error_set_sticky(cudaError_t error) { last_error = lost = error; }
cudaError_t error_sticky(void) { return lost; }

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = lost;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

cudaError_t cudaDeviceReset(void) {
  last_error = lost = cudaSuccess;
  return cudaSuccess;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice",
     "invalid device ordinal"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
     "invalid device function"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress",
     "misaligned address"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
     "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure",
     "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};
enum { ERROR_COUNT = sizeof errors / sizeof *errors };

const char *cudaGetErrorName(cudaError_t error) {
  for (int i = 0; i < ERROR_COUNT; i++)
    if (errors[i].error == error) return errors[i].name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  for (int i = 0; i < ERROR_COUNT; i++)
    if (errors[i].error == error) return errors[i].text;
  return "unrecognized error code";
}
