#ifndef FLOOR_MODEL_H
#define FLOOR_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/harness/program.h"
#include "common/harness/settings.h"

/* The least time of attention on a GPU whose rates floor.json has. All times
 * are in microseconds, all rates of the whole GPU in units a microsecond. */

typedef struct {
  double launch;
  double dram, l2;                  /* bytes */
  double products, exponentials;    /* operations; exponentials */
  double scores, scores_alone;      /* all that softmax does; one warpgroup on
                                       each multiprocessor */
  double together[2];               /* scores with their products beside them,
                                       D = 64 and 128; NAN */
  double l2_bytes;
  int multiprocessors;
  double load_l2, load_dram;        /* one load */
  double shuffle, exponential;
  double product[2][2];             /* N = 64, 128; one, four at once; NAN */
} floor_model;

typedef enum {
  FLOOR_MEMORY, FLOOR_PRODUCTS, FLOOR_EXPONENTIALS, FLOOR_SOFTMAX, FLOOR_PARTS
} floor_part;

/* The floor: the launch, and the longest of the parts. The ceiling's time also
 * has products and softmax at the rate of both together, where it was measured:
 * percent is of the ceiling. */
typedef struct {
  double part[FLOOR_PARTS], together, launch, us, ceiling_us;
  bool from_l2;                /* all bytes fit there */
  const char *binding, *binds; /* the longest of parts and launch; and of the
                                  ceiling's */
} floor_parts;

/* How the work is cut: `rows` of Q a block, 64 a warpgroup; `keys` at a time;
 * `groups` of warpgroups that share the keys of a row. */
typedef struct {
  int64_t rows, keys, groups;
} floor_tile;

/* The same on whole multiprocessors, with whole tiles. */
typedef struct {
  int64_t tiles, busy; /* tiles of rows; multiprocessors that have one */
  double waves, us;    /* tiles of the busiest multiprocessor */
} floor_whole;

/* Reads floor.json; `sustained`: the rates after a while under load. On failure
 * returns false with one sentence that names what is missing in `file`. */
bool floor_model_read(floor_model *model, const json_t *floor, bool sustained,
                      const char *file, reason *why);

/* Scores that are needed; half of S S and a little more under a mask. */
double floor_model_scores(const attention_shape *shape);
double floor_model_bytes(const attention_shape *shape);

floor_parts floor_model_parts(const floor_model *model,
                              const attention_shape *shape);
floor_whole floor_model_whole(const floor_model *model,
                              const attention_shape *shape,
                              const floor_tile *tile);

/* One block a multiprocessor, and in it one tile after the other, nothing
 * overlapped: a load, then for each tile of keys products, maximum,
 * exponentials, products. NAN where D is neither 64 nor
 * 128, or the products' waits were not measured. */
double floor_model_chain(const floor_model *model,
                         const attention_shape *shape, const floor_tile *tile);

/* "ROWS,KEYS" or "ROWS,KEYS,GROUPS". On failure false with one sentence. */
bool floor_tile_parse(floor_tile *tile, const char *text, reason *why);
#define FLOOR_TILE ((floor_tile){64, 128, 1})

/* All figures of a shape; new reference. */
json_t *floor_model_json(const floor_model *model, const floor_model *sustained,
                         const attention_shape *shape, const floor_tile *tile);

/* Adds the section `model` to floor.json: the shapes of the book. */
bool floor_model_add(json_t *floor, reason *why);

#endif
