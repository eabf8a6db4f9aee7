#ifndef BERT_H
#define BERT_H

#include "tools/tensors/safetensors.h"

/* all-MiniLM-L6-v2: a BERT (Devlin et al., arXiv:1810.04805) of six layers. */
enum {
  BERT_WIDTH = 384,
  BERT_HEADS = 12,
  BERT_HEAD_DIM = BERT_WIDTH / BERT_HEADS,
  BERT_LAYERS = 6,
  BERT_ROWS = 512,
  BERT_INNER = 1536,
  BERT_WORDS = 30522
};

/* What attention gets in one layer: [row][BERT_WIDTH], head by head in a row,
 * not yet times the softmax scale. */
typedef struct {
  float *q, *k, *v;
} bert_attention;

/* Runs the model on the first `rows` pieces of words and keeps what attention
 * gets in each layer: each.q, k and v hold rows * BERT_WIDTH numbers. False
 * with one sentence where weights are missing or memory is short. */
bool bert_run(const safetensors *weights, const int *pieces, int rows,
              bert_attention each[BERT_LAYERS], reason *why);

#endif
