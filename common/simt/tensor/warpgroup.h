#ifndef WARPGROUP_H
#define WARPGROUP_H

#include "common/simt/run/executor.h"

/* Four warps that make products together. A thread files what it wants, and
 * when all 128 have come it happens for all of them. */

typedef enum {
  WARPGROUP_PRODUCT,
  WARPGROUP_FENCE,
  WARPGROUP_COMMIT,
  WARPGROUP_WAIT,
  WARPGROUP_REGISTERS /* setmaxnreg */
} warpgroup_operation;

typedef struct warpgroup_call {
  warpgroup_operation operation;
  simt_wgmma_tile a, b; /* of a product, as is what follows */
  const unsigned *a_registers;
  float *c;
  uint32_t columns;
  bool accumulate;
  bool more;      /* setmaxnreg.inc */
  uint32_t count; /* registers; or groups that a wait leaves */
} warpgroup_call;

/* One m64nNk32 that has not been waited for. */
typedef struct {
  uint32_t pc, stamp, group, columns;
  simt_wgmma_tile a, b;
  const unsigned **a_registers; /* of each thread; or null */
  struct accumulator *sum;
} product;

typedef struct warpgroup {
  uint32_t arrived;
  bool fenced;        /* a wgmma_fence has been executed */
  uint32_t committed; /* groups */
  uint32_t registers; /* of each thread */
  product *products;
  uint32_t product_count, product_capacity;
  struct accumulator *sums; /* list */
} warpgroup;

void warpgroup_start_block(block *b);
void warpgroup_request(block *b, thread *t);
/* Tells of products that nobody has waited for. */
void warpgroup_exit(block *b, const thread *t);
/* A barrier of the block has passed: products under way still read. */
void warpgroup_read_again(block *b);
const char *warpgroup_waits_in(const warpgroup_call *call);

/* product.c: `lanes` are the 128 threads, each with its call. */
void product_issue(block *b, warpgroup *g, thread *lanes);
void product_wait(block *b, warpgroup *g, thread *lanes, uint32_t groups_left);
void product_drop_all(block *b, warpgroup *g, thread *lanes);
/* Those under way read now as well. */
void product_read_again(block *b, warpgroup *g, const thread *lanes);

/* multiply.c: sum[row][column] += a[row][k] * b[k][column]: 64 rows, 32 deep,
 * columns a multiple of 8. */
enum { PRODUCT_ROWS = 64, PRODUCT_DEPTH = 32, PRODUCT_COLUMNS = 256 };
void multiply_tiles(float *sum, float (*a)[PRODUCT_DEPTH], const float *b,
                    uint32_t columns);
/* The value of each E4M3 code. */
extern const float *const multiply_e4m3;

#endif
