//! The binary interface against the truth: `jvmti.h` of every JDK on the machine.
//!
//! For each header a small C program is generated and compiled. It prints, as the C compiler sees them, the offset of every function
//! slot and callback, the size of every structure, the bit of every capability and the value of every constant. Every line is
//! compared with the Rust declarations. Older headers have fewer of them: what a header does not have must be a reserved slot there.
//!
//! Where there is no C compiler or no JDK with headers, the test is skipped with that reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_jvmti::{
    Capabilities, Capability, ErrorCode, EventCallbacks, EventKind, EventMode, FunctionTable,
    HeapObjectFilter, HeapReferenceKind, HeapRootKind, IterationControl, JlocationFormat,
    ObjectReferenceKind, ParamKind, ParamType, Phase, PrimitiveType, STRUCTURE_SIZES, TimerKind,
    VerboseFlag, class_status,
};
use ducktrack_tests::{has_program, printed_by, skipped};

/// All named constants of the crate, by their C name.
const CONSTANTS: &[&[(&str, i32)]] = &[
    ErrorCode::NAMES,
    EventKind::NAMES,
    EventMode::NAMES,
    Phase::NAMES,
    HeapReferenceKind::NAMES,
    PrimitiveType::NAMES,
    HeapObjectFilter::NAMES,
    HeapRootKind::NAMES,
    ObjectReferenceKind::NAMES,
    IterationControl::NAMES,
    ParamType::NAMES,
    ParamKind::NAMES,
    TimerKind::NAMES,
    VerboseFlag::NAMES,
    JlocationFormat::NAMES,
    &[
        ("JVMTI_CLASS_STATUS_VERIFIED", class_status::VERIFIED),
        ("JVMTI_CLASS_STATUS_PREPARED", class_status::PREPARED),
        ("JVMTI_CLASS_STATUS_INITIALIZED", class_status::INITIALIZED),
        ("JVMTI_CLASS_STATUS_ERROR", class_status::ERROR),
        ("JVMTI_CLASS_STATUS_ARRAY", class_status::ARRAY),
        ("JVMTI_CLASS_STATUS_PRIMITIVE", class_status::PRIMITIVE),
    ],
];

#[test]
fn every_slot_size_bit_and_value_is_that_of_the_headers() {
    let headers = headers();
    if headers.is_empty() {
        skipped("header_layout: no JDK with include/jvmti.h found");
        return;
    }
    if !has_program("cc") {
        skipped("header_layout: no C compiler (cc)");
        return;
    }
    for header in headers {
        let facts = facts_of(&header);
        let slots = check_slots(&facts, "function", FunctionTable::SLOTS);
        let callbacks = check_slots(&facts, "callback", EventCallbacks::SLOTS);
        let sizes = check_sizes(&facts);
        let bits = check_capabilities(&facts);
        let values = check_constants(&facts);
        println!(
            "{}: {slots} functions, {callbacks} callbacks, {sizes} sizes, {bits} capabilities, {values} constants",
            header.display()
        );
    }
}

/// The C compiler's results: kind and name to number.
type Facts = BTreeMap<(String, String), i64>;

