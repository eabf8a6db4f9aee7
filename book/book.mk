# Goals for the book; the Makefile includes this file.
.PHONY: book book-html serve refresh-output

# SITE: the address that the pages will have. STUDENT=1: a book of its own,
# without answers. DRAFT=1: one that may have stale figures, and marks them.
book book-html serve: export BOOK_SITE = $(SITE)
book book-html serve: export BOOK_STUDENT = $(STUDENT)
book book-html serve: export BOOK_DRAFT = $(DRAFT)
book book-html serve slides refresh-output: need-python
BOOK_PAGES := $(BUILD)/book$(if $(filter 1,$(STUDENT)),/student)$(if \
  $(filter 1,$(DRAFT)),/draft)/html
book:
	@book/build.py book . $(BOOK_PAGES)

# The pages alone, in half the time: no PDF, no EPUB.
book-html:
	@BOOK_FORMATS=html book/build.py book . $(BOOK_PAGES)

serve:
	@book/build.py serve $(BOOK_PAGES) $(call quoted,$(or $(PORT),8000))

# Runs every command that the book shows, and records what it prints now.
refresh-output:
	@book/refresh_output.py
