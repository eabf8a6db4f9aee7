#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "K and V by ldmatrix, spread over the banks by a swizzle",
      .excuses = {"tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
