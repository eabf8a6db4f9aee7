#include "common/harness/problem/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/reason.h"

#define SETTINGS_FILE "common/harness/settings.json"

/* The file's text, from settings_begin up to settings_end. */
__asm__(".pushsection .rodata\n"
        "settings_begin: .incbin \"" SETTINGS_FILE "\"\n"
        "settings_end: .byte 0\n"
        ".popsection\n");
/* Through a table of addresses, aarch64's linker would mix up the two. */
#define HIDDEN __attribute__((visibility("hidden")))
extern const char settings_begin[] HIDDEN, settings_end[] HIDDEN;

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, SETTINGS_FILE " does not hold together: %s.\n", what);
  exit(EXIT_USAGE);
}

static const json_t *member(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!value) require(false, key);
  return value;
}

static bool is_positive(const json_t *value) {
  return json_is_integer(value) && json_integer_value(value) > 0 &&
         json_integer_value(value) <= INT32_MAX;
}

static int64_t positive(const json_t *object, const char *key) {
  const json_t *value = member(object, key);
  require(is_positive(value), key);
  return json_integer_value(value);
}

static double number(const json_t *object, const char *key) {
  const json_t *value = member(object, key);
  require(json_is_number(value) && json_number_value(value) > 0.0, key);
  return json_number_value(value);
}

/* The array's length; ends the program if it does not fit. */
static int length(const json_t *array, const char *what) {
  const size_t size = json_array_size(array);
  require(size > 0 && size < SETTINGS_MAX, what);
  return (int)size;
}

/* "kv_heads" and "causal" may be left out. */
static attention_shape read_shape(const json_t *shape) {
  const json_t *causal = json_object_get(shape, "causal");
  const char *shared = json_object_get(shape, "kv_heads") ? "kv_heads"
                                                          : "heads";
  require(!causal || json_is_boolean(causal), "causal");
  const attention_shape s = {.batch = positive(shape, "batch"),
                             .heads = positive(shape, "heads"),
                             .seq_len = positive(shape, "seq_len"),
                             .head_dim = positive(shape, "head_dim"),
                             .kv_heads = positive(shape, shared),
                             .causal = json_is_true(causal)};
  require(s.heads % s.kv_heads == 0, "kv_heads");
  return s;
}

static void read_shapes(settings *s, const json_t *root) {
  const json_t *shapes = member(root, "shapes");
  s->shape_count = length(shapes, "shapes");
  for (int i = 0; i < s->shape_count; i++) {
    const json_t *shape = json_array_get(shapes, (size_t)i);
    const char *key = json_string_value(member(shape, "key"));
    require(key && strlen(key) < sizeof s->shapes[i].name,
            "a shape has no key, or a long one");
    snprintf(s->shapes[i].name, sizeof s->shapes[i].name, "%s", key);
    s->shapes[i].shape = read_shape(shape);
  }
}

static void read_names(const char **names, const json_t *array) {
  const int count = length(array, "a list of names");
  for (int i = 0; i < count; i++) {
    names[i] = json_string_value(json_array_get(array, (size_t)i));
    require(names[i] != NULL, "a name is not a string");
  }
}

static void read_check(settings *s, const json_t *root) {
  const json_t *check = member(root, "check");
  const json_t *bench = member(root, "bench");
  read_names(s->check_shapes, member(check, "shapes"));
  read_names(s->bench_shapes_gpu, member(bench, "shapes_gpu"));
  read_names(s->bench_shapes_cpu, member(bench, "shapes_cpu"));
  const json_t *race = member(root, "race");
  read_names(s->check_variants, member(check, "variants"));
  read_names(s->check_real, member(check, "real"));
  read_names(s->check_axes, member(check, "axes"));
  read_names(s->race_shapes, member(race, "shapes"));
  read_names(s->race_variants, member(race, "variants"));
  s->race_orders = positive(race, "orders");
  s->race_orders_below = positive(race, "orders_below_elements");
  read_names(s->count_shapes, member(member(root, "count"), "shapes"));
  s->check_batch = positive(check, "batch");
  s->check_heads = positive(check, "heads");
  s->check_head_dim = positive(check, "head_dim");
  const json_t *lengths = member(check, "seq_lens");
  s->check_seq_len_count = length(lengths, "seq_lens");
  for (int i = 0; i < s->check_seq_len_count; i++) {
    const json_t *one = json_array_get(lengths, (size_t)i);
    require(is_positive(one), "a seq_len is not a positive number");
    s->check_seq_lens[i] = json_integer_value(one);
  }
  const json_t *seeds = member(root, "seeds");
  s->seed_count = length(seeds, "seeds");
  for (int i = 0; i < s->seed_count; i++) {
    const json_t *seed = json_array_get(seeds, (size_t)i);
    require(json_is_integer(seed) && json_integer_value(seed) >= 0,
            "a seed is not a number from 0 on");
    s->seeds[i] = (uint64_t)json_integer_value(seed);
  }
}

static void read_multiprocessors(settings *s, const json_t *root) {
  const json_t *numbers = member(root, "multiprocessors");
  s->multiprocessor_count = length(numbers, "multiprocessors");
  for (int i = 0; i < s->multiprocessor_count; i++) {
    const json_int_t number =
        json_integer_value(json_array_get(numbers, (size_t)i));
    require(number >= 1 && number <= MULTIPROCESSORS_MAX,
            "a number of multiprocessors is not from 1 to 1024");
    s->multiprocessors[i] = (int)number;
  }
}

/* Looks at all of an excuse's cases, so that each is a name. */
static const char *reason_for(const json_t *excuse, const char *name) {
  const char *names[SETTINGS_MAX] = {0};
  const char *why = json_string_value(member(excuse, "why"));
  require(why != NULL, "an excuse has no reason");
  read_names(names, member(excuse, "cases"));
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name)) return why;
  return NULL;
}

const char *settings_excuse(const settings *s, const char *const *excuses,
                            const char *name) {
  const json_t *all = member(s->root, "excuses");
  for (; *excuses; excuses++) {
    const char *why = reason_for(member(all, *excuses), name);
    if (why) return why;
  }
  return NULL;
}

void settings_read(settings *s, const char *text, size_t size) {
  json_error_t error;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  require(root != NULL, error.text);
  *s = (settings){.root = root};
  read_check(s, root);
  read_multiprocessors(s, root);
  const json_t *tolerances = member(root, "tolerances");
  s->max_abs_err = number(tolerances, "max_abs_err");
  s->mean_abs_err = number(tolerances, "mean_abs_err");
  s->pct_bad = number(tolerances, "pct_bad");
  s->absolute_room = number(tolerances, "absolute_room");
  s->rel_rms_ratio = number(tolerances, "rel_rms_ratio");
  s->signed_mean_sigmas = number(tolerances, "signed_mean_sigmas");
  s->lse_rms = number(tolerances, "lse_rms");
  const json_t *drift = member(root, "drift");
  s->drift_shape_cpu = read_shape(member(drift, "shape_cpu"));
  s->drift_shape_gpu = read_shape(member(drift, "shape_gpu"));
  s->drift_limit = number(drift, "limit");
  const json_t *timing = member(root, "timing");
  s->warmup = (int)positive(timing, "warmup");
  s->timed = (int)positive(timing, "timed");
  const char *excuse;
  json_t *cases;
  json_object_foreach((json_t *)member(root, "excuses"), excuse, cases)
    reason_for(cases, "");
  read_shapes(s, root);
}

const settings *settings_get(void) {
  static settings s;
  if (!s.root)
    settings_read(&s, settings_begin, (size_t)(settings_end - settings_begin));
  return &s;
}
