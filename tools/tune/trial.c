#include "tools/tune/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/record/results.h"

static const char *const states[] = {
    [RULED_OUT] = "ruled out",     [BUILD_FAILED] = "build failed",
    [OVER_BUDGET] = "over budget", [SAME_CODE] = "same code",
    [GATES_FAILED] = "gates failed", [GREEN] = "green",
    [TIMED] = "timed"};

trial trial_of(const char *arm, int layer) {
  trial t = {.layer = layer, .registers = -1, .shared_bytes = -1, .p50 = NAN,
             .best_p50 = NAN, .noise = NAN, .score = NAN};
  snprintf(t.arm, sizeof t.arm, "%s", arm);
  return t;
}

const char *trial_state_text(trial_state state) { return states[state]; }

json_t *trial_settings(const char *spelling) {
  json_t *settings = json_object();
  arm a;
  if (!arm_decode(&a, spelling)) return settings;
  for (int i = 0; i < a.count; i++)
    json_object_set_new(settings, a.settings[i].name,
                        json_integer(atoll(a.settings[i].value)));
  return settings;
}

static void add_whole(json_t *to, const char *key, int number) {
  if (number >= 0) json_object_set_new(to, key, json_integer(number));
}

static void add_number(json_t *to, const char *key, double number) {
  if (!isnan(number)) json_object_set_new(to, key, json_real(number));
}

static void add_text(json_t *to, const char *key, const char *text) {
  if (*text) json_object_set_new(to, key, json_string(text));
}

json_t *trial_json(const trial *t) {
  json_t *json = json_pack("{s:s, s:o, s:i, s:s}", "arm", t->arm, "settings",
                           trial_settings(t->arm), "layer", t->layer, "state",
                           trial_state_text(t->state));
  add_whole(json, "registers", t->registers);
  add_whole(json, "shared_bytes", t->shared_bytes);
  add_text(json, "code", t->code);
  add_number(json, "p50_us", t->p50);
  add_number(json, "against_p50_us", t->best_p50);
  add_number(json, "noise_us", t->noise);
  add_number(json, "score", t->score);
  add_text(json, "against", t->against);
  return json;
}

static int read_whole(const json_t *json, const char *key) {
  const double number = results_number(json, key);
  return isnan(number) ? -1 : (int)number;
}

bool trial_read(trial *t, const json_t *json) {
  const char *state = results_text(json, "state");
  *t = trial_of(results_text(json, "arm"), read_whole(json, "layer"));
  t->registers = read_whole(json, "registers");
  t->shared_bytes = read_whole(json, "shared_bytes");
  t->p50 = results_number(json, "p50_us");
  t->best_p50 = results_number(json, "against_p50_us");
  t->noise = results_number(json, "noise_us");
  t->score = results_number(json, "score");
  snprintf(t->code, sizeof t->code, "%s", results_text(json, "code"));
  snprintf(t->against, sizeof t->against, "%s", results_text(json, "against"));
  for (size_t i = 0; i < sizeof states / sizeof *states; i++)
    if (!strcmp(state, states[i])) {
      t->state = (trial_state)i;
      return *t->arm != '\0';
    }
  return false;
}
