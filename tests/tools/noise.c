/* What samples.c says of two lists of as many numbers: the first one's median
 * and 90th percentile, and the noise between them. */
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/time/samples.h"

int main(int argc, char **argv) {
  const int half = (argc - 1) / 2;
  samples a = samples_new(half), b = samples_new(half);
  for (int i = 0; i < half; i++) {
    a.us[i] = strtof(argv[1 + i], NULL);
    b.us[i] = strtof(argv[1 + half + i], NULL);
  }
  samples_summarise(&a);
  printf("%.3f %.3f %.3f\n", a.p50, a.p90, samples_noise(&a, &b, 10));
  samples_free(&a);
  samples_free(&b);
}
