#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/harness/program/reason.h"

/* The machine that runs the kernels: a GPU, or the CPU executor. The two
 * implementations live in gpu/ and cpu/; a program is linked with one. */
typedef struct {
  bool is_gpu;
  char name[128];      /* "NVIDIA H200" */
  char folder[64];     /* "nvidia-h200": its folder under results/ */
  int capability;      /* 90 means 9.0; 0 on the executor */
  int multiprocessors; /* 0 on the executor */
  int driver, runtime; /* CUDA versions, 13000 means 13.0 */
  size_t free_bytes, total_bytes;
} device_info;

/* Finds the device. On failure returns false and puts one sentence, which says
 * what is missing, into `why`. */
bool device_open(device_info *info, reason *why);

/* Tells the executor's device how many multiprocessors it has, 1 or more; a GPU
 * has its own, and nothing happens. */
void device_set_multiprocessors(int count);

/* Has a kernel's launch asked the executor for that number since? */
bool device_multiprocessors_asked(void);

/* Did a kernel fail so that nothing more can run in this process? */
bool device_is_lost(void);
void device_explain(void); /* on the executor, prints the line */

/* Names what the host does now: an NVTX range for a profiler's time line, and
 * a line on stderr where that is a terminal and the work takes over a second.
 * `total` is the number of steps, 0 where it is not known. Phases nest. */
void phase_begin(const char *name, long total);
void phase_step(void);
void phase_end(void);

#endif
