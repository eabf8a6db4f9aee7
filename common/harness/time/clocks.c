#include "common/harness/time/timing.h"

json_t *clocks_json(const clock_log *log) {
  char text[128];
  if (log->count == 0) return json_null();
  return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:s}", "samples", log->count,
                   "clock_min_mhz", log->clock_min, "clock_max_mhz",
                   log->clock_max, "clock_mean_mhz", log->clock_mean,
                   "power_mean_w", log->power_mean, "power_max_w",
                   log->power_max, "limited_by",
                   clocks_throttle_text(log->throttle, text, sizeof text));
}
