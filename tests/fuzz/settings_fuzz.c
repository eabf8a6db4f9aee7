/* settings.json: read, or refused in a sentence with exit code 2. */

#include "common/harness/problem/settings.h"
#include "common/harness/program/exit_codes.h"
#include "tests/fuzz/fuzz.h"

static jmp_buf refused;
static bool reading;

_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap_exit(int code) {
  if (!reading) __real_exit(code);
  MUST(code == EXIT_USAGE);
  longjmp(refused, 1);
}

static int names(const char *const *list) {
  int count = 0;
  while (list[count])
    MUST(++count < SETTINGS_MAX);
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static settings s;
  char *text = text_of(data, size);
  reading = true;
  if (!setjmp(refused)) {
    settings_read(&s, text, size);
    MUST(s.shape_count > 0 && s.shape_count < SETTINGS_MAX);
    for (int i = 0; i < s.shape_count; i++) {
      MUST(s.shapes[i].shape.heads % s.shapes[i].shape.kv_heads == 0);
      const json_t *shape =
          json_array_get(json_object_get(s.root, "shapes"), (size_t)i);
      MUST(!strcmp(s.shapes[i].name,
                   json_string_value(json_object_get(shape, "key"))));
    }
    MUST(names(s.check_shapes) && names(s.bench_shapes_gpu) &&
         names(s.bench_shapes_cpu) && names(s.check_variants) &&
         names(s.race_shapes) && names(s.race_variants) &&
         names(s.count_shapes));
    MUST(s.seed_count > 0 && s.check_seq_len_count > 0);
    MUST(s.max_abs_err > 0 && s.signed_mean_sigmas > 0);
    MUST(s.warmup > 0 && s.timed > 0);
    json_decref(s.root);
  }
  reading = false;
  free(text);
  return 0;
}
