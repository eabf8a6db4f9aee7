#ifndef CLOCKS_H
#define CLOCKS_H

#include <jansson.h>

/* What NVML saw of the GPU while the timings were taken. GPU only. */
typedef struct {
  int count;                      /* samples; 0 where NVML cannot be read */
  int clock_min, clock_max;       /* MHz, of the multiprocessors */
  double clock_mean;              /* MHz */
  double power_mean, power_max;   /* W */
  unsigned long long throttle;    /* every reason seen, NVML's bits */
} clock_log;

/* Samples every 10 ms on a thread of its own, from begin to end. */
void clocks_begin(void);
void clocks_end(clock_log *log);

/* The reasons in words ("power cap, thermal"), or "none". */
const char *clocks_throttle_text(unsigned long long reasons, char *text,
                                 int size);

/* The log as results have it; null where there is no sample. The caller owns
 * the value. */
json_t *clocks_json(const clock_log *log);

#endif
