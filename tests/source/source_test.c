/* The library that finds places in a kernel and edits them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/unit.h"
#include "tools/source/place.h"

static const char kernel[] =
    "//> head\n"
    "#include <mma.h>\n"
    "// Says: f(1); and //> no-region\n"
    "#define TWICE(x) \\\n"
    "  #x; f(2)\n"
    "template <int N, int SLOTS = 2>\n"
    "struct shape {\n"
    "  static constexpr int SIZE = N * 2;  // bytes\n"
    "};\n"
    "//< head\n"
    "\n"
    "//> load\n"
    "__device__ void copy(int n, const char *text = \"wait(1); }\") {\n"
    "  float m[2] = {0.0f, 1.0f}, l[2] = {};\n"
    "  const auto say = [&](int step) { arrive(&full[step % 2]); };\n"
    "  const auto sum = [&](int c) -> float4 & {\n"
    "    return all[c];\n"
    "  };\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 4; i++) {\n"
    "    wait<1>(s);  // the first; of two\n"
    "    if (n > 0) wait(0);\n"
    "    else\n"
    "      arrive( /* a comment */ n,\n"
    "             m[0]);\n"
    "  }\n"
    "//< load\n"
    "#if A\n"
    "//> half\n"
    "  for (;;) {\n"
    "    __syncthreads();\n"
    "//< half\n"
    "#else\n"
    "  {\n"
    "    __syncthreads();\n"
    "#endif\n"
    "  }\n"
    "//> rest\n"
    "  while (n < 1'000) n += 'a' >= 2 ? 0x1Fu : 1.5e-3f;\n"
    "  // Two barriers\n"
    "  // in a row\n"
    "  __syncthreads();\n"
    "  __syncthreads();  // again\n"
    "  if (x) return;\n"
    "}\n"
    "//< rest\n";

static void open_text(source *s, const char *text) {
  if (!source_from_text(s, "kernel.cu", text)) fail_msg("%s", s->why.text);
}

/* What is not closed ends: no read beyond the text. */
static void test_unclosed(void **state) {
  (void)state;
  static const char *const texts[] = {"\"abc", "'", "/* abc", "\"a\\", "\\",
                                      "f(", "a[", "{", "}}}", ")", "#", "<<"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    source s;
    open_text(&s, texts[i]);
    source_free(&s);
  }
}

static void test_bad_regions(void **state) {
  (void)state;
  static const char *const texts[] = {
      "\n//> a\n", "//> a\n//< b\n", "//> a\n//< a\n//> a\n//< a\n",
      "//> a\n//< a\n//< a\n"};
  source s;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_false(source_from_text(&s, "kernel.cu", texts[i]));
    assert_non_null(strstr(s.why.text, "kernel.cu:"));
    source_free(&s);
  }
  assert_false(source_read(&s, "/nowhere/kernel.cu"));
  assert_non_null(strstr(s.why.text, "/nowhere/kernel.cu"));
  source_free(&s);
}

/* ---- places ---- */

static void test_places(void **state) {
  (void)state;
  static const char *const found[][2] = {
      {"load: 1st wait", "wait<1>(s);"},
      {"load: last wait", "if (n > 0) wait(0);"},
      {"load: wait < 1 >", "wait<1>(s);"},
      {"load: arrive(n, m", "else\n"},
      {"load: 1st statement", "__device__ void copy"},
      {"rest: last statement", "if (x) return;"},
      {"load: for (int i", "for (int i = 0; i < 4; i++) {"},
      {"head: #define TWICE", "#define TWICE"},
      {"load: #pragma", "#pragma unroll"},
      {"half: __syncthreads", "__syncthreads();\n//< half"},
      {"*: 2nd __syncthreads", "__syncthreads();\n#endif"},
      {"rest", "//> rest\n"}};
  source s;
  place at;
  open_text(&s, kernel);
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    if (!place_find(&s, found[i][0], &at)) fail_msg("%s", s.why.text);
    if (strncmp(s.text + at.begin, found[i][1], strlen(found[i][1])))
      fail_msg("'%s' is '%.40s'", found[i][0], s.text + at.begin);
  }
  source_free(&s);
}

/* ---- sites ---- */

