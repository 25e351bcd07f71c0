#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh finds what it looks for, and nothing in sources that keep the rules.
# Usage: check_test.sh
set -eu
check=$(dirname "$(readlink -f "$0")")/check.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fresh() {
  rm -rf "$work/src"
  for folder in evm tide providers config store net actors api app tests; do
    mkdir -p "$work/src/$folder"
    printf '#include "evm/hex.hpp"\n#include <chrono>\n' > "$work/src/$folder/good.cpp"
  done
}

# refuses FILE TEXT WORD: a file with this text is named under a line with this word.
refuses() {
  fresh
  printf '%b\n' "$2" > "$work/src/$1"
  if out=$(sh "$check" "$work/src"); then
    echo "not refused: $1: $2"
    exit 1
  fi
  case $out in
  *"$3"*"$1"*) ;;
  *)
    echo "refused, but in other words: $out"
    exit 1
    ;;
  esac
}

# takes FILE TEXT
takes() {
  fresh
  printf '%b\n' "$2" > "$work/src/$1"
  sh "$check" "$work/src" || exit 1
}

lines() { awk -v n="$1" 'BEGIN { while (n-- > 1) print "//" }'; }

for d in evm tide providers config store net actors api app; do
  refuses $d/bad.hpp '#include "../evm/hex.hpp"' 'by ../'
done
refuses app/bad.cpp '  #  include "../../evm/hex.hpp"' 'by ../'
for d in evm tide providers; do
  refuses $d/bad.cpp '#include <caf/actor.hpp>' 'pure'
  refuses $d/bad.cpp '#include <boost/asio.hpp>' 'pure'
  refuses $d/bad.cpp '#include <boost/asio/io_context.hpp>' 'pure'
  refuses $d/bad.cpp '#include <boost/beast/http.hpp>' 'pure'
  refuses $d/bad.cpp '#include <sqlite3.h>' 'pure'
  refuses $d/bad.cpp '#include <yaml-cpp/yaml.h>' 'pure'
  refuses $d/bad.cpp 'auto t = std::chrono::system_clock::now();' 'clock'
  refuses $d/bad.cpp 'auto t = clock::now ();' 'clock'
  refuses $d/bad.cpp 'auto t = std::time(nullptr);' 'clock'
done
refuses tide/long.cpp "$(lines 301)\n//" '300 lines'

takes net/fine.cpp '#include <boost/asio.hpp>\nauto t = std::chrono::steady_clock::now();'
takes tide/fine.cpp '#include <chrono>\n#include <boost/json.hpp>\nvoid run(std::int64_t now);'
takes tide/fine.cpp "$(lines 300)"
