#include "common/harness/stage.h"

#include <argp.h>

enum { KEY_COMMIT = 256, KEY_RESOURCES, KEY_BRIEF, KEY_FOLDER };

static const struct argp_option known[] = {
    {"shape", 's', "SHAPE", 0,
     "small, mission, long, odd, large, B,H,S,D or, with fewer K/V heads, "
     "B,H:KV,S,D; behind the numbers may stand ,causal ,keys=700 ,scale=0.3 "
     ",strides=padded (permuted, wide) ,inputs=NAME ,multiprocessors=2; repeat "
     "for several", 0},
    {"seeds", 'r', "LIST", 0, "Seeds of the inputs, as in 0,1,2", 0},
    {"distribution", 'd', "NAME", 0,
     "normal, large-logits, dominant-key, constant-rows, mixed-scales, "
     "zero-head or, only where asked for, offset-values, real, far-below, "
     "peak, step-up, tiny, far-scales, subnormal, unscaled, nan-q, nan-k and "
     "nan-v; repeat for several",
     0},
    {"order", 'o', "ORDER", 0,
     "race: one order of warps and blocks only: forward, backward, or the seed "
     "of a random one, 2 or more", 0},
    {"multiprocessors", 'm', "N", 0,
     "How many multiprocessors the CPU executor's device has, in place of the "
     "numbers in settings.json",
     0},
    {"iters", 'n', "N", 0, "Timed launches of each arm (500)", 0},
    {"flush-l2", 'f', 0, 0, "Time with a cold L2 cache", 0},
    {"against", 'a', "KERNEL.so", 0,
     "Another arm to check and to time in turn with this one; repeatable", 0},
    {"json", 'j', "DIR", 0, "Write the result as JSON into this folder", 0},
    {"brief", KEY_BRIEF, 0, 0, "check: the shapes and inputs of bench only", 0},
    {"folder", KEY_FOLDER, 0, 0, "info: print the device's folder name only",
     0},
    {"commit", KEY_COMMIT, "ID", 0, "The source's commit, for the result", 1},
    {"resources", KEY_RESOURCES, "LIST", 0,
     "The compiler's resource report, for the result", 1},
    {0}};

static const char *const verbs[] = {"check", "bench", "count",
                                    "race",  "info",  NULL};

