#!/bin/sh
# Building all formats: the same bytes everywhere, all or nothing, and what is
# said where a program is missing.
# takes: 20 s
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/tap.sh"
skip_all_without chromium qpdf

build() { "$book/build.sh" "$tree" "$out"; }

tree=$scratch/tree out=$scratch/built/html
cp -R "$here/sample" "$tree"
holds "the sample book builds" build
holds "its folder has nothing beside the book and what was kept" \
  [ "$(find "$scratch/built" -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ]

copy_book "$scratch/other"
mkdir "$scratch/other/place"
cp -R "$tree" "$scratch/other/place/tree"
holds "it builds elsewhere" env TZ=Asia/Tokyo "$scratch/other/book/build.sh" \
  "$scratch/other/place/tree" "$scratch/other/html"
for file in sample.pdf sample.epub index.html; do
  holds "$file is the same to the byte" \
    cmp "$out/$file" "$scratch/other/html/$file"
done

# A chapter that grows by a page moves what is behind it.
long=$scratch/other/place/tree/chapters/01-method.md
for word in 1 2 3 4 5 6 7 8 9 10 11 12; do
  for line in a b c d; do printf '\nWord %s, line %s.\n' $word $line; done
done >>"$long"
holds "a longer chapter builds with the old page numbers at hand" \
  "$scratch/other/book/build.sh" "$scratch/other/place/tree" \
  "$scratch/other/html"
rm -r "$scratch/other/cache"
mv "$scratch/other/html" "$scratch/other/warm"
holds "and without them" "$scratch/other/book/build.sh" \
  "$scratch/other/place/tree" "$scratch/other/html"
holds "into the same bytes" diff -r "$scratch/other/warm" "$scratch/other/html"
cmp -s "$scratch/other/html/sample.pdf" "$out/sample.pdf"
ok $((! $?)) "which are others than before"

# fails CODE NAME PATTERN: the build does, and the last good book stays
fails() {
  build >"$scratch/said" 2>&1
  [ $? -eq "$1" ] && grep -Eq -- "$3" "$scratch/said"
  ok $? "$2: exit $1, and why" "$scratch/said"
  diff -r "$scratch/good" "$out" >"$scratch/said" &&
    [ "$(find "$scratch/built" -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ]
  ok $? "$2: the last good book is untouched" "$scratch/said"
}
cp -R "$out" "$scratch/good"
printf '\nSee @fig-none.\n' >>"$tree/chapters/01-method.md"
fails 1 "a bad chapter" 'nothing with the id "fig-none"'
cp "$here/sample/chapters/01-method.md" "$tree/chapters"
# What the build before kept holds for the old kernel only.
kernel=stage0_first/kernel.cu
sed -i 's/2\.0f/3.0f/' "$tree/$kernel"
fails 1 "a changed kernel" 'was measured with another kernel'
cp "$here/sample/$kernel" "$tree/$kernel"
# shellcheck disable=SC2016
printf '\nHere is $x^2 + \\nosuch$.\n' >>"$tree/chapters/01-method.md"
fails 1 "a bad formula among those that were kept" 'formula: .*nosuch'
cp "$here/sample/chapters/01-method.md" "$tree/chapters"

mkdir "$scratch/bin"
path=$PATH
PATH=$scratch/bin:$PATH
# broken PROGRAM: it fails at once
broken() {
  printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
broken chromium
fails 1 "Chromium fails" '^The PDF cannot be printed: Chromium .*\.$'
rm "$scratch/bin/chromium"
broken qpdf
fails 1 "qpdf fails" '^The PDF cannot be printed: .*qpdf'
rm "$scratch/bin/qpdf"
broken pandoc
holds "another pandoc on the PATH is not used" build
rm "$scratch/bin/pandoc"
sed -i '/^wheel pandoc/s/[0-9.]* [0-9]*$/99.0 1/' \
  "$scratch/other/tools/setup/pins.conf"
"$scratch/other/book/build.sh" "$tree" "$out" 2>"$scratch/said"
[ $? -eq 3 ] && grep -q "own pandoc is not here: 'make setup'" "$scratch/said"
ok $? "nor one of another version in .deps: exit 3" "$scratch/said"

for program in sh dirname node; do
  ln -s "$(command -v $program)" "$scratch/bin/$program"
done
PATH=$scratch/bin
"$book/build.sh" "$tree" "$out" 2>"$scratch/said"
code=$?
PATH=$path
[ $code -eq 3 ] && [ "$(wc -l <"$scratch/said")" -eq 1 ] &&
  grep -q "need chromium: .*'make book-html' builds" "$scratch/said"
ok $? "without Chromium: exit 3, one sentence" "$scratch/said"

export BOOK_FORMATS=html
holds "the pages alone build" build
[ ! -e "$out/sample.pdf" ] && ! grep -q 'sample\.pdf' "$out/index.html"
ok $? "and have no link to what is not there"

finish
