#include "common/harness/settings.h"

#include <float.h>

#define SETTINGS_FILE "common/harness/settings.json"

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

static int64_t positive(const json_t *object, const char *key) {
  const json_t *value = member(object, key);
  const json_int_t number = json_integer_value(value); /* 0: of others */
  require(number > 0 && number <= INT32_MAX, key);
  return number;
}

static double number(const json_t *object, const char *key) {
  const json_t *value = member(object, key);
  require(json_is_number(value) && json_number_value(value) > 0.0, key);
  return json_number_value(value);
}

static int length(const json_t *array, const char *what) {
  const size_t size = json_array_size(array);
  require(size > 0 && size < SETTINGS_MAX, what);
  return (int)size;
}

static attention_shape read_shape(const json_t *shape) {
  return (attention_shape){.batch = positive(shape, "batch"),
                           .heads = positive(shape, "heads"),
                           .seq_len = positive(shape, "seq_len"),
                           .head_dim = positive(shape, "head_dim"),
                           .kv_heads = positive(shape, "heads")};
}

static void read_names(const char **names, const json_t *array) {
  const int count = length(array, "a list of names");
  for (int i = 0; i < count; i++) {
    names[i] = json_string_value(json_array_get(array, (size_t)i));
    require(names[i] != NULL, "a name is not a string");
  }
}

static int64_t number_in(const json_t *array, int i, int64_t least,
                         int64_t most, const char *what) {
  const json_t *value = json_array_get(array, (size_t)i);
  const json_int_t number = json_integer_value(value);
  require(json_is_integer(value) && number >= least && number <= most, what);
  return number;
}

