#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage14_overlap",
      .summary = "exponentials beside the products; a maximum that may be late",
  };
  return stage_main(&stage, argc, argv);
}
