#include "tools/tensors/wordpiece.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1 << 16, LONGEST = 100 };

/* The list, one piece a line, whose numbers begin with 0. */
typedef struct {
  struct hsearch_data table;
  char *text;
} vocabulary;

static char *read_text(const char *path, reason *why) {
  char *text = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "rb");
  const ssize_t size = file ? getdelim(&text, &room, '\0', file) : -1;
  const int error = errno;
  if (file) fclose(file);
  if (size > 0) return text;
  free(text);
  refuse(why, "Cannot read %s: %s.", path,
         file ? "it is empty" : strerror(error));
  return NULL;
}

static bool vocabulary_open(vocabulary *v, const char *path, reason *why) {
  *v = (vocabulary){.text = read_text(path, why)};
  if (!v->text) return false;
  if (!hcreate_r(2 * WORDS_MAX, &v->table))
    return refuse(why, "Too little memory for the list of words.");
  char *rest = v->text, *line;
  for (intptr_t n = 0; n < WORDS_MAX && (line = strsep(&rest, "\n")); n++) {
    ENTRY *found;
    hsearch_r((ENTRY){line, (void *)n}, ENTER, &found, &v->table);
  }
  return true;
}

static void vocabulary_close(vocabulary *v) {
  hdestroy_r(&v->table);
  free(v->text);
}

/* -1 where there is none. */
static int number_of(vocabulary *v, const char *piece) {
  ENTRY *found;
  if (!hsearch_r((ENTRY){(char *)piece, NULL}, FIND, &found, &v->table))
    return -1;
  return (int)(intptr_t)found->data;
}

/* The pieces of one word; returns how many there are now. */
static int cut_word(vocabulary *v, const char *word, size_t length, int *pieces,
                    int count, int most) {
  const int before = count;
  for (size_t at = 0, end; at < length; at = end) {
    char piece[LONGEST + 3];
    int number = -1;
    for (end = length; end > at && number < 0; end -= number < 0) {
      snprintf(piece, sizeof piece, "%s%.*s", at ? "##" : "", (int)(end - at),
               word + at);
      number = number_of(v, piece);
    }
    if (number < 0) { /* a word with a part that no piece matches */
      if (before < most) pieces[before] = number_of(v, "[UNK]");
      return before + 1;
    }
    if (count < most) pieces[count] = number;
    count++;
  }
  return count;
}

static int cut_text(vocabulary *v, const char *text, int *pieces, int most,
                    reason *why) {
  int count = 1;
  pieces[0] = number_of(v, "[CLS]");
  while (*text && count < most - 1) {
    char word[LONGEST];
    size_t length = 0;
    if (isspace((unsigned char)*text)) {
      text++;
      continue;
    }
    do {
      if ((unsigned char)*text >= 128) {
        refuse(why, "The text has a character that is not ASCII.");
        return 0;
      }
      word[length++] = (char)tolower((unsigned char)*text++);
    } while (isalnum((unsigned char)word[0]) && length < LONGEST &&
             isalnum((unsigned char)*text));
    count = cut_word(v, word, length, pieces, count, most - 1);
  }
  if (count > most - 1) count = most - 1;
  pieces[count] = number_of(v, "[SEP]");
  return count + 1;
}

int wordpiece_cut(const char *list, const char *path, int *pieces, int most,
                  reason *why) {
  vocabulary v;
  int count = 0;
  char *text = read_text(path, why);
  if (text && vocabulary_open(&v, list, why)) {
    count = number_of(&v, "[CLS]") < 0 || number_of(&v, "[SEP]") < 0 ||
                    number_of(&v, "[UNK]") < 0
                ? 0
                : cut_text(&v, text, pieces, most, why);
    if (!count && !*why->text)
      refuse(why, "%s is no list of pieces of words.", list);
    vocabulary_close(&v);
  }
  free(text);
  return count;
}
