# Sourced by the other scripts: the checkout's root, and named steps with their durations.
#
#   step NAME COMMAND...   run COMMAND quietly, print one line with the verdict and the seconds it took;
#                          on failure print the end of its output and where the whole of it is
#   skip NAME REASON       say in one line that a step was left out, and why
#   finish                 print the plain last line "N passed, N failed" and exit with 1 if anything failed

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${CARGO_TARGET_DIR:-$ROOT/target}
STEP_LOGS=${DUCKTRACK_STEP_LOGS:-$BUILD/step-logs}
PASSED=0
FAILED=0
SKIPPED=0
STARTED=$SECONDS

step() {
    local name=$1 log from=$SECONDS code=0
    shift
    mkdir -p "$STEP_LOGS"
    log=$STEP_LOGS/$(tr -cs 'A-Za-z0-9.\n' '-' <<<"$name").log
    # A terminal sees the step while it runs; a log file only its verdict.
    [ -t 1 ] && printf '  ....         %s\r' "$name"
    "$@" >"$log" 2>&1 </dev/null || code=$?
    if [ "$code" = 0 ]; then
        PASSED=$((PASSED + 1))
        printf '  ok    %4ds  %s\n' $((SECONDS - from)) "$name"
    else
        FAILED=$((FAILED + 1))
        printf '  FAIL  %4ds  %s (exit code %s)\n' $((SECONDS - from)) "$name" "$code"
        tail -n 60 "$log" | sed 's/^/        | /'
        printf '        whole output: %s\n' "$log"
    fi
    return "$code"
}

skip() {
    SKIPPED=$((SKIPPED + 1))
    printf '  skip         %s: %s\n' "$1" "$2"
}

finish() {
    printf 'took %d min %02d s, %d skipped\n' $(((SECONDS - STARTED) / 60)) $(((SECONDS - STARTED) % 60)) "$SKIPPED"
    printf '%d passed, %d failed\n' "$PASSED" "$FAILED"
    [ "$FAILED" = 0 ]
}
