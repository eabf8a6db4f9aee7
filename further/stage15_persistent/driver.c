#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "blocks that stay and take one tile of rows after another",
      .excuses = {"zero-times-nan", "tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
