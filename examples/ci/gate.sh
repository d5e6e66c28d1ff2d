#!/usr/bin/env bash
# Certifies ./fixture.js, measures it, and compares it with another version of itself.
#
# Usage: bash gate.sh [git revision to compare with, default origin/main]
# Reports are left in $REPORTS, default ./reports.
set -uo pipefail

base="${1:-origin/main}"
reports="${REPORTS:-reports}"
level="${LEVEL:-L3}"
baseline="$(mktemp -d)"
trap 'git worktree remove --force "$baseline" 2> /dev/null; rm -rf "$baseline"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$reports"

# Everything runs whatever the first one says, so that one run shows everything; the worst one is the exit code.
worst=0
step() {
  "$@"
  local code=$?
  if [ "$code" -gt "$worst" ]; then worst=$code; fi
}

step npx ckpt certify ./fixture.js --level "$level" --patience 600 \
  --junit "$reports/conformance.xml" --md "$reports/conformance.md" \
  --badge "$reports/badge.svg" --failure "$reports/failure.json"

step npx ckpt bench ./fixture.js --quick \
  --report "$reports/bench.json" --md "$reports/bench.md" --html "$reports/bench.html"

# The other version gets its own dependencies: the versions that it was made with.
git worktree add --quiet --detach "$baseline" "$base" || exit 2
(cd "$baseline" && npm ci --silent) || exit 2

step npx ckpt bench gate --baseline "$baseline/fixture.js" --against ./fixture.js \
  --report "$reports/gate.json" --md "$reports/gate.md"

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  for page in gate conformance bench; do
    if [ -f "$reports/$page.md" ]; then cat "$reports/$page.md" >> "$GITHUB_STEP_SUMMARY"; fi
  done
fi
exit "$worst"
