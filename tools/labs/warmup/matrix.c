#include "tools/labs/warmup/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

enum { LARGEST = 4096 };
/* What of the smallest numbers a sum may lose: far below all others. */
static const float LOST = 1e-34f;

bool matrix_case_read(const char *text, bool whole, matrix_case *c,
                      reason *why) {
  char end = '\0';
  unsigned long long seed = 0;
  int processors = 0;
  *c = (matrix_case){0};
  const int got =
      whole ? sscanf(text, "%d,%d/%*[a-z-]/%llu/%d%c", &c->rows, &c->columns,
                     &seed, &processors, &end)
            : sscanf(text, "%d,%d%c", &c->rows, &c->columns, &end);
  if (got != (whole ? 4 : 2))
    return refuse(why, "'%s' is no matrix: it is ROWS,COLUMNS%s.", text,
                  whole ? "/KIND/SEED/MULTIPROCESSORS" : "");
  if (c->rows < 1 || c->columns < 1 || c->rows > LARGEST ||
      c->columns > LARGEST)
    return refuse(why, "Rows and columns are from 1 to %d.", LARGEST);
  c->seed = seed;
  snprintf(c->name, sizeof c->name, "%d,%d", c->rows, c->columns);
  return true;
}

size_t matrix_count(const matrix_case *c) {
  return (size_t)c->rows * (size_t)c->columns;
}

size_t matrix_answers(const matrix_case *c) {
  return 2 * matrix_count(c) + (size_t)c->rows;
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Some of every eighth row are special, all of one kind: copies keep them, and
 * sums become what they are. Beside NaNs stand numbers of any bits. */
static bool has_specials(const matrix_case *c, int row) {
  return ((uint64_t)row + c->seed) % 8 == 5;
}

/* Sums of a row are exact in any order: its numbers are multiples of one power
 * of two, and 24 bits hold the sum of as many as a row has. */
float *matrix_values(const matrix_case *c) {
  static const float specials[] = {INFINITY, -INFINITY, NAN,
                                   -0.0f,    1e-40f,    INFINITY};
  enum { SPECIALS = sizeof specials / sizeof *specials, BOTH = SPECIALS - 1 };
  float *values = malloc(matrix_count(c) * sizeof *values);
  const uint32_t range = (1u << 24) / (uint32_t)c->columns;
  for (size_t i = 0; values && i < matrix_count(c); i++) {
    const uint32_t bits = random_bits(c->seed, 0, i);
    const int row = (int)(i / (size_t)c->columns);
    const int exponent = (int)(random_bits(c->seed, 1, (uint64_t)row) % 200);
    const int kind = row / 8 % SPECIALS;
    values[i] =
        ldexpf((float)(bits % range) - (float)(range / 2), exponent - 100);
    if (!has_specials(c, row)) continue;
    const bool has_nan = isnan(specials[kind]) && c->columns >= 3;
    if (i % 3) {
      if (has_nan && isfinite(float_of(bits))) values[i] = float_of(bits);
      continue;
    }
    values[i] = specials[kind];
    if (kind == BOTH && i % 2) values[i] = -INFINITY;
    if (isnan(values[i])) /* of any bits that make a quiet one */
      values[i] = float_of(0x7FC00000u | (bits & 0x803FFFFFu));
  }
  return values;
}

/* A number of one answer; what nobody has written is no number. */
static bool is_right(const char *what, int row, int column, float have,
                     float want, reason *why) {
  if (!memcmp(&have, &want, sizeof have)) return true;
  if (isnan(have))
    return refuse(why, "%s: row %d, column %d was not written, or with what "
                  "nobody had set: make labw race says", what, row, column);
  return refuse(why, "%s: row %d, column %d is %g and not %g", what, row,
                column, (double)have, (double)want);
}

/* One answer whole, before the next: who works at the copy is told of it. */
static bool judge(const matrix_case *c, const float *in, const float *answers,
                  reason *why) {
  const float *copied = answers, *sums = copied + matrix_count(c);
  const float *turned = sums + c->rows;
  for (int row = 0; row < c->rows; row++)
    for (int column = 0; column < c->columns; column++)
      if (!is_right("the copy", row, column, copied[row * c->columns + column],
                    in[row * c->columns + column], why))
        return false;
  for (int column = 0; column < c->columns; column++)
    for (int row = 0; row < c->rows; row++)
      if (!is_right("the copy is right; the transpose", column, row,
                    turned[column * c->rows + row],
                    in[row * c->columns + column], why))
        return false;
  for (int row = 0; row < c->rows; row++) {
    float sum = 0;
    for (int column = 0; column < c->columns; column++)
      sum += in[row * c->columns + column];
    if (isnan(sums[row]) && isnan(sum)) continue;
    if (isnan(sums[row]))
      return refuse(why, "copy and transpose are right; the sum of row %d is "
                         "no number, or was not written", row);
    if (isinf(sum) ? sums[row] != sum : !(fabsf(sums[row] - sum) < LOST))
      return refuse(why,
                    "copy and transpose are right; the sum of row %d is %g and "
                    "not %g", row, (double)sums[row], (double)sum);
  }
  return true;
}

bool matrix_judge(const matrix_case *c, const float *answers, reason *why) {
  float *in = matrix_values(c);
  const bool good = in ? judge(c, in, answers, why)
                       : refuse(why, "There is too little memory to judge.");
  free(in);
  return good;
}
