#ifndef FLOOR_PARTS_H
#define FLOOR_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/harness/device/device.h"
#include "common/harness/program/reason.h"

/* The parts of floor_measure(); each adds to `floor` or says why it cannot. */

/* launch: the empty kernel in a graph, back to back, between two events, and
 * one that fills the GPU, in microseconds. */
bool floor_measure_launches(json_t *floor, reason *why);

/* rates: dram_read, dram_copy, l2_read; waits: l2_hit, dram_near, dram_far. */
bool floor_measure_memory(json_t *floor, const device_info *device,
                          json_t *left_out, reason *why);

#endif
