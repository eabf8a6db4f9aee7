#include "common/harness/stage.h"

/* The host program of a lab's kernel: the stages' own. */
int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "the kernel that you are building",
  };
  return stage_main(&stage, argc, argv);
}
