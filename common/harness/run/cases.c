#include "common/harness/run/stage.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/harness/problem/settings.h"
#include "common/harness/problem/shape_text.h"
#include "common/harness/program/reason.h"

enum { NAME_SIZE = sizeof((check_case *)0)->name, SHAPES_MAX = 96 };

typedef struct {
  char name[SHAPES_MAX][NAME_SIZE];
  attention_shape shape[SHAPES_MAX];
  case_words words[SHAPES_MAX];
  int count;
} shape_list;

static int add_shape(shape_list *list, const char *text,
                     const attention_support *support, reason *why) {
  attention_shape *shape = &list->shape[list->count];
  if (!case_parse(shape, &list->words[list->count], text, why))
    return EXIT_USAGE;
  if (!takes_shape(support, "This stage", shape, text, why))
    return EXIT_IMPOSSIBLE;
  snprintf(list->name[list->count++], NAME_SIZE, "%s", text);
  return 0;
}

/* Those that the stage takes. */
static int add_variants(shape_list *list, const char *const *names,
                        const attention_support *support, reason *why) {
  for (; *names; names++)
    if (add_shape(list, *names, support, why) == EXIT_USAGE) return EXIT_USAGE;
  return 0;
}

static int default_shapes(shape_list *list, const stage_options *options,
                          bool is_gpu, const stage_object *object,
                          const stage_description *stage, reason *why) {
  int code = 0;
  const settings *s = settings_get();
  const attention_support *support = object->support;
  const bool all = options->verb == VERB_CHECK && !options->brief;
  const char *const *names = is_gpu ? s->bench_shapes_gpu : s->bench_shapes_cpu;
  if (all) names = s->check_shapes;
  if (options->verb == VERB_RACE) names = s->race_shapes;
  if (options->verb == VERB_COUNT) names = s->count_shapes;
  for (; *names && !code; names++) code = add_shape(list, *names, support, why);
  for (int i = 0; all && !code && i < s->check_seq_len_count; i++) {
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%lld,%lld,%lld,%lld",
             (long long)s->check_batch, (long long)s->check_heads,
             (long long)s->check_seq_lens[i], (long long)s->check_head_dim);
    code = add_shape(list, text, support, why);
  }
  if (!code && all) code = add_variants(list, s->check_variants, support, why);
  if (!code && options->verb == VERB_RACE)
    code = add_variants(list, s->race_variants, support, why);
  if (!code && (all || options->verb == VERB_RACE))
    code = add_variants(list, stage->shapes, support, why);
  return code;
}

static int list_shapes(shape_list *list, const stage_options *options,
                       bool is_gpu, const stage_object *object,
                       const stage_description *stage, reason *why) {
  if (options->shapes.count == 0)
    return default_shapes(list, options, is_gpu, object, stage, why);
  int code = 0;
  for (int i = 0; i < options->shapes.count && !code; i++)
    code = add_shape(list, options->shapes.texts[i], object->support, why);
  return code;
}

/* Returns how many there are; 0 with one sentence if a name is wrong. */
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

/* Appends the case of each shape, distribution and seed. What a shape's text
 * says goes first. */
static void add_cases(case_list *list, const shape_list *shapes,
                      const distribution *distributions, int distribution_count,
                      const uint64_t *seeds, int seed_count,
                      const stage_options *options) {
  for (int i = 0; i < shapes->count; i++)
    for (int d = 0; d < distribution_count; d++)
      for (int seed = 0; seed < seed_count; seed++) {
        const case_words *words = &shapes->words[i];
        const bool says = words->inputs < DISTRIBUTION_COUNT;
        if (says && d > 0) break;
        check_case *c = &list->cases[list->count++];
        snprintf(c->name, sizeof c->name, "%s", shapes->name[i]);
        c->shape = shapes->shape[i];
        c->distribution = says ? words->inputs : distributions[d];
        c->seed = seeds[seed];
        c->multiprocessors = multiprocessors_of(options, words, c->seed);
      }
}

/* What a check of everything has beside its shapes: others for REAL, for what
 * is recorded has one length, and the axes. */
static int further_shapes(shape_list *real, shape_list *axes,
                          const stage_options *options,
                          const stage_object *object, reason *why) {
  const settings *s = settings_get();
  real->count = axes->count = 0;
  if (options->verb != VERB_CHECK || options->brief || options->shapes.count ||
      options->distributions.count)
    return 0;
  const int code = add_variants(real, s->check_real, object->support, why);
  return code ? code : add_variants(axes, s->check_axes, object->support, why);
}

int cases_list(case_list *list, const stage_options *options, bool is_gpu,
               const stage_object *object, const stage_description *stage,
               reason *why) {
  static shape_list shapes, of_real, axes;
  static const distribution real[] = {REAL}, plain[] = {NORMAL};
  distribution distributions[ARGUMENTS_MAX];
  const settings *s = settings_get();
  const bool one_seed =
      options->verb == VERB_COUNT || options->verb == VERB_RACE;
  const uint64_t *seeds = options->seed_count ? options->seeds : s->seeds;
  const int seed_count = options->seed_count ? options->seed_count
                         : one_seed          ? 1
                                             : s->seed_count;
  *list = (case_list){0};
  shapes.count = 0;
  int code = list_shapes(&shapes, options, is_gpu, object, stage, why);
  if (!code) code = further_shapes(&of_real, &axes, options, object, why);
  if (code) return code;
  const int distribution_count =
      list_distributions(distributions, options, why);
  if (distribution_count == 0) return EXIT_USAGE;
  const int most =
      (shapes.count * distribution_count + of_real.count) * seed_count +
      axes.count;
  list->cases = calloc((size_t)most, sizeof *list->cases);
  if (!list->cases) {
    refuse(why, "Too little memory for %d cases.", most);
    return EXIT_IMPOSSIBLE;
  }
  add_cases(list, &shapes, distributions, distribution_count, seeds, seed_count,
            options);
  add_cases(list, &of_real, real, 1, seeds, seed_count, options);
  add_cases(list, &axes, plain, 1, seeds, 1, options);
  for (int i = list->count - axes.count; i < list->count; i++) {
    check_case *c = &list->cases[i];
    c->axis = true;
    c->excuse = settings_excuse(s, stage->excuses, c->name);
  }
  return 0;
}

bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why) {
  for (int i = 0; i < list->count; i++)
    if (!takes_shape(object->support, object->stage, &list->cases[i].shape,
                     list->cases[i].name, why))
      return false;
  return true;
}
