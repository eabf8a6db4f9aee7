#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage10_tma_ring",
      .summary = "K and V come by TMA, one instruction a tile",
  };
  return stage_main(&stage, argc, argv);
}
