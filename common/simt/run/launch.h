#ifndef LAUNCH_H
#define LAUNCH_H

#include "common/simt/run/block.h"

enum { MAX_WORKERS = 256 };

/* One entry an OS thread, kept from launch to launch. */
extern block *launch_workers[MAX_WORKERS];
extern uint32_t launch_worker_count;

/* Runs the blocks of an allowed launch over the OS threads, with a table of
 * mechanisms that ends in null. Returns what ended it early, or cudaSuccess.
 * One launch at a time. */
cudaError_t launch_run(const simt_kernel_launch *l,
                       mechanism *const *mechanisms, unsigned checks);

#endif
