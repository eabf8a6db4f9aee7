#include "common/harness/problem/check_case.h"

#include <stdlib.h>

void case_list_free(case_list *list) {
  free(list->cases);
  *list = (case_list){0};
}
