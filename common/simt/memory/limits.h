#ifndef LIMITS_H
#define LIMITS_H

#include "common/simt/include/simt_abi.h"

#include <driver_types.h>

enum { STATIC_SHARED_LIMIT = 48 * 1024, SHARED_LIMIT = 227 * 1024 }; /* bytes */

/* cudaSuccess, or what CUDA says to such a launch: a grid or block that is too
 * large, or more shared memory than the kernel may have. */
cudaError_t limits_judge(const simt_kernel_launch *l);

#endif
