#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

/* Kinds of inputs. */
typedef enum {
  NORMAL,         /* every element N(0, 1) */
  LARGE_LOGITS,   /* Q and K 8 times larger: softmax nearly picks one key */
  DOMINANT_KEY,   /* one key of each head is parallel to all its queries */
  CONSTANT_ROWS,  /* all elements of a row are equal */
  MIXED_SCALES,   /* heads whose magnitudes differ by a factor of 1000 */
  ZERO_HEAD,      /* every second head is all zeros */
  ASKED_FOR_ONLY, /* those from here on */
  OFFSET_VALUES = ASKED_FOR_ONLY, /* V around 4, so that sums of it are long */
  REAL,           /* a model's, as recorded.h has them */
  FAR_BELOW,      /* all scores around -32: a key of zeros has all the weight */
  PEAK,  /* a key with half of the weight: by K/V head the first, a late one,
            the last */
  STEP_UP,        /* of half of the keys the scores are just less than 4 or 5
                     powers of two above the others': by head, first or last */
  TINY,           /* Q and K by head down to 2^-121, and so their scales */
  NAN_Q, NAN_K, NAN_V, /* a NaN in the middle row of each of its heads */
  DISTRIBUTION_COUNT
} distribution;

const char *distribution_name(distribution d);

/* DISTRIBUTION_COUNT if there is no such name. */
distribution distribution_parse(const char *name);

#endif
