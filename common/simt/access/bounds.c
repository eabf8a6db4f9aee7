/* What gcc calls that sees undefined behaviour. -fsanitize=bounds: where an
 * index leaves its array, before the access is made: arrays of known size, a
 * thread's own and shared ones, each row of a two-dimensional one included.
 * A thread that went on might overwrite the executor's memory, so the launch
 * ends.
 * -fsanitize=shift-exponent: where a shift goes as far as its number is wide,
 * which processors and GPUs answer differently. */

#include "common/simt/access/access.h"
#include "common/simt/run/finding.h"

/* As gcc's library lays them out. */
typedef struct {
  uint16_t kind, bits; /* bits: the lowest for signed */
  char name[];
} type;
typedef struct {
  const char *file;
  uint32_t line, column;
} source_place;
typedef struct {
  source_place place;
  const type *array, *index;
} out_of_bounds;
typedef struct {
  source_place place;
  const type *left, *right;
} out_of_width;

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

void __ubsan_handle_shift_out_of_bounds(const out_of_width *what,
                                        uintptr_t left, uintptr_t by) {
  (void)left;
  if (simt_here && simt_here->checks)
    finding_of_running(simt_here, SIMT_USAGE, CALLER,
                       "a shift by %ld of a number of type %s", (long)by,
                       what->left->name);
}