/// Every member the header has must be a slot of ours with the same offset. Returns how many there were.
fn check_slots(facts: &Facts, kind: &str, ours: &[(usize, &str, usize)]) -> usize {
    let by_offset: BTreeMap<i64, &str> = ours
        .iter()
        .map(|&(_, name, offset)| (i64::try_from(offset).expect("small"), name))
        .collect();
    let theirs: Vec<_> = facts.iter().filter(|((what, _), _)| what == kind).collect();
    for ((_, name), offset) in &theirs {
        let mine = by_offset.get(offset).copied();
        // A slot that an older header still reserves may be a function with us.
        assert!(
            mine == Some(name.as_str()) || name.starts_with("reserved"),
            "{kind} {name} at {offset}: {mine:?}"
        );
        if name.starts_with("reserved") {
            assert!(
                mine.is_some(),
                "{kind} {name} at {offset} is beyond our table"
            );
        }
    }
    assert!(
        theirs.len() >= 30,
        "too few of {kind} in the header: {}",
        theirs.len()
    );
    // The other way round: what we have and the header does not name must be reserved there or come after its end.
    let end = theirs.iter().map(|(_, offset)| **offset).max().unwrap_or(0);
    for (offset, name) in by_offset.range(..=end) {
        let theirs = theirs
            .iter()
            .find(|(_, there)| *there == offset)
            .map(|((_, name), _)| name.as_str());
        let fits =
            theirs == Some(name) || theirs.is_some_and(|theirs| theirs.starts_with("reserved"));
        assert!(fits, "{kind} {name} at {offset}: header has {theirs:?}");
    }
    theirs
        .iter()
        .filter(|((_, name), _)| !name.starts_with("reserved"))
        .count()
}

fn check_sizes(facts: &Facts) -> usize {
    let mut checked = 0;
    for &(name, size) in STRUCTURE_SIZES {
        let theirs = facts.get(&("size".to_owned(), name.to_owned()));
        assert_eq!(
            theirs,
            Some(&i64::try_from(size).expect("small")),
            "sizeof {name}"
        );
        checked += 1;
    }
    let capabilities = facts.get(&("size".to_owned(), "jvmtiCapabilities".to_owned()));
    assert_eq!(
        capabilities,
        Some(&i64::try_from(size_of::<Capabilities>()).expect("small"))
    );
    checked + 1
}

fn check_capabilities(facts: &Facts) -> usize {
    let ours: BTreeMap<&str, i64> = Capability::ALL
        .iter()
        .map(|one| (one.c_name(), *one as i64))
        .collect();
    let theirs: Vec<_> = facts
        .iter()
        .filter(|((what, _), _)| what == "capability")
        .collect();
    for ((_, name), bit) in &theirs {
        assert_eq!(ours.get(name.as_str()), Some(*bit), "bit of {name}");
    }
    assert!(
        theirs.len() >= 40,
        "too few capabilities in the header: {}",
        theirs.len()
    );
    theirs.len()
}

fn check_constants(facts: &Facts) -> usize {
    let ours: BTreeMap<&str, i32> = CONSTANTS
        .iter()
        .flat_map(|list| list.iter().copied())
        .collect();
    let theirs: Vec<_> = facts
        .iter()
        .filter(|((what, _), _)| what == "constant")
        .collect();
    for ((_, name), value) in &theirs {
        assert_eq!(
            ours.get(name.as_str()).map(|&ours| i64::from(ours)),
            Some(**value),
            "{name}"
        );
    }
    assert!(
        theirs.len() >= 150,
        "too few constants in the header: {}",
        theirs.len()
    );
    theirs.len()
}

/// Compiles and runs the C program for one header.
fn facts_of(header: &Path) -> Facts {
    let text = std::fs::read_to_string(header).expect("header");
    let folder = tempfile::tempdir().expect("temporary folder");
    let (source, program) = (folder.path().join("facts.c"), folder.path().join("facts"));
    std::fs::write(&source, c_program(&text)).expect("write");
    let include = header.parent().expect("include folder");
    let mut cc = Command::new("cc");
    cc.arg("-I")
        .arg(include)
        .arg("-I")
        .arg(include.join("linux"));
    printed_by(cc.arg(&source).arg("-o").arg(&program));
    let lines = printed_by(&mut Command::new(program));
    lines
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (
                (words[0].to_owned(), words[1].to_owned()),
                words[2].parse().expect("number"),
            )
        })
        .collect()
}

