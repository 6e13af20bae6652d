# Sourced by the other scripts: the checkout's root, and named steps with their durations.
#
#   step NAME COMMAND...   run COMMAND quietly, print one line with the verdict and the seconds it took;
#                          on failure print which tests failed, the end of its output and where the whole of it is.
#                          It counts as one, unless it prints cargo's "test result:" lines: then as those tests.
#                          Lines "checked: ...", "skipped: ..." and "repeated: ..." of its output are shown, skipped and repeated ones counted.
#   skip NAME REASON       say in one line that a step was left out, and why
#   finish                 print the plain last line "N passed, N failed"; fails if anything failed

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${CARGO_TARGET_DIR:-$ROOT/target}
STEP_LOGS=${DUCKTRACK_STEP_LOGS:-$BUILD/step-logs}
PASSED=0
FAILED=0
SKIPPED=0
REPEATED=0
STARTED=$SECONDS

step() {
    local name=$1 log from=$SECONDS code=0 seconds tests
    shift
    mkdir -p "$STEP_LOGS"
    log=$STEP_LOGS/$(tr -cs 'A-Za-z0-9.\n' '-' <<<"$name").log
    # A terminal sees the step while it runs; a log file only its verdict.
    if [ -t 1 ]; then printf '  ....         %s\r' "$name"; fi
    "$@" >"$log" 2>&1 </dev/null || code=$?
    seconds=$((SECONDS - from))
    tests=$(count_tests "$log" "$code")
    if [ "$code" = 0 ]; then
        printf '  ok    %4ds  %s%s\n' "$seconds" "$name" "$tests"
    else
        printf '  FAIL  %4ds  %s%s (exit code %s)\n' "$seconds" "$name" "$tests" "$code"
        failed_tests "$log"
        tail -n 60 "$log" | sed 's/^/        | /'
        printf '        whole output: %s\n' "$log"
    fi
    announcements "$log"
    read_counts "$log" "$code"
    return "$code"
}

# Which tests failed, and where: other crates' results may stand between them and the end of the output.
failed_tests() {
    grep -aE -A2 "^thread '.*' \([0-9]+\) panicked at|^thread '.*' panicked at" "$1" | grep -av '^stack backtrace' | sed 's/^/        | /'
    grep -aE '^test .* FAILED$|^[^ ].* --- FAILED$|^error(\[|:)' "$1" | sed 's/^/        | failed: /'
    printf '        |\n'
}

# What the tests themselves say: how much they compared, and what they left out.
announcements() {
    sed -n -e 's/^checked: /        /p' -e 's/^skipped: /  skip         /p' -e 's/^repeated: /  repeated     /p' "$1" | fold -s -w 140
    # grep fails where it finds nothing, which must not end a script that stops at failures.
    SKIPPED=$((SKIPPED + $(grep -c '^skipped: ' "$1" || true)))
    REPEATED=$((REPEATED + $(grep -c '^repeated: ' "$1" || true)))
}

# The sums of cargo's "test result: ok. 12 passed; 0 failed; ..." lines, as "12 0"; nothing without such lines.
test_results() {
    sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed;.*/\1 \2/p' "$1" |
        awk '{ passed += $1; failed += $2 } END { if (NR) print passed + 0, failed + 0 }'
}

count_tests() {
    local results
    results=$(test_results "$1")
    [ -z "$results" ] || printf ': %d tests' $((${results% *} + ${results#* }))
}

read_counts() {
    local results passed=0 failed=0
    results=$(test_results "$1")
    if [ -n "$results" ]; then
        passed=${results% *} failed=${results#* }
        # Tests that never ran (a crate that did not compile) must not look like success.
        if [ "$2" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
    elif [ "$2" = 0 ]; then passed=1; else failed=1; fi
    add_counts "$passed" "$failed"
}

add_counts() {
    PASSED=$((PASSED + $1))
    FAILED=$((FAILED + $2))
}

skip() {
    SKIPPED=$((SKIPPED + 1))
    printf '  skip         %s: %s\n' "$1" "$2"
}

finish() {
    printf 'took %d min %02d s, %d skipped, %d repeated\n' $(((SECONDS - STARTED) / 60)) $(((SECONDS - STARTED) % 60)) "$SKIPPED" "$REPEATED"
    printf '%d passed, %d failed\n' "$PASSED" "$FAILED"
    [ "$FAILED" = 0 ]
}
