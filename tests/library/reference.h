#ifndef LIBRARY_REFERENCE_H
#define LIBRARY_REFERENCE_H

#include "tests/library/tensors.h"

/* Attention in double, of codes and scales as they are, and by how much the
 * log-sum-exp of tensor cores may differ from it. */
typedef struct {
  double *o;   /* [batch][heads][seq_len][head_dim] */
  double *lse; /* [batch][heads][seq_len], as the two below */
  double *room;
} reference;

reference new_reference(const fp8attention_problem *p); /* all zeros */
reference reference_of(const fp8attention_problem *p);
void free_reference(reference *r);

#endif
