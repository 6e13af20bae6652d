//! Expected rows beside the report.
//!
//! A part of the report belongs to a row when its site is at the row's line, or when it is blamed on that line. Then the
//! site must be of the row's kind, or, if the row names a method of the JDK as its `via`, anywhere in the JDK: which method
//! allocates in the end differs from one JDK to the next. Rows that cannot be told apart (two arrays of one type in one line) are
//! added up.

use crate::expectation::Expectation;
use crate::report::{Part, Report};

/// Parts shown beside a row that is wrong.
const MOST_SHOWN: usize = 6;

/// Faults in the rows of a program.
pub(crate) fn mismatches(expected: &[Expectation], report: &Report) -> Vec<String> {
    let mut rows: Vec<Expectation> = Vec::new();
    for row in expected {
        match rows.iter_mut().find(|known| known.is_same_site(row)) {
            Some(known) => known.add(row),
            None => rows.push(row.clone()),
        }
    }
    rows.iter()
        .filter_map(|row| mismatch(row, report))
        .collect()
}

fn mismatch(expected: &Expectation, report: &Report) -> Option<String> {
    let parts: Vec<Part<'_>> = report
        .parts()
        .filter(|part| part.ty == expected.ty)
        .collect();
    let mine: Vec<&Part<'_>> = parts
        .iter()
        .filter(|part| belongs(expected, part))
        .collect();
    let count: i64 = mine.iter().map(|part| part.count).sum();
    let bytes: i64 = mine.iter().map(|part| part.bytes).sum();
    let count_right = if expected.at_least {
        count >= expected.count
    } else {
        count == expected.count
    };
    let bytes_right = expected.at_least || expected.bytes.is_none_or(|expected| expected == bytes);
    if count_right && bytes_right || count == 0 && is_named_gap(expected, report) {
        return None;
    }
    let mut lines = format!("{} has {count} objects, {bytes} bytes", expected.text);
    let mut near: Vec<&Part<'_>> = parts.iter().collect();
    near.sort_by_key(|part| {
        (
            !mine.iter().any(|own| std::ptr::eq(*own, *part)),
            (part.count - expected.count).abs(),
        )
    });
    for part in near.iter().take(MOST_SHOWN) {
        lines += &format!("\n        {}", shown(part));
    }
    Some(lines)
}

/// In VMs before 15, `Foo::new` allocates in a class that no agent sees. The report must say so.
fn is_named_gap(expected: &Expectation, report: &Report) -> bool {
    let in_proxy =
        expected.class.is_none() && expected.kinds.iter().any(|kind| kind == "method-reference");
    in_proxy && report.leaves_out_hidden_classes()
}

fn belongs(expected: &Expectation, part: &Part<'_>) -> bool {
    if expected.class.is_none() {
        return true;
    }
    let kind = expected.kinds.iter().any(|kind| kind == part.kind);
    if expected.is_method(part.class, part.method) && expected.is_line(part.line) {
        return kind;
    }
    let Some((class, method, line)) = part.caller else {
        return false;
    };
    let right_way = if expected.via.is_some() {
        !part.class.starts_with("ducktrack.known.")
    } else {
        kind
    };
    right_way && expected.is_method(class, method) && expected.is_line(line)
}

fn shown(part: &Part<'_>) -> String {
    let line = |line: Option<u16>| line.map_or_else(|| "?".to_owned(), |line| line.to_string());
    let caller = match part.caller {
        Some((class, method, at)) => format!(" <- {class}.{method}:{}", line(at)),
        None => String::new(),
    };
    let Part {
        class,
        method,
        kind,
        ty,
        count,
        bytes,
        ..
    } = part;
    format!(
        "{count} {ty}, {bytes} bytes, {kind} at {class}.{method}:{}{caller}",
        line(part.line)
    )
}
