#ifndef LAUNCHED_H
#define LAUNCHED_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* How a grade runs the reader's launch function, `launch`: while the host
 * cannot reach device memory, and as if it were the first of a process, or, at
 * some inputs, not the first. Before, as if CUDA refused one launch or call
 * after the other, with one error after the other, others at the next input.
 * `others`, or null, says what else is wrong of it, or null, while all are
 * refused. A fault is printed, and an error returned; `size` bytes of `args`
 * must stay what they are. */
cudaError_t launched(cudaError_t (*launch)(const void *args, cudaStream_t),
                     const void *args, size_t size,
                     const char *(*others)(const void *args, cudaStream_t));

/* Grows with each kernel that is launched, or would be if CUDA let it, and each
 * cudaMemsetAsync. */
int launched_so_far(void);

/* For `others`: is `said` the answer to a problem that is to be taken, or not?
 * What is taken is launched, and CUDA's error comes back; what is not is
 * cudaErrorInvalidValue, with nothing launched. `before`: launched_so_far()
 * before the function was asked. */
bool launched_right(bool taken, int before, cudaError_t said);

/* A line for each kernel: its address, the threads of its largest block, its
 * most bytes of dynamic shared memory, and what the limit of them is set to, or
 * 0. */
void launched_print(void);

#endif
