/* What gcc's -fsanitize=bounds calls where an index leaves its array, before
 * the access is made: arrays of known size, a thread's own and shared ones,
 * each row of a two-dimensional one included. A thread that went on might
 * overwrite the executor's memory, so the launch ends. */

#include "common/simt/access/access.h"
#include "common/simt/run/finding.h"

/* As gcc's library lays them out. */
typedef struct {
  uint16_t kind, bits; /* bits: the lowest for signed */
  char name[];
} type;
typedef struct {
  struct {
    const char *file;
    uint32_t line, column;
  } place;
  const type *array, *index;
} out_of_bounds;

#define sentence "index %ld of an array, or of a row of one, of type %s"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __ubsan_handle_out_of_bounds(const out_of_bounds *what, uintptr_t index) {
  const uint32_t pc = CALLER;
  block *b = simt_here;
  if (b && !b->checks) return;
  if (b)
    finding_of_running(b, SIMT_INDEX, pc, sentence, (long)index,
                       what->array->name);
  else
    finding_of_host(SIMT_INDEX, pc, sentence, (long)index, what->array->name);
  if (b) block_abort(b, cudaErrorIllegalAddress);
}
