#ifndef SAMPLES_H
#define SAMPLES_H

/* Times of the same thing, in microseconds, in the order they were taken. */
typedef struct {
  int count;
  float *us;
  double p50, p90, p99, mean, deviation;
} samples;

/* Room for `count` samples; `us` is NULL if memory is short. */
samples samples_new(int count);
void samples_free(samples *s);

/* Fills p50 to deviation from us[0..count-1]. A percentile is the smallest
 * sample that at least that share of the samples does not exceed. */
void samples_summarise(samples *s);

/* The noise of a comparison: the largest difference between the medians of
 * two identical arms over `batches` equal, consecutive parts. */
double samples_noise(const samples *a, const samples *b, int batches);

#endif
