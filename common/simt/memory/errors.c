#include "common/simt/memory/memory.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "common/simt/run/finding.h"

static cudaError_t last_error, lost;

enum { MAX_UNASKED = 32 };
static struct {
  char sentence[192];
  uint32_t pc;
  simt_finding_kind kind;
} unasked[MAX_UNASKED];
static uint32_t unasked_count;


void error_set(cudaError_t error) { last_error = error; }
void error_set_sticky(cudaError_t error) { last_error = lost = error; }
cudaError_t error_sticky(void) { return lost; }

static void remember(simt_finding_kind kind, uint32_t pc) {
  if (unasked_count == MAX_UNASKED) return;
  unasked[unasked_count].kind = kind;
  unasked[unasked_count++].pc = pc;
}

void error_of_launch(cudaError_t error, const simt_kernel_launch *l,
                     uint32_t pc) {
  error_set(error);
  if (unasked_count < MAX_UNASKED)
    snprintf(unasked[unasked_count].sentence, sizeof unasked->sentence,
             "%.40s did not run: %s, for %llu blocks of %llu threads and %zu "
             "bytes; nobody has asked cudaGetLastError()",
             l->name, cudaGetErrorString(error),
             (unsigned long long)l->grid.x * l->grid.y * l->grid.z,
             (unsigned long long)l->block.x * l->block.y * l->block.z,
             l->dynamic_shared);
  remember(SIMT_NOT_LAUNCHED, pc);
}

cudaError_t error_of_call(cudaError_t error, const char *name, uint32_t pc) {
  if (!error || error == lost) return error;
  error_set(error);
  if (unasked_count < MAX_UNASKED)
    snprintf(unasked[unasked_count].sentence, sizeof unasked->sentence,
             "%s() has returned \"%s\": did the program look?", name,
             cudaGetErrorString(error));
  remember(SIMT_FAILED_CALL, pc);
  return error;
}

void errors_report(void) {
  for (uint32_t i = 0; i < unasked_count; i++)
    finding_of_host(unasked[i].kind, unasked[i].pc, "%s", unasked[i].sentence);
  unasked_count = 0;
}

cudaError_t cudaGetLastError(void) {
  unasked_count = 0;
  const cudaError_t error = last_error;
  last_error = lost;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  unasked_count = 0;
  return last_error;
}

cudaError_t cudaDeviceReset(void) {
  last_error = lost = cudaSuccess;
  unasked_count = 0;
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
