//! One expected row beside the report.
//!
//! A part of the report belongs to a row when its site is at the row's line, or when it is blamed on that line: then the
//! site itself must be in the row's `via`, if it names one.

use crate::expectation::Expectation;
use crate::report::{Part, Report};

/// What is wrong with one row, or nothing.
pub fn mismatch(expected: &Expectation, report: &Report, _jdk: u32) -> Option<String> {
    let parts: Vec<Part<'_>> = report.parts().filter(|part| part.ty == expected.ty).collect();
    let mine: Vec<&Part<'_>> = parts.iter().filter(|part| belongs(expected, part)).collect();
    let count: i64 = mine.iter().map(|part| part.count).sum();
    let bytes: i64 = mine.iter().map(|part| part.bytes).sum();
    let count_right = if expected.at_least { count >= expected.count } else { count == expected.count };
    let bytes_right = expected.at_least || expected.bytes.is_none_or(|expected| expected == bytes);
    if count_right && bytes_right {
        return None;
    }
    let mut lines = format!("{} has {count} objects, {bytes} bytes", expected.text);
    for part in parts.iter().filter(|part| part.count.abs() * 1000 > expected.count || belongs(expected, part)) {
        lines += &format!("\n        {}", shown(part));
    }
    Some(lines)
}

fn belongs(expected: &Expectation, part: &Part<'_>) -> bool {
    if expected.class.is_none() {
        return true;
    }
    let kind = expected.kinds.iter().any(|kind| kind == part.kind);
    if expected.is_method(part.class, part.method) && expected.is_line(part.line) {
        return kind;
    }
    let Some((class, method, line)) = part.caller else { return false };
    let via = format!("{}.{}", part.class, part.method);
    let right_way = expected.via.as_ref().map_or(kind, |expected| *expected == via);
    right_way && expected.is_method(class, method) && expected.is_line(line)
}

fn shown(part: &Part<'_>) -> String {
    let line = |line: Option<u16>| line.map_or_else(|| "?".to_owned(), |line| line.to_string());
    let caller = match part.caller {
        Some((class, method, at)) => format!(" <- {class}.{method}:{}", line(at)),
        None => String::new(),
    };
    let Part { class, method, kind, ty, count, bytes, .. } = part;
    format!("{count} {ty}, {bytes} bytes, {kind} at {class}.{method}:{}{caller}", line(part.line))
}
