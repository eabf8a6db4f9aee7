#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage13_roles",
      .summary = "one warpgroup loads and transposes, the others compute",
  };
  return stage_main(&stage, argc, argv);
}
