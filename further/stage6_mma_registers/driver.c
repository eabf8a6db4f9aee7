#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "scores and P never leave registers: mma.sync",
      .excuses = {"tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