static error_t take(int key, char *value, struct argp_state *state) {
  stage_options *o = state->input;
  switch (key) {
  case 's': argument_add(state, &o->shapes, value); break;
  case 'd': argument_add(state, &o->distributions, value); break;
  case 'a': argument_add(state, &o->against, value); break;
  case 'r':
    o->seed_count = argument_seeds(state, value, o->seeds);
    break;
  case 'n': {
    const uint64_t n = argument_number(state, "--iters", value, 10, UINT64_MAX);
    if (n > 1000000) argument_wrong(state, "--iters is at most 1000000.");
    o->iters = (int)n;
    break;
  }
  case 'm':
    o->multiprocessors = (int)argument_number(
        state, "--multiprocessors", value, 1, MULTIPROCESSORS_MAX);
    break;
  case 'f': o->flush_l2 = true; break;
  case 'o':
    if (strcmp(value, "forward") && strcmp(value, "backward"))
      argument_number(state, "--order, if not forward or backward,", value, 2,
                      UINT64_MAX);
    o->order = value;
    break;
  case 'j': o->json = value; break;
  case KEY_BRIEF: o->brief = true; break;
  case KEY_FOLDER: o->folder = true; break;
  case KEY_COMMIT: o->commit = value; break;
  case KEY_RESOURCES: argument_add(state, &o->resources, value); break;
  case ARGP_KEY_ARG:
    o->verb = (stage_verb)argument_verb(state, value, verbs,
                                        "check, bench, count, race and info");
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

void options_parse(stage_options *options, const char *name,
                   const char *summary, int argc, char **argv) {
  static char text[1024];
  snprintf(text, sizeof text,
           "%s: FP8 attention forward, %s.\v"
           "check  compares the kernel's output with two references (default)\n"
           "bench  checks, then times the kernel on a GPU\n"
           "count  counts memory and tensor-core operations by source line\n"
           "race   looks for races and unfinished copies\n"
           "info   says what was built, and what device is here\n\n"
           "count and race need a program that was built with the CPU "
           "executor's instrumentation: `make` builds and picks the right "
           "one.\n\n"
           "Exit status: 0 pass, 1 a gate failed, 2 wrong command line, "
           "3 this machine cannot do that.",
           name, summary);
  const struct argp parser = {.options = known,
                              .parser = take,
                              .args_doc = "[check|bench|count|race|info]",
                              .doc = text};
  *options = (stage_options){.verb = VERB_CHECK, .commit = "unknown"};
  arguments_parse(&parser, argc, argv, options);
}

bool takes_shape(const attention_support *support, const char *who,
                 const attention_shape *shape, const char *name, reason *why) {
  const int *all = support->head_dims, *d = all;
  while (*d && *d != shape->head_dim) d++;
  if (!*d) {
    char list[64] = "";
    for (d = all; *d; d++)
      add_text(list, sizeof list, "%s%d", d > all ? " or " : "", *d);
    return refuse(why, "%s takes D = %s%s, not %lld.", who, list,
                  all[1] ? "" : " only", (long long)shape->head_dim);
  }
  if (shape->causal && !(support->takes & TAKES_CAUSAL))
    return refuse(why, "%s takes no causal mask, which shape %s has.", who,
                  name);
  if (shape->kv_heads != shape->heads && !(support->takes & TAKES_GROUPED))
    return refuse(why,
                  "%s takes K and V of their own for every head, and shape %s "
                  "shares them.",
                  who, name);
  const bool other_keys = attention_shape_keys(shape) != shape->seq_len;
  if (other_keys && (shape->causal || !(support->takes & TAKES_KEY_LEN)))
    return refuse(why, "%s takes as many keys as rows%s, and shape %s has %lld "
                  "of %lld.", who,
                  support->takes & TAKES_KEY_LEN ? " under a causal mask" : "",
                  name, (long long)attention_shape_keys(shape),
                  (long long)shape->seq_len);
  if (shape->layout && !(support->takes & TAKES_STRIDES))
    return refuse(why, "%s takes tensors without gaps, and shape %s has other "
                  "strides.", who, name);
  return true;
}

/* Returns how many there are; 0: a name is wrong. */
static int list_distributions(distribution *list, const stage_options *options,
                              reason *why) {
  const bool all = options->verb == VERB_CHECK && !options->brief;
  const int given = options->distributions.count;
  if (given == 0)
    for (int d = 0; d < ASKED_FOR_ONLY; d++) list[d] = (distribution)d;
  if (given == 0) return all ? ASKED_FOR_ONLY : 1;
  for (int i = 0; i < given; i++) {
    list[i] = distribution_parse(options->distributions.texts[i]);
    if (list[i] < DISTRIBUTION_COUNT) continue;
    refuse(why, "There is no distribution '%s'; --help lists them.",
           options->distributions.texts[i]);
    return 0;
  }
  return given;
}

/* With what each shape of a list becomes cases. */
typedef struct {
  const stage_options *options;
  const attention_support *support;
  const distribution *distributions;
  const uint64_t *seeds;
  int distribution_count, seed_count;
  const char *const *excuses; /* of axes; null: they are none */
  bool where_taken; /* leaves out what the stage does not take */
} case_rule;

/* A seed always gets the same number, so that it fails alone, too. */
static int multiprocessors_of(const stage_options *options,
                              const case_words *words, uint64_t seed) {
  const settings *s = settings_get();
  if (words->multiprocessors) return words->multiprocessors;
  if (options->multiprocessors) return options->multiprocessors;
  if (options->verb == VERB_RACE) return 0;
  if (options->verb == VERB_COUNT) return s->multiprocessors[0];
  return s->multiprocessors[seed % (uint64_t)s->multiprocessor_count];
}

/* The case of each distribution and seed; what the shape's text says of inputs
 * goes first. */
static int add_shape(case_list *list, const char *text, const case_rule *rule,
                     reason *why) {
  attention_shape shape;
  case_words words;
  if (!case_parse(&shape, &words, text, why)) return EXIT_USAGE;
  if (!takes_shape(rule->support, "This stage", &shape, text, why))
    return rule->where_taken ? EXIT_PASS : EXIT_IMPOSSIBLE;
  const bool says = words.inputs < DISTRIBUTION_COUNT;
  const int count = (says ? 1 : rule->distribution_count) * rule->seed_count;
  check_case *more = realloc(list->cases, (size_t)(list->count + count + 1) *
                                              sizeof *list->cases);
  if (!more) {
    refuse(why, "Too little memory for the cases.");
    return EXIT_IMPOSSIBLE;
  }
  list->cases = more;
  for (int i = 0; i < count; i++) {
    check_case *c = &list->cases[list->count++];
    const int d = i / rule->seed_count;
    *c = (check_case){
        .shape = shape,
        .distribution = says ? words.inputs : rule->distributions[d],
        .seed = rule->seeds[i % rule->seed_count],
        .axis = rule->excuses};
    snprintf(c->name, sizeof c->name, "%s", text);
    c->multiprocessors = multiprocessors_of(rule->options, &words, c->seed);
    if (c->axis)
      c->excuse = settings_excuse(settings_get(), rule->excuses, c->name);
  }
  return EXIT_PASS;
}

static int add_shapes(case_list *list, const char *const *names,
                      const case_rule *rule, reason *why) {
  int code = EXIT_PASS;
  for (; *names && !code; names++) code = add_shape(list, *names, rule, why);
  return code;
}

int cases_list(case_list *list, const stage_options *options, bool is_gpu,
               const stage_object *object, const stage_description *stage,
               reason *why) {
  static const distribution real[] = {REAL}, plain[] = {NORMAL};
  distribution distributions[ARGUMENTS_MAX];
  const settings *s = settings_get();
  const bool counts = options->verb == VERB_COUNT;
  const bool races = options->verb == VERB_RACE, asked = options->shapes.count;
  const bool all = options->verb == VERB_CHECK && !options->brief && !asked;
  case_rule rule = {
      .options = options,
      .support = object->support,
      .distributions = distributions,
      .distribution_count = list_distributions(distributions, options, why),
      .seeds = options->seed_count ? options->seeds : s->seeds,
      .seed_count = options->seed_count ? options->seed_count
                    : counts || races   ? 1
                                        : s->seed_count};
  *list = (case_list){0};
  int code = add_shapes(list,
                        asked    ? options->shapes.texts
                        : all    ? s->check_shapes
                        : races  ? s->race_shapes
                        : counts ? s->count_shapes
                        : is_gpu ? s->bench_shapes_gpu
                                 : s->bench_shapes_cpu,
                        &rule, why);
  if (!code && rule.distribution_count == 0) code = EXIT_USAGE;
  rule.where_taken = true;
  if (!code && all) code = add_shapes(list, s->check_variants, &rule, why);
  if (!code && races && !asked)
    code = add_shapes(list, s->race_variants, &rule, why);
  if (!code && (all || (races && !asked)))
    code = add_shapes(list, stage->shapes, &rule, why);
  if (code || !all || options->distributions.count) return code;
  /* What is recorded has one length; axes have the first seed alone. */
  rule.distribution_count = 1;
  rule.distributions = real;
  code = add_shapes(list, s->check_real, &rule, why);
  rule.distributions = plain;
  rule.seed_count = 1;
  rule.excuses = stage->excuses;
  return code ? code : add_shapes(list, s->check_axes, &rule, why);
}

bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why) {
  for (int i = 0; i < list->count; i++)
    if (!takes_shape(object->support, object->stage, &list->cases[i].shape,
                     list->cases[i].name, why))
      return false;
  return true;
}
