#ifndef GATES_H
#define GATES_H

#include "common/harness/judge/reference.h"

/* Each gate is a verdict of its own: a figure, and the limit it must keep.
 * FINITE          no element of the whole output is NaN or infinite, but for
 *                 those that must be NaN, since one takes part: these are
 * MAX_ABS_ERR     largest |o - exact|            \  the original project's,
 * MEAN_ABS_ERR    mean |o - exact|                > made for normal inputs,
 * PCT_BAD         share of |o - exact| > limit   /  and judging only those
 * REL_RMS         RMS(o - quantised) / RMS(quantised) of the worst head, at
 *                 most rel_rms_ratio times that of references.same
 * SIGNED_MEAN     |mean(o - quantised)|, at most its statistical noise
 * What must be NaN is judged by FINITE alone. The limits are in settings.json.
 * An absolute gate that exact arithmetic on the quantised inputs fails, or
 * nearly, or references.same, judges the formats of inputs and P and not the
 * kernel: it is not judged there, and `format` says what they cost alone. This
 * holds for well quantised inputs only, or it would excuse a bad encoder. */
typedef enum {
  GATE_FINITE,
  GATE_MAX_ABS_ERR,
  GATE_MEAN_ABS_ERR,
  GATE_PCT_BAD,
  GATE_REL_RMS,
  GATE_SIGNED_MEAN,
  GATE_COUNT
} gate;

typedef enum { NOT_JUDGED, PASSED, FAILED } verdict;

typedef struct {
  double figure[GATE_COUNT], limit[GATE_COUNT];
  double format[GATE_COUNT]; /* absolute gates: what the formats cost */
  verdict verdict[GATE_COUNT];
} gates_result;

const char *gate_name(gate g); /* max_abs_err, as in settings.json */

/* Judges `o`, the whole output [B][H][S][D] in fp16 bits. Returns false if
 * memory is short; then nothing was judged. */
bool gates_judge(gates_result *result, const uint16_t *o, const problem *p,
                 const references *r);

/* True if every gate that was judged passed, and at least one was. */
bool gates_passed(const gates_result *result);

#endif
