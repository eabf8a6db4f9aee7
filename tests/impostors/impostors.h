#ifndef IMPOSTORS_H
#define IMPOSTORS_H

#include <stdbool.h>

#include "common/device/interface/attention.h"

/* What is done wrong; all zero: nothing. */
typedef struct {
  float softmax_scale_error;   /* relative */
  bool no_rescale;             /* the maximum rises, the old sums stay */
  bool drop_last_tile;         /* keys from the last multiple of 32 on */
  bool neighbours_scale;       /* scales of the next head */
  bool k_untransposed;         /* K[S][D] read as if it were K[D][S] */
  bool row_shifted;            /* row i of the result is stored as row i + 1 */
  bool half_written;           /* the upper half of every row is not stored */
  bool untouched;              /* the output stays as it was */
  bool filled;                 /* all of it becomes this number */
  float fill;
  bool mean_of_v;              /* softmax where all scores are equal */
  bool half_step;              /* codes decode to half a step too much */
  bool half_table;             /* codes from 128 on decode to 0 */
  float result_bias;           /* in steps of fp16, added to the result */
  bool mask_too_wide;          /* under a mask, key i + 1 takes part in row i */
  bool wrong_group;            /* head h reads K/V head h % H_kv */
  p_rounding rounding;         /* no fault: P as this kernel rounds it */
} faults;

/* Attention with an online softmax over tiles of 32 keys, as the stages do it,
 * in fp32 with an fp16 result. The pointers of `a` are host memory. */
cudaError_t attend(const attention_args *a, const faults *f);

#endif
