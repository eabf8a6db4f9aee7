#include "common/harness/judge/check.h"

#include <math.h>
#include <stdio.h>

#include "common/harness/problem/settings.h"

int drift_measure(const stage_object *object, bool is_gpu,
                  drift_result *result, reason *why) {
  const settings *s = settings_get();
  check_case c = {.distribution = OFFSET_VALUES, .seed = s->seeds[0]};
  c.shape = is_gpu ? s->drift_shape_gpu : s->drift_shape_cpu;
  snprintf(c.name, sizeof c.name, "for drift");
  check_result checked = {0};
  const int code = check_case_run(&object, 1, &c, &checked, why);
  if (code) return code;
  *result = (drift_result){
      .keys = c.shape.seq_len,
      .error = checked.ran ? checked.gates.figure[GATE_REL_RMS] : NAN,
      .why = checked.why,
      .limit = s->drift_limit,
      .declared = object->support->sums == DRIFTS};
  return 0;
}

/* A comparison with NaN is false. */
bool drift_passed(const drift_result *r) {
  return r->declared ? r->error > r->limit : r->error <= r->limit;
}

void drift_line(const drift_result *r, char *text, size_t size) {
  char keys[32];
  const long long all = (long long)r->keys;
  snprintf(keys, sizeof keys, all < 1000 ? "%lld" : "%lld,%03lld",
           all < 1000 ? all : all / 1000, all % 1000);
  if (drift_passed(r))
    snprintf(text, size, "%s %.2g at %s keys%s",
             r->declared ? "drifts" : "does not drift:", r->error, keys,
             r->declared ? ", declared" : "");
  else if (isnan(r->error))
    snprintf(text, size, "FAILED: no drift was measured at %s keys. %s",
             keys, r->why.text);
  else if (r->declared)
    snprintf(text, size, "FAILED: stage_support says DRIFTS, but the error at "
             "%s keys, %.2g, is at most %.2g", keys, r->error, r->limit);
  else
    snprintf(text, size, "FAILED: drifts %.2g at %s keys, more than %.2g, and "
             "stage_support does not say DRIFTS", r->error, keys, r->limit);
}
