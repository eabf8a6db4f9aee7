#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage15_persistent",
      .summary = "blocks that stay and take one tile of rows after another",
  };
  return stage_main(&stage, argc, argv);
}
