# Goals for the book; the Makefile includes this file.
.PHONY: book book-html lint-book serve refresh-output

# SITE: the address that the pages will have.
book book-html serve: export BOOK_SITE = $(SITE)
book:
	@book/build.sh

# The pages alone, in half the time: no PDF, no EPUB.
book-html:
	@BOOK_FORMATS=html book/build.sh

# Spelling, sentences, words before they are explained, reading time.
lint-book:
	@book/lint.sh

serve: book
	@book/serve.sh build/book/html $(call quoted,$(or $(PORT),8000))

# Runs every command that the book shows, and records what it prints now.
refresh-output:
	@book/refresh-output.sh
