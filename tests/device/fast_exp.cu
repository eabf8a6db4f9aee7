// The polynomial exponential against the C library's, in double, over the whole
// range that softmax can ask for. Prints TAP.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "common/device/interface/attention.h"
#include "common/device/interface/launch.cuh"
#include "common/device/math/fast_exp.cuh"
#include "common/harness/program.h"

__global__ void evaluate(const float *x, float *y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = fast_exp(x[i]);
}

static int tests, failures;

static void report(bool good, const char *what, double figure) {
  printf("%sok %d - %s (%.5g)\n", good ? "" : "not ", ++tests, what, figure);
  failures += !good;
}

int main() {
  const int count = 1 << 18;
  std::vector<float> x(count), y(count);
  for (int i = 0; i < count; i++) x[i] = -100.0f * i / (count - 1);
  x[1] = -INFINITY;
  float *device;
  if (cudaMalloc(reinterpret_cast<void **>(&device), 8 * count))
    return EXIT_IMPOSSIBLE;
  cudaMemcpy(device, x.data(), 4 * count, cudaMemcpyHostToDevice);
  LAUNCH(evaluate, count / 256, 256, 0, 0, device, device + count, count);
  cudaMemcpy(y.data(), device + count, 4 * count, cudaMemcpyDeviceToHost);
  if (cudaGetLastError()) return 1;

  double worst = 0.0, mean = 0.0, largest_below = 0.0, rises = 0.0;
  int in_range = 0;
  for (int i = 2; i < count; i++) {
    const double error = y[i] / exp(static_cast<double>(x[i])) - 1.0;
    if (x[i] >= -87.0f) {
      worst = fmax(worst, fabs(error));
      mean += error;
      in_range++;
    } else {
      largest_below = fmax(largest_below, fabs(y[i]));
    }
    if (i > 2) rises = fmax(rises, y[i] / static_cast<double>(y[i - 1]) - 1.0);
  }
  report(worst < 1.1e-4, "relative error from -87 to 0", worst);
  report(fabs(mean / in_range) < 5e-5, "its mean, which p / l cancels",
         mean / in_range);
  report(y[0] == 1.0f, "e^0 is 1 to the last bit", y[0]);
  report(y[1] >= 0.0f && y[1] <= 1.2e-38f, "minus infinity", y[1]);
  report(largest_below < 1.7e-38, "below -87", largest_below);
  report(rises < 2.1e-4, "no jump where the power of two changes", rises);
  printf("1..%d\n", tests);
  return failures ? EXIT_FAILED : EXIT_PASS;
}
