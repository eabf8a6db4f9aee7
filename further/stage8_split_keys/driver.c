#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage8_split_keys",
      .summary = "two tiles of rows a warp; in a small grid keys are split",
  };
  return stage_main(&stage, argc, argv);
}
