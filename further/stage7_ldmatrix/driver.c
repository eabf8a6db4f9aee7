#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage7_ldmatrix",
      .summary = "K and V by ldmatrix, spread over the banks by a swizzle",
  };
  return stage_main(&stage, argc, argv);
}
