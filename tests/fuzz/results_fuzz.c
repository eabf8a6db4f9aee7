/* Two results, parted by a byte of 0, as compare and the floor read them. */

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "floor/model/model.h"
#include "tests/fuzz/fuzz.h"
#include "tools/compare/table.h"

/* A file in memory, and its path. */
static int file_of(const uint8_t *data, size_t size, char *path, size_t room) {
  const int file = memfd_create("result", 0);
  if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
  snprintf(path, room, "/proc/self/fd/%d", file);
  return file;
}

static void check_floor(const char *path) {
  reason why = {""};
  floor_model model;
  json_t *result = results_read(path, &why);
  MUST(result || *why.text);
  const double time = results_number(result, "perf/mission/event/p50_us");
  MUST(isnan(time) || (time > 0 && isfinite(time)));
  if (result && floor_model_read(&model, result, false, path, &why)) {
    const attention_shape shape = {1, 8, 512, 64, 8, false};
    const floor_parts parts = floor_model_parts(&model, &shape);
    MUST(parts.us > 0 && parts.binding);
  }
  json_decref(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *nowhere;
  if (!nowhere) nowhere = fopen("/dev/null", "w");
  const uint8_t *const parting = size ? memchr(data, 0, size) : NULL;
  const size_t first = parting ? (size_t)(parting - data) : size;
  const uint8_t *const rest = parting ? parting + 1 : data;
  char paths[2][64];
  const int one = file_of(data, first, paths[0], sizeof paths[0]);
  const int other =
      file_of(rest, (size_t)(data + size - rest), paths[1], sizeof paths[1]);
  for (int i = 0; i < 4; i++) {
    comparison c = {
        .out = nowhere, .gated = i & 1, .markdown = i & 2, .gate = 15};
    const int code = compare_files(&c, paths[0], paths[1]);
    MUST(code >= EXIT_PASS && code <= EXIT_USAGE);
    MUST(isnan(c.mission) || (isfinite(c.mission) && c.mission < 100));
  }
  check_floor(paths[0]);
  close(one);
  close(other);
  return 0;
}
