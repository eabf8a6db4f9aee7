/* The earlier project's 8-bit linear codes, with both of its encoders, under
 * its gates before and after they were loosened. Attention itself is exact, so
 * every error comes from the codes. Exit 1 if the verdicts are not the ones
 * that the book tells of. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/judge/judge.h"
#include "common/harness/program.h"
#include "common/harness/settings.h"

enum { SEED = 1, DEVIATIONS = 5 };

static double decoder(double code) { return (code - 128.0) / 127.0; }
static double matching(double x) { return rint(127.0 * x + 128.0); }
static double changed(double x) { return rint((x + 1.0) * 127.5); }

typedef struct {
  double largest, mean, signed_mean, noise;
} errors;

static void require(bool good, const char *why) {
  if (good) return;
  fprintf(stderr, "linear_codes: %s\n", why);
  exit(EXIT_IMPOSSIBLE);
}

/* Every value of a head to its code and back; a head's largest is 1. */
static void through_codes(float *values, const attention_shape *shape,
                          double (*encoder)(double)) {
  const int64_t count = shape->seq_len * shape->head_dim;
  for (int64_t head = 0; head < shape->batch * shape->heads; head++) {
    float *value = values + head * count, largest = 0.0f;
    for (int64_t i = 0; i < count; i++)
      largest = fmaxf(largest, fabsf(value[i]));
    for (int64_t i = 0; i < count; i++)
      value[i] = (float)(largest * decoder(encoder(value[i] / largest)));
  }
}

static void attend(references *r, const attention_shape *shape,
                   double (*encoder)(double)) {
  reason why = {""};
  problem p;
  require(problem_new(&p, shape, NORMAL, SEED, &why), why.text);
  if (encoder) {
    through_codes(p.q, shape, encoder);
    through_codes(p.k, shape, encoder);
    through_codes(p.v, shape, encoder);
  }
  require(references_new(r, &p, P_FP32, false, &why), why.text);
  problem_free(&p);
}

/* The noise is that of the mean over heads and columns: the errors of one
 * column share the rounding of V. */
static errors measure(const references *r, const references *right,
                      int64_t rows) {
  errors e = {0};
  double squares = 0.0, sum = 0.0;
  const int64_t d = r->head_dim, columns = r->count / rows * d;
  for (int64_t column = 0; column < columns; column++) {
    double column_sum = 0.0;
    for (int64_t i = 0; i < rows; i++) {
      const int64_t at = (column / d * rows + i) * d + column % d;
      const double error = r->exact[at] - right->exact[at];
      e.largest = fmax(e.largest, fabs(error));
      e.mean += fabs(error) / (double)(r->count * d);
      column_sum += error / (double)rows;
    }
    sum += column_sum;
    squares += column_sum * column_sum;
  }
  const double n = (double)columns;
  e.signed_mean = sum / n;
  e.noise = sqrt((squares - sum * sum / n) / (n - 1.0) / n);
  return e;
}

static bool within(const errors *e, double largest, double mean) {
  return e->largest <= largest && e->mean <= mean;
}

static bool unbiased(const errors *e) {
  return fabs(e->signed_mean) <= DEVIATIONS * e->noise;
}

static void print_verdicts(const char *gate, bool one, bool other) {
  printf("%-36s %12s %16s\n", gate, one ? "passed" : "FAILED",
         other ? "passed" : "FAILED");
}

int main(void) {
  reason why = {""};
  attention_shape shape;
  references right, one, other;
  require(case_parse(&shape, NULL, "mission", &why), why.text);
  attend(&right, &shape, NULL);
  attend(&one, &shape, matching);
  attend(&other, &shape, changed);
  const errors a = measure(&one, &right, shape.seq_len);
  const errors b = measure(&other, &right, shape.seq_len);
  printf("%-36s %12s %16s\n", "mission, seed 1; the encoder writes",
         "127 x + 128", "(x + 1) * 127.5");
  printf("%-36s %12.4f %16.4f\n", "largest error", a.largest, b.largest);
  printf("%-36s %12.4f %16.4f\n", "mean error", a.mean, b.mean);
  printf("%-36s %+12.5f %+16.5f\n", "signed mean error", a.signed_mean,
         b.signed_mean);
  printf("%-36s %12.5f %16.5f\n", "five times its noise",
         DEVIATIONS * a.noise, DEVIATIONS * b.noise);
  print_verdicts("gates as they were: 0.05 and 0.01", within(&a, 0.05, 0.01),
                 within(&b, 0.05, 0.01));
  print_verdicts("gates loosened: 0.06 and 0.02", within(&a, 0.06, 0.02),
                 within(&b, 0.06, 0.02));
  print_verdicts("signed mean within its noise", unbiased(&a), unbiased(&b));
  const bool as_told = within(&a, 0.05, 0.01) && !within(&b, 0.05, 0.01) &&
                       within(&b, 0.06, 0.02) && unbiased(&a) && !unbiased(&b);
  references_free(&right);
  references_free(&one);
  references_free(&other);
  return as_told ? 0 : 1;
}