static void read_numbers(settings *s, const json_t *root) {
  const json_t *seeds = member(root, "seeds");
  const json_t *of_device = member(root, "multiprocessors");
  s->seed_count = length(seeds, "seeds");
  for (int i = 0; i < s->seed_count; i++)
    s->seeds[i] = (uint64_t)number_in(seeds, i, 0, INT64_MAX,
                                      "a seed is not a number from 0 on");
  s->multiprocessor_count = length(of_device, "multiprocessors");
  for (int i = 0; i < s->multiprocessor_count; i++)
    s->multiprocessors[i] =
        (int)number_in(of_device, i, 1, MULTIPROCESSORS_MAX,
                       "a number of multiprocessors is not from 1 to 1024");
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

static const struct {
  const char *section, *key;
  size_t offset;
} lists[] = {
#define AT(field) offsetof(settings, field)
    {"check", "shapes", AT(check_shapes)},
    {"check", "variants", AT(check_variants)},
    {"check", "real", AT(check_real)},
    {"check", "axes", AT(check_axes)},
    {"bench", "shapes_gpu", AT(bench_shapes_gpu)},
    {"bench", "shapes_cpu", AT(bench_shapes_cpu)},
    {"race", "shapes", AT(race_shapes)},
    {"race", "variants", AT(race_variants)},
    {"count", "shapes", AT(count_shapes)},
}, limits[] = {
    {"tolerances", "max_abs_err", AT(max_abs_err)},
    {"tolerances", "mean_abs_err", AT(mean_abs_err)},
    {"tolerances", "pct_bad", AT(pct_bad)},
    {"tolerances", "absolute_room", AT(absolute_room)},
    {"tolerances", "rel_rms_ratio", AT(rel_rms_ratio)},
    {"tolerances", "signed_mean_sigmas", AT(signed_mean_sigmas)},
    {"tolerances", "lse_rms", AT(lse_rms)},
    {"drift", "limit", AT(drift_limit)},
#undef AT
};

static void read_all(settings *s, const char *text, size_t size) {
  json_error_t error;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  require(root != NULL, error.text);
  *s = (settings){.root = root};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    read_names((const char **)((char *)s + lists[i].offset),
               member(member(root, lists[i].section), lists[i].key));
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    *(double *)((char *)s + limits[i].offset) =
        number(member(root, limits[i].section), limits[i].key);
  read_numbers(s, root);
  const json_t *drift = member(root, "drift");
  s->drift_shape_cpu = read_shape(member(drift, "shape_cpu"));
  s->drift_shape_gpu = read_shape(member(drift, "shape_gpu"));
  const json_t *race = member(root, "race"), *timing = member(root, "timing");
  s->race_orders = positive(race, "orders");
  s->race_orders_below = positive(race, "orders_below_elements");
  s->warmup = (int)positive(timing, "warmup");
  s->timed = (int)positive(timing, "timed");
  const char *excuse;
  const json_t *shape;
  size_t i;
  json_t *cases;
  json_object_foreach((json_t *)member(root, "excuses"), excuse, cases)
    reason_for(cases, "");
  json_array_foreach(member(root, "shapes"), i, shape) {
    require(json_is_string(member(shape, "key")), "a shape has no key");
    read_shape(shape);
  }
}

const settings *settings_get(void) {
  static settings s;
  if (!s.root)
    read_all(&s, settings_begin, (size_t)(settings_end - settings_begin));
  return &s;
}

size_t attention_shape_elements(const attention_shape *s) {
  return (size_t)s->batch * (size_t)s->heads * (size_t)s->seq_len *
         (size_t)s->head_dim;
}

int64_t attention_shape_keys(const attention_shape *s) {
  return s->key_len ? s->key_len : s->seq_len;
}

size_t attention_shape_kv_elements(const attention_shape *s) {
  return (size_t)s->batch * (size_t)s->kv_heads *
         (size_t)attention_shape_keys(s) * (size_t)s->head_dim;
}

int64_t attention_shape_kv_head(const attention_shape *s, int64_t head) {
  return head / (s->heads / s->kv_heads);
}

double attention_shape_flops(const attention_shape *s) {
  return (s->causal ? 2.0 : 4.0) * (double)s->batch * (double)s->heads *
         (double)s->seq_len * (double)attention_shape_keys(s) *
         (double)s->head_dim;
}

enum { GRID_LIMIT = 65535 }; /* blocks along y and z: CUDA's limit */

static const char *const layouts[LAYOUT_COUNT] = {"contiguous", "padded",
                                                  "permuted", "wide"};

const char *layout_name(tensor_layout layout) { return layouts[layout]; }

/* B,H,S,D or B,H:KV,S,D; *rest is what stands behind them. */
static bool read_parts(attention_shape *s, const char *text, const char **rest,
                       reason *why) {
  static const char *const names[] = {"B", "H", "KV", "S", "D"};
  int64_t *const parts[] = {&s->batch, &s->heads, &s->kv_heads, &s->seq_len,
                            &s->head_dim};
  enum { HEADS = 1, LAST = 4 };
  const char *at = text;
  *s = (attention_shape){0};
  for (int i = 0; i <= LAST; i++) {
    char *end;
    *parts[i] = strtoll(at, &end, 10);
    const bool shared = i == HEADS && *end == ':';
    const bool ends = shared || *end == ',' || (i == LAST && !*end);
    if (end == at || (*at != '-' && (*at < '0' || *at > '9')) || !ends)
      return refuse(why,
                    "'%s' is no shape: give small, mission, long, odd, large "
                    "or B,H,S,D, as in 1,8,512,64 or 2,8:2,100,128,causal.",
                    text);
    if (*parts[i] > INT32_MAX) { /* strtoll stops at INT64_MAX */
      return refuse(why, "%s in shape %s is too large: at most 2147483647.",
                    names[i], text);
    }
    if (*parts[i] < 1)
      return refuse(why, "%s in shape %s must be at least 1.", names[i], text);
    if (i == HEADS && !shared) *parts[++i] = s->heads;
    *rest = end;
    at = end + 1;
  }
  return true;
}

/* All of it, a whole number from 1 to `most`; else 0. */
static int64_t count_in(const char *text, int64_t most) {
  char *end;
  const int64_t count = strtoll(text, &end, 10);
  return *end || *text < '0' || *text > '9' || count > most ? 0 : count;
}

/* A decimal number above 0 that is a float; else 0. */
static double scale_in(const char *text) {
  char *end;
  const double scale = strtod(text, &end);
  return *end || strspn(text, "0123456789.e-") != strlen(text) ||
                 !(scale > 0.0 && scale <= FLT_MAX)
             ? 0.0
             : scale;
}

static bool read_word(attention_shape *s, case_words *words, const char *word) {
  const char *value = strchr(word, '=');
  if (!strcmp(word, "causal")) return s->causal = true;
  if (!value++) return false;
  if (!strncmp(word, "keys=", 5))
    return (s->key_len = count_in(value, INT32_MAX)) > 0;
  if (!strncmp(word, "scale=", 6))
    return (s->softmax_scale = scale_in(value)) > 0.0;
  if (!strncmp(word, "strides=", 8)) {
    s->layout = LAYOUT_PADDED;
    while (s->layout < LAYOUT_COUNT && strcmp(value, layouts[s->layout]))
      s->layout++;
    return s->layout < LAYOUT_COUNT;
  }
  if (words && !strncmp(word, "inputs=", 7))
    return (words->inputs = distribution_parse(value)) < DISTRIBUTION_COUNT;
  if (words && !strncmp(word, "multiprocessors=", 16))
    return (words->multiprocessors =
                (int)count_in(value, MULTIPROCESSORS_MAX)) > 0;
  return false;
}

static bool read_words(attention_shape *s, case_words *words, const char *at,
                       const char *text, reason *why) {
  char word[48];
  while (*at++) {
    const size_t length = strcspn(at, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (length >= sizeof word || !read_word(s, words, word))
      return refuse(why,
                    "'%s' is no shape: behind the numbers may stand causal, "
                    "keys=700, scale=0.3, strides=padded, permuted or wide%s, "
                    "not '%s'.",
                    text,
                    words ? ", inputs=NAME and multiprocessors=2" : "", word);
    at += length;
  }
  return true;
}

static bool acceptable(const attention_shape *s, const char *text,
                       reason *why) {
  if (s->heads % s->kv_heads != 0)
    return refuse(why,
                  "H in shape %s must be a multiple of its %lld K/V heads.",
                  text, (long long)s->kv_heads);
  if (s->batch > GRID_LIMIT || s->heads > GRID_LIMIT)
    return refuse(why,
                  "B and H in shape %s may be at most %d: that is the largest "
                  "grid.",
                  text, GRID_LIMIT);
  /* 128 bytes an element are more than host or device ever need. */
  const int64_t keys = attention_shape_keys(s);
  const int64_t limit = INT64_MAX / 128 / s->head_dim /
                        (keys > s->seq_len ? keys : s->seq_len);
  if (s->batch * s->heads > limit)
    return refuse(
        why, "Shape %s has more elements than memory can be addressed.", text);
  return true;
}

bool case_parse(attention_shape *shape, case_words *words, const char *text,
                reason *why) {
  const settings *s = settings_get();
  const char *rest = text;
  const json_t *known;
  size_t i;
  if (words) *words = (case_words){.inputs = DISTRIBUTION_COUNT};
  json_array_foreach(json_object_get(s->root, "shapes"), i, known)
    if (!strcmp(text, json_string_value(json_object_get(known, "key")))) {
      *shape = read_shape(known);
      return acceptable(shape, text, why);
    }
  return read_parts(shape, text, &rest, why) &&
         read_words(shape, words, rest, text, why) &&
         acceptable(shape, text, why);
}

static const char *const names[DISTRIBUTION_COUNT] = {
    "normal",       "large-logits", "dominant-key",  "constant-rows",
    "mixed-scales", "zero-head",    "offset-values", "real",
    "far-below",    "peak",         "step-up",       "tiny",
    "far-scales",   "subnormal",    "unscaled",      "nan-q",
    "nan-k",        "nan-v"};

const char *distribution_name(distribution d) { return names[d]; }

distribution distribution_parse(const char *name) {
  int d = 0;
  while (d < DISTRIBUTION_COUNT && strcmp(name, names[d])) d++;
  return (distribution)d;
}
