#include <math.h>
#include <string.h>

#include "common/harness/settings.h"
#include "floor/model/model.h"

static json_t *real(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *floor_model_json(const floor_model *m, const floor_model *sustained,
                         const attention_shape *shape, const floor_tile *tile) {
  const floor_parts p = floor_model_parts(m, shape);
  const floor_parts later = floor_model_parts(sustained, shape);
  const floor_whole w = floor_model_whole(m, shape, tile);
  json_t *json = json_pack(
      "{s:f, s:s, s:f, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:f, s:s}",
      "floor_us", p.us, "binding", p.binding, "ceiling_us", p.ceiling_us,
      "ceiling_binding", p.binds, "launch_us", p.launch, "memory_us",
      p.part[FLOOR_MEMORY], "products_us", p.part[FLOOR_PRODUCTS],
      "exponentials_us", p.part[FLOOR_EXPONENTIALS], "softmax_us",
      p.part[FLOOR_SOFTMAX], "memory", p.from_l2 ? "L2" : "DRAM",
      "sustained_us", later.us, "sustained_binding", later.binding);
  json_object_set_new(
      json, "whole",
      json_pack("{s:I, s:I, s:I, s:I, s:f, s:f}", "rows",
                (json_int_t)tile->rows, "keys", (json_int_t)tile->keys, "tiles",
                (json_int_t)w.tiles, "busy", (json_int_t)w.busy, "waves",
                w.waves, "us", w.us));
  json_object_set_new(
      json, "chain",
      json_pack("{s:I, s:o}", "groups", (json_int_t)tile->groups, "us",
                real(floor_model_chain(m, shape, tile))));
  return json;
}

bool floor_model_add(json_t *floor, reason *why) {
  static const char *const shapes[] = {
      "small",         "mission",
      "2,8,512,64",    "long",
      "large",         "4,16,8192,64,causal",
      "4,16,8192,128", "4,16,8192,128,causal",
      "16,16,512,128", "2,32:8,4096,128,causal",
      "1,32:8,1024,128,causal"};
  floor_model now, later;
  if (!floor_model_read(&now, floor, false, "The measurement", why) ||
      !floor_model_read(&later, floor, true, "The measurement", why))
    return false;
  json_t *section = json_object();
  json_object_set_new(floor, "model", section);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    attention_shape shape;
    const floor_tile tile = FLOOR_TILE;
    if (!attention_shape_parse(&shape, shapes[i], why)) return false;
    json_object_set_new(section, shapes[i],
                        floor_model_json(&now, &later, &shape, &tile));
  }
  return true;
}
