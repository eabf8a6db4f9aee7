#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "P.V on tensor cores too, P rounded to half",
  };
  return stage_main(&stage, argc, argv);
}
