#ifndef META_H
#define META_H

#include <jansson.h>

#include "common/harness/device/device.h"
#include "common/harness/object/object.h"

/* The build_meta section of a result: what was run, on what, built how.
 * `resources` is the compiler's report on this kernel, "registers=76 ...", or
 * NULL; `run` the same text for all objects of a process. New reference. */
json_t *meta_json(const stage_object *object, const device_info *device,
                  const char *commit, const char *resources,
                  const char *run);

/* A text that no other run has: time and process. */
void meta_run_name(char *text, size_t size);

/* The file name of a result, without .json: "stage1_cp_async" or, for another
 * arm, "stage1_cp_async.USE_CP_ASYNC-0". */
void meta_file_name(const stage_object *object, char *text, size_t size);

#endif
