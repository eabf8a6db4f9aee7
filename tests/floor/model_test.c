/* The model of the floor against numbers worked out by hand, from the round
 * rates of made-up-floor.json. */

#include "tests/harness/unit.h"

#include <math.h>
#include <string.h>

#include "common/harness/problem/shape_text.h"
#include "common/harness/record/results.h"
#include "floor/model/model.h"

static floor_model now, later;

static attention_shape shape_of(const char *text) {
  attention_shape shape;
  reason why;
  assert_true(attention_shape_parse(&shape, text, &why));
  return shape;
}

static void near(double found, double wanted) {
  if (!(fabs(found - wanted) <= 1e-9 * fabs(wanted)))
    fail_msg("%.12g should be %.12g", found, wanted);
}

static json_t *read_made_up(void) {
  reason why;
  json_t *floor = results_read("tests/floor/made-up-floor.json", &why);
  assert_non_null(floor);
  return floor;
}

static int read_models(void **state) {
  (void)state;
  reason why;
  json_t *floor = read_made_up();
  assert_true(floor_model_read(&now, floor, false, "f", &why));
  assert_true(floor_model_read(&later, floor, true, "f", &why));
  json_decref(floor);
  return 0;
}

static void counts(void **state) {
  (void)state;
  attention_shape s = shape_of("2,3,10,64");
  near(floor_model_scores(&s), 2 * 3 * 10 * 10);
  /* Q and O of 6 heads: 3 bytes an element; K and V; three scales. */
  near(floor_model_bytes(&s), 6 * 640 * 3 + 6 * 640 * 2 + 6 * 3 * 4);
  s = shape_of("2,3:1,10,64,causal");
  near(floor_model_scores(&s), 2 * 3 * 55); /* 1 + 2 + ... + 10 */
  near(floor_model_bytes(&s), 6 * 640 * 3 + 2 * 640 * 2 + (6 + 2 + 2) * 4);
}

/* 1e9 scores, 512e9 operations: 512 us; exponentials 250, softmax 400. */
static void products_bind(void **state) {
  (void)state;
  const attention_shape s = shape_of("10,1,10000,128");
  const floor_parts p = floor_model_parts(&now, &s);
  near(p.part[FLOOR_PRODUCTS], 512.0);
  near(p.part[FLOOR_EXPONENTIALS], 250.0);
  near(p.part[FLOOR_SOFTMAX], 400.0);
  /* 64,000,120 bytes are too many for the L2 cache. */
  near(p.part[FLOOR_MEMORY], 64000120.0 / 2e6);
  assert_false(p.from_l2);
  near(p.us, 513.0);
  assert_string_equal(p.binding, "products");
  near(floor_model_parts(&later, &s).us, 1025.0);
}

static void softmax_binds(void **state) {
  (void)state;
  attention_shape s = shape_of("10,1,10000,64");
  const floor_parts p = floor_model_parts(&now, &s);
  near(p.part[FLOOR_PRODUCTS], 256.0);
  near(p.us, 401.0);
  assert_string_equal(p.binding, "softmax");
  near(floor_model_parts(&later, &s).us, 513.0); /* products 512, softmax 500 */
  assert_string_equal(floor_model_parts(&later, &s).binding, "products");
  s.causal = true;
  near(floor_model_parts(&now, &s).us, 1.0 + 10 * 50005000.0 / 2.5e6);
}

static void memory_and_launch_bind(void **state) {
  (void)state;
  /* One key: 4e6 scores, 1,280 MB. */
  attention_shape s = shape_of("1000,4000,1,64");
  floor_parts p = floor_model_parts(&now, &s);
  assert_string_equal(p.binding, "memory");
  near(p.us, 1.0 + (4e6 * 64 * 5 + 4e6 * 12) / 2e6);
  s = shape_of("1,1,1,64");
  p = floor_model_parts(&now, &s);
  assert_true(p.from_l2);
  near(p.part[FLOOR_MEMORY], (64 * 5 + 12) / 5e6);
  assert_string_equal(p.binding, "launch");
}

static void whole_tiles(void **state) {
  (void)state;
  const floor_tile tile = {64, 128, 1};
  /* 8 tiles of 64 rows a head, 64 in all, of 100 multiprocessors: each has 64 x
   * 512 scores, at 2.5e6 / 100 a microsecond. */
  attention_shape s = shape_of("1,8,512,64");
  floor_whole w = floor_model_whole(&now, &s, &tile);
  assert_int_equal(w.tiles, 64);
  assert_int_equal(w.busy, 64);
  near(w.waves, 1);
  near(w.us, 1.0 + 64 * 512 / 25000.0);
  /* 65 rows are 2 tiles, 65 keys 1 of 128; 204 tiles are 3 on the busiest. */
  s = shape_of("2,51,65,64");
  w = floor_model_whole(&now, &s, &tile);
  assert_int_equal(w.tiles, 204);
  assert_int_equal(w.busy, 100);
  near(w.waves, 3);
  near(w.us, 1.0 + 3 * 64 * 128 / 25000.0);
}

