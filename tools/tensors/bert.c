#include "tools/tensors/bert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run: the hidden rows, and rooms for what a layer computes of them. */
typedef struct {
  const safetensors *weights;
  int rows;
  float *x, *mixed, *inner; /* [row][WIDTH], the same, [row][INNER] */
  reason *why;
  bool good; /* all weights were there so far */
} run;

static const float *find(run *r, const char *part, const char *name,
                         size_t count) {
  char full[128];
  snprintf(full, sizeof full, "%s%s", part, name);
  const float *found = safetensors_find(r->weights, full, count, r->why);
  r->good = r->good && found;
  return found;
}

/* out[row][outs] = in[row][ins] times the transposed weight, and the bias. */
static void linear(run *r, const char *part, const char *name, const float *in,
                   int ins, float *out, int outs) {
  char weight[64], bias[64];
  snprintf(weight, sizeof weight, "%s.weight", name);
  snprintf(bias, sizeof bias, "%s.bias", name);
  const float *w = find(r, part, weight, (size_t)ins * (size_t)outs);
  const float *b = find(r, part, bias, (size_t)outs);
  if (!r->good) return;
  for (int row = 0; row < r->rows; row++)
    for (int o = 0; o < outs; o++) {
      double sum = b[o];
      for (int i = 0; i < ins; i++)
        sum += (double)in[row * ins + i] * w[(size_t)o * (size_t)ins + i];
      out[row * outs + o] = (float)sum;
    }
}

/* x = normalised(x + more), each row to mean 0 and variance 1, then scaled. */
static void normalise(run *r, const char *part, const char *name,
                      const float *more) {
  char weight[64], bias[64];
  snprintf(weight, sizeof weight, "%s.weight", name);
  snprintf(bias, sizeof bias, "%s.bias", name);
  const float *w = find(r, part, weight, BERT_WIDTH);
  const float *b = find(r, part, bias, BERT_WIDTH);
  if (!r->good) return;
  for (int row = 0; row < r->rows; row++) {
    float *x = r->x + row * BERT_WIDTH;
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < BERT_WIDTH; i++) {
      x[i] += more[row * BERT_WIDTH + i];
      mean += x[i] / (double)BERT_WIDTH;
    }
    for (int i = 0; i < BERT_WIDTH; i++)
      variance += (x[i] - mean) * (x[i] - mean) / BERT_WIDTH;
    const double unit = 1.0 / sqrt(variance + 1e-12);
    for (int i = 0; i < BERT_WIDTH; i++)
      x[i] = (float)((x[i] - mean) * unit * w[i] + b[i]);
  }
}

static void embed(run *r, const int *pieces) {
  const char *part = "embeddings.";
  const float *word = find(r, part, "word_embeddings.weight",
                           (size_t)BERT_WORDS * BERT_WIDTH);
  const float *place = find(r, part, "position_embeddings.weight",
                            (size_t)BERT_ROWS * BERT_WIDTH);
  const float *type = find(r, part, "token_type_embeddings.weight",
                           (size_t)2 * BERT_WIDTH);
  if (!r->good) return;
  for (int row = 0; row < r->rows; row++)
    for (int i = 0; i < BERT_WIDTH; i++) {
      r->x[row * BERT_WIDTH + i] = word[pieces[row] * BERT_WIDTH + i];
      r->mixed[row * BERT_WIDTH + i] = place[row * BERT_WIDTH + i] + type[i];
    }
  normalise(r, part, "LayerNorm", r->mixed);
}

/* One row of one head into out[BERT_HEAD_DIM]. */
static void attend(const bert_attention *a, int rows, int row, int head,
                   float *out) {
  double score[BERT_ROWS], top = -INFINITY, sum = 0.0;
  double o[BERT_HEAD_DIM] = {0};
  const int first = head * BERT_HEAD_DIM;
  for (int n = 0; n < rows; n++) {
    score[n] = 0.0;
    for (int c = first; c < first + BERT_HEAD_DIM; c++)
      score[n] += (double)a->q[row * BERT_WIDTH + c] * a->k[n * BERT_WIDTH + c];
    score[n] /= sqrt(BERT_HEAD_DIM);
    top = fmax(top, score[n]);
  }
  for (int n = 0; n < rows; n++) {
    const double p = exp(score[n] - top);
    sum += p;
    for (int c = 0; c < BERT_HEAD_DIM; c++)
      o[c] += p * a->v[n * BERT_WIDTH + first + c];
  }
  for (int c = 0; c < BERT_HEAD_DIM; c++) out[first + c] = (float)(o[c] / sum);
}

static void layer(run *r, int number, bert_attention *a) {
  char part[48];
  float *heads = r->inner; /* before it is used for what it is */
  snprintf(part, sizeof part, "encoder.layer.%d.", number);
  linear(r, part, "attention.self.query", r->x, BERT_WIDTH, a->q, BERT_WIDTH);
  linear(r, part, "attention.self.key", r->x, BERT_WIDTH, a->k, BERT_WIDTH);
  linear(r, part, "attention.self.value", r->x, BERT_WIDTH, a->v, BERT_WIDTH);
  if (!r->good) return;
  for (int row = 0; row < r->rows; row++)
    for (int head = 0; head < BERT_HEADS; head++)
      attend(a, r->rows, row, head, heads + row * BERT_WIDTH);
  linear(r, part, "attention.output.dense", heads, BERT_WIDTH, r->mixed,
         BERT_WIDTH);
  normalise(r, part, "attention.output.LayerNorm", r->mixed);
  linear(r, part, "intermediate.dense", r->x, BERT_WIDTH, r->inner,
         BERT_INNER);
  for (int i = 0; i < r->rows * BERT_INNER; i++)
    r->inner[i] *= (float)(0.5 * (1.0 + erf(r->inner[i] * sqrt(0.5))));
  linear(r, part, "output.dense", r->inner, BERT_INNER, r->mixed, BERT_WIDTH);
  normalise(r, part, "output.LayerNorm", r->mixed);
}

bool bert_run(const safetensors *weights, const int *pieces, int rows,
              bert_attention each[BERT_LAYERS], reason *why) {
  const size_t size = (size_t)rows * sizeof(float);
  run r = {weights, rows, malloc(size * BERT_WIDTH), malloc(size * BERT_WIDTH),
           malloc(size * BERT_INNER), why, true};
  const bool enough = r.x && r.mixed && r.inner;
  if (!enough) refuse(why, "Too little memory for %d rows.", rows);
  r.good = enough;
  if (enough) embed(&r, pieces);
  for (int i = 0; i < BERT_LAYERS && r.good; i++) layer(&r, i, &each[i]);
  free(r.x);
  free(r.mixed);
  free(r.inner);
  return r.good;
}
