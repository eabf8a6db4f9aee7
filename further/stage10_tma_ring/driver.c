#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "K and V come by TMA, one instruction a tile",
      .excuses = {"zero-times-nan", "tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
