#ifndef FIGURES_H
#define FIGURES_H

#include <jansson.h>
#include <stdbool.h>

#include "common/harness/program/reason.h"

/* A figure's key names its unit: what ends in _us, _ns, _mhz, _w or _bytes, or
 * is "us" or "ns", is a number that is not below zero, an array of such, or
 * null; what ends in p50_us is above zero. book/lib/data/figures.lua and
 * tools/results/recorded.py say the same of what they read. */

/* Looks at all of a result. False with one sentence that names the file and
 * the key of the first value that can be no such figure. */
bool figures_check(const json_t *result, const char *file, reason *why);

#endif
