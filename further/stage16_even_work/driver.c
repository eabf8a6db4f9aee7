#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage16_even_work",
      .summary = "even work: snake order, masked tiles, block by shape",
  };
  return stage_main(&stage, argc, argv);
}
