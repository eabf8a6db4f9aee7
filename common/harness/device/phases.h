#ifndef PHASES_H
#define PHASES_H

/* Names what the host does now: an NVTX range for a profiler's time line, and
 * a line on stderr where that is a terminal and the work takes over a second.
 * `total` is the number of steps, 0 where it is not known. Phases nest. */
void phase_begin(const char *name, long total);
void phase_step(void);
void phase_end(void);

#endif