static void whole_tiles_under_a_mask(void **state) {
  (void)state;
  const floor_tile tile = {64, 128, 1};
  /* Tiles of 1, 1, 2 and 2 times 128 keys: the longest binds one head ... */
  attention_shape s = shape_of("1,1,256,64,causal");
  floor_whole w = floor_model_whole(&now, &s, &tile);
  near(w.us, 1.0 + 64 * 256 / 25000.0);
  near(w.waves, 1);
  /* ... and the sum a hundred heads: 6 tiles each. */
  s = shape_of("1,100,256,64,causal");
  w = floor_model_whole(&now, &s, &tile);
  near(w.us, 1.0 + 6 * 64 * 128 / 25000.0);
  near(w.waves, 3);
}

static void in_turn(void **state) {
  (void)state;
  /* A step of 128 keys, D = 64: two products of 128 columns 60 + 20 ns, two
   * shuffles 20, one exponential 20, 64 x 128 scores at 1e6 / 100 a us 819.2,
   * four products of 64 columns 80: 1.0192 us. Four steps. */
  floor_tile tile = {64, 128, 1};
  attention_shape s = shape_of("1,8,512,64");
  near(floor_model_chain(&now, &s, &tile), 1.0 + 0.1 + 4 * 1.0192);
  /* Two groups: two steps; both together have 1.25e6, not 2 * 1e6. */
  tile.groups = 2;
  near(floor_model_chain(&now, &s, &tile), 1.1 + 2 * 1.0192);
  /* Four groups share 2.5e6: 64 * 128 / 6250 = 1.31072 us. */
  tile.groups = 4;
  near(floor_model_chain(&now, &s, &tile), 1.1 + 0.2 + 1.31072);
  /* 64 keys, D = 128: four products of 64 columns 80, two of 128 80. */
  tile = (floor_tile){64, 64, 1};
  s = shape_of("1,1,64,128");
  near(floor_model_chain(&now, &s, &tile),
       1.1 + 0.08 + 0.02 + 0.02 + 0.4096 + 0.08);
  /* Too large for the L2 cache: the first load comes from DRAM. */
  s = shape_of("10,10,1000,128");
  assert_true(floor_model_bytes(&s) > 1e7);
  /* 16 tiles in each of 100 heads are 16 waves. */
  near(floor_model_chain(&now, &s, &tile), 1.5 + 16 * 16 * 0.6096);
  s = shape_of("1,1,64,32");
  assert_true(isnan(floor_model_chain(&now, &s, &tile)));
}

static void tiles_are_read(void **state) {
  (void)state;
  reason why;
  floor_tile tile;
  assert_true(floor_tile_parse(&tile, "192,64,2", &why));
  assert_int_equal(tile.rows, 192);
  assert_int_equal(tile.keys, 64);
  assert_int_equal(tile.groups, 2);
  assert_true(floor_tile_parse(&tile, "64,128", &why));
  assert_int_equal(tile.groups, 1);
  const char *const wrong[] = {"", "64", "63,64", "64,96", "0,64", "64,64,0",
                               "64,64,1,1", "64,64,", "64,64x", "-64,64"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (floor_tile_parse(&tile, wrong[i], &why))
      fail_msg("'%s' was taken", wrong[i]);
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  reason why;
  floor_model m;
  json_t *floor = read_made_up();
  json_object_del(json_object_get(floor, "rates"), "softmax");
  assert_false(floor_model_read(&m, floor, false, "f.json", &why));
  assert_non_null(strstr(why.text, "f.json has no figure "
                                   "rates/softmax/tera_s"));
  json_decref(floor);
  /* A GPU before Hopper: halves, and no waits for wgmma. */
  floor = read_made_up();
  json_object_del(json_object_get(floor, "rates"), "wgmma_shared_128_random");
  json_object_del(json_object_get(floor, "waits"), "wgmma_128_1");
  assert_true(floor_model_read(&m, floor, false, "f.json", &why));
  near(m.products, 400e6);
  const attention_shape s = shape_of("mission");
  const floor_tile tile = FLOOR_TILE;
  assert_true(isnan(floor_model_chain(&m, &s, &tile)));
  json_decref(floor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts),
      cmocka_unit_test(products_bind),
      cmocka_unit_test(softmax_binds),
      cmocka_unit_test(memory_and_launch_bind),
      cmocka_unit_test(whole_tiles),
      cmocka_unit_test(whole_tiles_under_a_mask),
      cmocka_unit_test(in_turn),
      cmocka_unit_test(tiles_are_read),
      cmocka_unit_test(what_is_missing_is_named),
  };
  return cmocka_run_group_tests(tests, read_models, NULL);
}
