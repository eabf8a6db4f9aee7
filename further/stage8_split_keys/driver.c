#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "two tiles of rows a warp; in a small grid keys are split",
      .excuses = {"tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
