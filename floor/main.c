/* The ceilings of this GPU: checks and times the small kernels of kernels/.
 *   program check                 compares every kernel with plain C
 *   program measure DIR COMMIT    checks, then times, into DIR/floor.json
 *   program folder                the device's folder under results/
 * Exit code: 0 pass, 1 a kernel is wrong, 2 wrong command line, 3 this machine
 * cannot do that. */

#include <stdio.h>
#include <string.h>

#include "common/harness/results.h"
#include "floor/run.h"

static json_t *build_meta(const device_info *device, const char *commit) {
  const stage_object object = {.stage = STAGE, .arm = ARM,
                               .toggles = "", .kernel_hash = KERNEL_HASH,
                               .compiler = COMPILER, .flags = FLAGS};
  char run[64];
  meta_run_name(run, sizeof run);
  return meta_json(&object, device, commit, NULL, run);
}

/* Is this the verb, with so many words behind it? */
static bool is(int argc, char **argv, const char *verb, int words) {
  return argc == 2 + words && !strcmp(argv[1], verb);
}

int main(int argc, char **argv) {
  const bool measures = is(argc, argv, "measure", 2);
  const bool says_folder = is(argc, argv, "folder", 0);
  const char *const folder = argv[measures ? 2 : 0];
  device_info device;
  reason why;
  if (!measures && !says_folder && !is(argc, argv, "check", 0))
    floor_ends(EXIT_USAGE, "Give check, folder, or measure DIR COMMIT.");
  if (!device_open(&device, &why)) floor_ends(EXIT_IMPOSSIBLE, why.text);
  if (says_folder) {
    printf("%s\n", device.folder);
    return 0;
  }
  if (measures && !results_ready(folder, "floor", &why))
    floor_ends(EXIT_IMPOSSIBLE, why.text);
  printf("floor on %s\n", device.name);
  const int code = floor_check_all();
  if (!measures) return code;
  if (code)
    floor_ends(code, "nothing was timed, because a check failed.");
  json_t *floor = json_object();
  floor_measure(floor, &device);
  json_object_set_new(floor, "build_meta", build_meta(&device, argv[3]));
  if (!results_write(floor, folder, "floor", &why))
    floor_ends(EXIT_IMPOSSIBLE, why.text);
  json_decref(floor);
  printf("wrote %s/floor.json\n", folder);
  return 0;
}