static void test_sites(void **state) {
  (void)state;
  static const char *const rule[] = {"wait*", "arrive", "__syncthreads", NULL};
  static const char *const wanted[] = {
      "load: 1st arrive", "load: 1st wait", "load: 2nd wait",
      "load: 2nd arrive", "half: __syncthreads", "*: 2nd __syncthreads",
      "rest: 1st __syncthreads", "rest: 2nd __syncthreads"};
  source s;
  site found[16];
  open_text(&s, kernel);
  assert_int_equal(sites_find(&s, rule, found, 2), 8);
  assert_int_equal(sites_find(&s, rule, found, 16), 8);
  for (int i = 0; i < 8; i++) {
    char name[64];
    place at;
    site_name(&s, &found[i], name, sizeof name);
    assert_string_equal(name, wanted[i]);
    assert_true(place_find(&s, name, &at));
    assert_ptr_equal(at.statement, found[i].statement);
  }
  source_free(&s);
}

/* ---- edits ---- */

/* The edit makes of `text` in the kernel the text `made`, and changes nothing
 * else. */
static void edited(const char *name, const char *words, const char *text,
                   const char *made) {
  source s;
  place at;
  edit edits[2];
  int count = 0;
  open_text(&s, kernel);
  if (!place_find(&s, name, &at) || !edit_read(&s, &at, words, edits, &count))
    fail_msg("%s", s.why.text);
  char *result = edits_apply(&s, edits, count);
  const char *old = strstr(kernel, text);
  assert_non_null(old);
  char *expected = NULL;
  assert_true(asprintf(&expected, "%.*s%s%s", (int)(old - kernel), kernel, made,
                       old + strlen(text)) > 0);
  assert_string_equal(result, expected);
  free(expected);
  free(result);
  edits_free(edits, count);
  source_free(&s);
}

static void test_edits(void **state) {
  (void)state;
  static const char first[] = "wait<1>(s);  // the first; of two";
  static const char other[] = "arrive( /* a comment */ n,\n             m[0]);";
  static const char both[] = "wait<1>(s);  // the first; of two\n"
                             "    if (n > 0) wait(0);";
  static const char turned[] = "if (n > 0) wait(0);  // the first; of two\n"
                               "    wait<1>(s);";
  edited("load: 1st wait", "remove", "    wait<1>(s);  // the first; of two\n",
         "");
  edited("load: 1st arrive", "remove", "arrive(&full[step % 2]);", "");
  edited("load: 1st wait", "empty", first, ";");
  edited("load: 2nd wait", "empty", "wait(0);", ";");
  edited("load: 2nd arrive", "empty", other, ";");
  edited("load: 1st wait", "double", "two\n", "two\n    wait<1>(s);\n");
  edited("load: 1st wait", "before f();\\ng();", "wait<1>",
         "f();\n    g();\n    wait<1>");
  edited("load: for (int i", "before f();", "#pragma", "f();\n  #pragma");
  edited("load: for (int i", "after f();", "i++) {", "i++) {\n  f();");
  edited("rest: 1st __syncthreads", "before f();", "// Two barriers",
         "f();\n  // Two barriers");
  edited("load", "after f();", "//< load\n", "//< load\nf();\n");
  edited("load: 1st wait", "write f();\\ng();", first, "f();\n    g();");
  edited("load: 1st wait", "<1> => <2>", "wait<1>(s)", "wait<2>(s)");
  edited("load: 2nd arrive", "arrive(n => wait(n", "arrive( /* a comment */ n",
         "wait(n");
  edited("load: 1st wait", "down", both, turned);
  edited("load: 2nd wait", "up", both, turned);
}

/* What is no place, and what is no edit of one, is refused with a reason. */
static void test_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"lode: wait"}, {"load: waits"}, {"*: waits"}, {"load: wait"},
      {"load: 3rd wait"}, {"head: f"}, {"load: "}, {"load wait"}, {""},
      {"load: 1st wait", "up"}, {"load: 2nd arrive", "down"},
      {"half: __syncthreads", "down"}, {"load: 1st wait", "wait(2) => f()"},
      {"load: float m", "2 => 3"}, {"load: 1st wait", "delete"},
      {"load", "remove"}};
  source s;
  place at;
  edit edits[2];
  int count;
  open_text(&s, kernel);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    *s.why.text = '\0';
    assert_int_equal(place_find(&s, wrong[i][0], &at), wrong[i][1] != NULL);
    if (wrong[i][1])
      assert_false(edit_read(&s, &at, wrong[i][1], edits, &count));
    assert_true(*s.why.text);
  }
  source_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unclosed), cmocka_unit_test(test_bad_regions),
      cmocka_unit_test(test_places),   cmocka_unit_test(test_sites),
      cmocka_unit_test(test_edits),    cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
