#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "exponentials beside the products; a maximum that may be late",
      .excuses = {"zero-times-nan", "tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
