#ifndef PRODUCT_H
#define PRODUCT_H

#include "common/simt/run/block.h"

/* Products of a warpgroup that are under way. `lanes` are its 128 threads. */

/* What the request of a thread that issues one calls. */
typedef struct {
  simt_wgmma_tile a, b;
  const unsigned *a_registers; /* null: a is in shared memory */
  float *c;
  uint32_t columns;
  bool accumulate;
} product_call;

/* One m64nNk32 that has not been waited for. */
typedef struct {
  uint32_t pc, stamp, group, columns;
  simt_wgmma_tile a, b;
  const unsigned **a_registers; /* of each thread; or null */
  struct accumulator *sum;
} product;

typedef struct {
  bool fenced;        /* a wgmma_fence has been executed */
  uint32_t committed; /* groups */
  product *all;
  uint32_t count, capacity;
  struct accumulator *sums; /* list */
} product_list;

void product_issue(block *b, product_list *g, const thread *lanes);
void product_wait(block *b, product_list *g, const thread *lanes,
                  uint32_t groups_left);
void product_drop_all(block *b, product_list *g, const thread *lanes);

/* A barrier of the block has passed: those under way read now as well. */
void product_read_again(block *b, product_list *g, const thread *lanes);

#endif
