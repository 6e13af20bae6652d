//! Reads which objects the lines of a Java program allocate, from comments in the program and from reports.

use std::collections::BTreeMap;

use ducktrack_reports::ContextDoc;

/// Objects by line and type.
pub type Lines = BTreeMap<u16, BTreeMap<String, i64>>;

/// The allocations stated in a program's comments: `//= byte[] 1 java.lang.String 2` at the end of a line, multiplied
/// by `times`.
///
/// # Panics
/// If a comment does not have this form.
#[must_use]
pub fn said_lines(program: &str, times: i64) -> Lines {
    let mut lines = Lines::new();
    for (number, line) in (1_u16..).zip(program.lines()) {
        let Some((_, comment)) = line.split_once("//= ") else {
            continue;
        };
        let words: Vec<&str> = comment.split_whitespace().collect();
        let objects = words.chunks(2).map(|pair| {
            let count: i64 = pair[1].parse().expect("a count");
            (pair[0].to_owned(), count * times)
        });
        lines.insert(number, objects.collect());
    }
    lines
}

/// The allocations for which callers in a program's classes (`class` and its nested classes, but not classes of lambdas) are to blame, by
/// line: types with at least `least` objects.
///
/// # Panics
/// If such a caller has no line.
#[must_use]
pub fn blamed_lines<'a>(
    context: impl Iterator<Item = &'a ContextDoc>,
    class: &str,
    least: i64,
) -> Lines {
    let mut lines = Lines::new();
    let is_of_program = |name: &String| name.starts_with(class) && !name.contains("$$Lambda");
    for part in context.filter(|part| part.caller.class.as_ref().is_some_and(is_of_program)) {
        let of_line = lines.entry(part.caller.line.expect("a line")).or_default();
        for ty in &part.types {
            *of_line.entry(ty.ty.clone()).or_default() += ty.count;
        }
    }
    lines.retain(|_, objects| {
        objects.retain(|_, count| *count >= least);
        !objects.is_empty()
    });
    lines
}
