#pragma once

#include "common/harness/launch.h"

/* An arm of a stage is the toggles that differ from its defaults, in the order
 * in which its kernel declares them, spelled "default" or
 * "USE_CP_ASYNC-0.LOAD_BYTES-1"; and as a reader types it: "" or
 * "USE_CP_ASYNC=0 LOAD_BYTES=1". What is no C asks tools/toggles/toggles.py. */
enum { ARM_TEXT = 512 };
void arm_settings(const char *arm, char *text, size_t size);

enum { RESULTS_SCHEMA = 1 };

/* Writes `result` as DIR/NAME.json. Writes aside, then renames, so that an
 * existing file stays whole whatever happens. Makes the folder if need be. */
bool results_write(const json_t *result, const char *dir, const char *name,
                   reason *why);

/* Can DIR/NAME.json be written? To be asked before the work. */
bool results_ready(const char *dir, const char *name, reason *why);

/* The build_meta section of a result: what was run, on what, built how.
 * `resources` is the compiler's report on this kernel, "registers=76 ...", or
 * NULL; `run` the same text for all objects of a process. */
json_t *meta_json(const stage_object *object, const device_info *device,
                  const char *commit, const char *resources, const char *run);

json_t *meta_device(const device_info *device);
json_t *meta_date(void);

/* A text that no other run has: time and process. */
void meta_run_name(char *text, size_t size);
