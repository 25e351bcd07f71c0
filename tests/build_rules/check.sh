#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules of the sources that no compiler checks (design: folders). Prints what breaks them; 1 if anything does.
# Usage: check.sh SOURCE_DIR
set -eu
cd "$1"

folders="evm tide providers config store net actors api app"
pure="evm tide providers"
failed=0

# complain "what is wrong" "file:line:text" …
complain() {
  test -n "$2" || return 0
  printf '%s:\n%s\n\n' "$1" "$2"
  failed=1
}

sources() {
  find "$@" -type f \( -name '*.cpp' -o -name '*.hpp' \) | sort
}

# A path out of the folder goes around the list of what a folder may see.
complain 'includes that leave their folder by ../' \
  "$(sources $folders | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]\.\./' || true)"

# What is pure takes input and the time and gives values: no actors, no sockets, no files, no clock.
complain 'includes that do not belong into a pure folder' \
  "$(sources $pure | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](caf/|boost/asio|boost/beast|sqlite3|yaml-cpp)' || true)"
complain 'a clock in a pure folder' \
  "$(sources $pure | xargs grep -nE '(_clock|[Cc]lock)(_type)?::now[[:space:]]*\(|(^|[^_[:alnum:]])(gettimeofday|clock_gettime|time)[[:space:]]*\((NULL|nullptr|0|&|CLOCK)' || true)"

complain 'files of more than 300 lines' \
  "$(sources $folders | xargs wc -l | awk '$2 != "total" && $1 > 300 { print $2 ": " $1 }')"

exit $failed
