#include "common/harness/record/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/harness/record/arm.h"

/* "A=1 B=16" -> {"A": 1, "B": 16} */
static json_t *pairs_json(const char *text) {
  json_t *pairs = json_object();
  char copy[512];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  for (char *pair = strtok_r(copy, " ", &rest); pair;
       pair = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(pair, '=');
    if (!value) continue;
    *value = '\0';
    json_object_set_new(pairs, pair, json_integer(atoll(value + 1)));
  }
  return pairs;
}

static json_t *version_json(int version) {
  return json_sprintf("%d.%d", version / 1000, version % 1000 / 10);
}

static json_t *device_json(const device_info *device) {
  json_t *json = json_pack("{s:s, s:b}", "name", device->name, "is_gpu",
                           device->is_gpu);
  if (!device->is_gpu) return json;
  json_object_set_new(json, "capability",
                      json_sprintf("%d.%d", device->capability / 10,
                                   device->capability % 10));
  json_object_set_new(json, "multiprocessors",
                      json_integer(device->multiprocessors));
  json_object_set_new(json, "memory_bytes",
                      json_integer((json_int_t)device->total_bytes));
  json_object_set_new(json, "driver", version_json(device->driver));
  json_object_set_new(json, "runtime", version_json(device->runtime));
  return json;
}

static json_t *now_json(void) {
  char text[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return json_string(text);
}

json_t *meta_json(const stage_object *object, const device_info *device,
                  const char *commit, const char *resources,
                  const char *run) {
  json_t *meta = json_pack(
      "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
      "schema_version", RESULTS_SCHEMA, "stage", object->stage, "arm",
      object->arm, "kernel_hash", object->kernel_hash, "commit",
      commit, "compiler", object->compiler, "flags", object->flags,
      "run", run, "toggles", pairs_json(object->toggles), "device",
      device_json(device), "date", now_json());
  if (resources)
    json_object_set_new(meta, "resources", pairs_json(resources));
  return meta;
}

void meta_run_name(char *text, size_t size) {
  snprintf(text, size, "%lld-%ld", (long long)time(NULL), (long)getpid());
}

void meta_file_name(const stage_object *object, char *text, size_t size) {
  char name[ARM_TEXT];
  arm_file_name(object->stage, object->arm, name);
  snprintf(text, size, "%s", name);
}
