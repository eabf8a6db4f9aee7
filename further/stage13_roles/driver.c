#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage13_roles",
      .summary = "one warpgroup brings and turns tiles, the others consume",
  };
  return stage_main(&stage, argc, argv);
}
