//! What a Java program says about its own lines.

use std::collections::BTreeMap;

/// Objects by type, by line.
pub type Lines = BTreeMap<u16, BTreeMap<String, i64>>;

/// What lines of a program say that they make: `//= byte[] 1 java.lang.String 2` at the end of a line, `times` over.
///
/// # Panics
/// When a line says something else.
#[must_use]
pub fn said_lines(program: &str, times: i64) -> Lines {
    let mut lines = Lines::new();
    for (number, line) in (1_u16..).zip(program.lines()) {
        let Some((_, said)) = line.split_once("//= ") else {
            continue;
        };
        let words: Vec<&str> = said.split_whitespace().collect();
        let objects = words.chunks(2).map(|pair| {
            let count: i64 = pair[1].parse().expect("a count");
            (pair[0].to_owned(), count * times)
        });
        lines.insert(number, objects.collect());
    }
    lines
}
