/* Records Q, K and V of a model's layers while it reads a text:
 *   tensors MODEL TEXT FILE LAYER...
 * MODEL is the folder with model.safetensors and vocab.txt of all-MiniLM-L6-v2,
 * FILE what common/harness/recorded/recorded.h describes. Layers count from 1.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/half.h"
#include "common/harness/recorded/recorded.h"
#include "common/harness/program/exit_codes.h"
#include "tools/tensors/bert.h"
#include "tools/tensors/wordpiece.h"

enum { TENSORS = 3 };

static bool cut(const char *model, const char *text, int *pieces, int *rows,
                reason *why) {
  char path[1024];
  snprintf(path, sizeof path, "%s/vocab.txt", model);
  *rows = wordpiece_cut(path, text, pieces, BERT_ROWS, why);
  for (int i = 0; i < *rows; i++)
    if (pieces[i] >= BERT_WORDS)
      return refuse(why, "%s has more words than the model.", path);
  return *rows > 0;
}

static bool run(const char *model, const int *pieces, int rows,
                bert_attention each[BERT_LAYERS], reason *why) {
  char path[1024];
  safetensors weights;
  snprintf(path, sizeof path, "%s/model.safetensors", model);
  const bool good = safetensors_open(&weights, path, why) &&
                    bert_run(&weights, pieces, rows, each, why);
  safetensors_close(&weights);
  return good;
}

/* The numbers in the file's order, each low byte first. */
static void put(unsigned char *bytes, const bert_attention *each,
                const int *layer, const recorded *r) {
  size_t at = 0;
  for (int l = 0; l < r->layers; l++)
    for (int t = 0; t < TENSORS; t++) {
      const bert_attention *a = &each[layer[l] - 1];
      const float *values = t == RECORDED_Q ? a->q : t == RECORDED_K ? a->k
                                                                     : a->v;
      for (int h = 0; h < r->heads; h++)
        for (int row = 0; row < r->rows; row++)
          for (int c = 0; c < r->width; c++) {
            const uint16_t bits =
                half_encode(values[row * BERT_WIDTH + h * r->width + c]);
            bytes[at++] = (unsigned char)bits;
            bytes[at++] = (unsigned char)(bits >> 8);
          }
    }
}

/* Whole or not at all. */
static bool write_file(const char *path, const recorded *r,
                       const unsigned char *bytes, reason *why) {
  char beside[1024], header[RECORDED_HEADER + 1], line[RECORDED_HEADER + 1];
  const size_t size = 2 * recorded_count(r);
  snprintf(beside, sizeof beside, "%s.new", path);
  snprintf(line, sizeof line, RECORDED_LINE, r->layers, r->heads, r->rows,
           r->width, recorded_checksum(bytes, size));
  line[strlen(line) - 1] = '\0'; /* the newline comes behind the blanks */
  snprintf(header, sizeof header, "%-*s\n", RECORDED_HEADER - 1, line);
  FILE *file = fopen(beside, "wb");
  if (!file)
    return refuse(why, "Cannot write %s: %s.", beside, strerror(errno));
  const bool written = fwrite(header, 1, RECORDED_HEADER, file) ==
                           RECORDED_HEADER &&
                       fwrite(bytes, 1, size, file) == size;
  if (fclose(file) || !written || rename(beside, path)) {
    remove(beside);
    return refuse(why, "Cannot write all of %s.", path);
  }
  return true;
}

static bool record(const char *model, const char *text, const char *path,
                   const int *layer, int layers, reason *why) {
  int pieces[BERT_ROWS];
  recorded r = {layers, BERT_HEADS, 0, BERT_HEAD_DIM, NULL};
  bert_attention each[BERT_LAYERS];
  if (!cut(model, text, pieces, &r.rows, why)) return false;
  const size_t numbers = (size_t)r.rows * BERT_WIDTH;
  float *room = malloc(BERT_LAYERS * TENSORS * numbers * sizeof *room);
  unsigned char *bytes = malloc(2 * recorded_count(&r));
  bool good = room && bytes;
  if (!good) refuse(why, "Too little memory for the tensors.");
  for (size_t i = 0; good && i < BERT_LAYERS; i++)
    each[i] = (bert_attention){room + (TENSORS * i + RECORDED_Q) * numbers,
                               room + (TENSORS * i + RECORDED_K) * numbers,
                               room + (TENSORS * i + RECORDED_V) * numbers};
  good = good && run(model, pieces, r.rows, each, why);
  if (good) put(bytes, each, layer, &r);
  good = good && write_file(path, &r, bytes, why);
  if (good) printf("wrote %s: %d rows\n", path, r.rows);
  free(room);
  free(bytes);
  return good;
}

int main(int argc, char **argv) {
  int layer[BERT_LAYERS];
  const int layers = argc - 4;
  reason why = {""};
  bool good = layers >= 1 && layers <= BERT_LAYERS;
  for (int i = 0; good && i < layers; i++) {
    layer[i] = atoi(argv[4 + i]);
    good = layer[i] >= 1 && layer[i] <= BERT_LAYERS;
  }
  if (!good)
    return give_up(NULL, EXIT_USAGE,
                   "Usage: tensors MODEL TEXT FILE LAYER..., layers 1 to 6.");
  if (!record(argv[1], argv[2], argv[3], layer, layers, &why))
    return give_up("tensors", EXIT_IMPOSSIBLE, why.text);
  return EXIT_PASS;
}
