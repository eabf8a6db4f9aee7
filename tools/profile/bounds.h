#ifndef PROFILE_BOUNDS_H
#define PROFILE_BOUNDS_H

#include <jansson.h>

/* What bounds a kernel at each shape of a recorded profile, and the roofline's
 * figures. The rules are the original plan's: tensor pipe >= 50 % and DRAM
 * < 50 % is compute-bound, DRAM > 70 % memory-bound. It had no word for the
 * rest, where most kernels are: shared-memory-bound where that pipe is busy
 * > 70 %, and latency-bound where nothing is. All are percent of what the whole
 * device could sustain over the whole launch. */

void bounds_print(const json_t *profile);

/* The roofline section, {shape: {...}}. New reference. */
json_t *bounds_json(const json_t *profile);

#endif
