#ifndef WATCH_H
#define WATCH_H

/* Ends a block whose threads run on and on: a loop that never ends calls
 * nothing of the executor where the kernel is not instrumented. */

#include <stdbool.h>
#include <time.h>

typedef struct {
  bool runs;
  timer_t timer;
} watch;

/* Watches the calling OS thread until watch_end. Without a timer to be had, it
 * goes unwatched. */
watch watch_begin(void);
void watch_end(watch w);

#endif