/// A program that prints everything the header declares, one line each.
fn c_program(header: &str) -> String {
    let mut program = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n#include <jvmti.h>\nint main(void) {\n",
    );
    let mut line = |text: String| writeln!(program, "  {text}").expect("a string");
    for name in members(header, "typedef struct jvmtiInterface_1_ {") {
        line(format!(
            r#"printf("function {name} %zu\n", offsetof(struct jvmtiInterface_1_, {name}));"#
        ));
    }
    for name in members(header, "    jvmtiEventVMInit VMInit;") {
        line(format!(
            r#"printf("callback {name} %zu\n", offsetof(jvmtiEventCallbacks, {name}));"#
        ));
    }
    for &(name, _) in STRUCTURE_SIZES {
        line(format!(r#"printf("size {name} %zu\n", sizeof({name}));"#));
    }
    line(r#"printf("size jvmtiCapabilities %zu\n", sizeof(jvmtiCapabilities));"#.to_owned());
    for name in words(header).filter(|word| word.starts_with("can_")) {
        line(format!(
            "{{ jvmtiCapabilities c; memset(&c, 0, sizeof c); c.{name} = 1; unsigned char *b = (unsigned char *)&c;\n    \
             for (int i = 0; i < 128; i++) if (b[i / 8] >> (i % 8) & 1) printf(\"capability {name} %d\\n\", i); }}"
        ));
    }
    let known: BTreeMap<&str, i32> = CONSTANTS
        .iter()
        .flat_map(|list| list.iter().copied())
        .collect();
    let prefixes = [
        "JVMTI_ERROR_",
        "JVMTI_EVENT_",
        "JVMTI_PHASE_",
        "JVMTI_HEAP_REFERENCE_",
        "JVMTI_CLASS_STATUS_",
    ];
    for name in words(header) {
        // Whole families must be known, so that a constant we forgot fails the test.
        let family =
            prefixes.iter().any(|prefix| name.starts_with(prefix)) && name != "JVMTI_ERROR_MAX";
        if known.contains_key(name) || family {
            line(format!(r#"printf("constant {name} %ld\n", (long){name});"#));
        }
    }
    program + "  return 0;\n}\n"
}

/// The distinct identifiers of the declarations part of the header (the C++ wrappers at its end repeat them).
fn words(header: &str) -> impl Iterator<Item = &str> {
    let declarations = header
        .split("typedef struct jvmtiInterface_1_ {")
        .next()
        .unwrap_or(header);
    let mut words: Vec<&str> = declarations
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.dedup();
    words.into_iter()
}

/// The member names of the structure that starts at `start`: pointers to functions, callbacks and reserved places.
fn members(header: &str, start: &str) -> Vec<String> {
    let body = header
        .split_once(start)
        .map(|(_, rest)| format!("{start}{rest}"))
        .expect("structure");
    let body = body
        .split_once("\n}")
        .map(|(body, _)| body.to_owned())
        .expect("end of structure");
    let mut names = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(rest) = line.split_once("(JNICALL *").map(|(_, rest)| rest) {
            names.extend(rest.split(')').next().map(str::to_owned));
        } else if let Some(name) = line
            .strip_prefix("void *")
            .and_then(|rest| rest.strip_suffix(';'))
        {
            names.push(name.to_owned());
        } else if line.starts_with("jvmtiEvent") && line.ends_with(';') && !line.ends_with(");") {
            names.extend(
                line.trim_end_matches(';')
                    .split_whitespace()
                    .last()
                    .map(str::to_owned),
            );
        }
    }
    names
}

/// `include/jvmti.h` of every JDK that can be found, each file once.
fn headers() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = Vec::new();
    for variable in ["JAVA_HOME", "DUCKTRACK_JDKS"] {
        if let Some(value) = std::env::var_os(variable) {
            homes.extend(std::env::split_paths(&value));
        }
    }
    let installed = std::fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten();
    homes.extend(installed.map(|entry| entry.path()));
    let mut headers: Vec<PathBuf> = homes
        .iter()
        .filter_map(|home| home.join("include/jvmti.h").canonicalize().ok())
        .collect();
    headers.sort();
    headers.dedup();
    headers
}
