#ifndef RESULTS_H
#define RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/harness/program/reason.h"

enum { RESULTS_SCHEMA = 1 };

/* Writes `result` as DIR/NAME.json. Writes aside, then renames, so that an
 * existing file stays whole whatever happens. Makes the folder if need be.
 * On failure returns false with one sentence. */
bool results_write(const json_t *result, const char *dir, const char *name,
                   reason *why);

/* Makes a folder, and those above it. False, with errno, where it cannot. */
bool results_folder(const char *dir);

/* Can DIR/NAME.json be written? To be asked before the work. Leaves nothing
 * behind. If not, false with one sentence. */
bool results_ready(const char *dir, const char *name, reason *why);

/* Reads a result file. Returns NULL with one sentence if it is missing, not
 * JSON (with line and column), of another schema version, or has a figure that
 * cannot be (figures.h). The caller owns the returned value (json_decref). */
json_t *results_read(const char *path, reason *why);

/* The number at a path of keys, "perf/mission/event/p50_us"; NAN if absent. */
double results_number(const json_t *result, const char *path);

/* The text at a path of keys; "" if absent. */
const char *results_text(const json_t *result, const char *path);

#endif
