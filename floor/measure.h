#ifndef FLOOR_MEASURE_H
#define FLOOR_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"

/* Measures everything, a line of progress each on stderr, and puts it into
 * `floor`: device, rates, beside, waits, launch, left_out. Only after
 * floor_check_all(). On failure returns false with one sentence. */
bool floor_measure(json_t *floor, const device_info *device, reason *why);

#endif
