//! Stacks for flame graph tools: `frame;frame;frame number`, one line per (site, type), in the order of the report.
//!
//! ```text
//! com.acme;Main;run;Main.java:12 byte[] (newarray @17) 4096
//! package  class method site and type                  bytes (or objects)
//! ```
//!
//! Blamed callers make frames of their own between the caller's method and the site, so that the bytes of
//! `Arrays.copyOf` stand below the code that called it:
//! `com.acme;Main;run;Main.java:12 calls java.util.Arrays.copyOf;java.util.Arrays.copyOf(...) byte[] (...) 4096`.

use crate::class_name::{package_of, simple_name};
use crate::filter::Sort;
use crate::view::{Cell, Location, SiteRow, View};

/// All stacks; the number is bytes or, sorted by count, objects. Cells that are not above zero have no place in a stack.
pub fn collapsed(view: &View) -> String {
    let mut out = String::new();
    for site in view.top_sites(usize::MAX) {
        for cell in &site.cells {
            let number = match view.filter.sort {
                Sort::Bytes => cell.executed.bytes,
                Sort::Count => cell.executed.count,
            };
            if number > 0 {
                out.push_str(&format!("{} {number}\n", stack(view, site, cell).join(";")));
            }
        }
    }
    out
}

fn stack(view: &View, site: &SiteRow, cell: &Cell) -> Vec<String> {
    let at = &site.location;
    let made = format!("{} ({} @{})", cell.ty, site.kind, at.bci);
    match cell.caller.and_then(|id| view.caller(id)) {
        None => {
            let mut frames = method_frames(at);
            frames.push(frame(&format!("{} {made}", source(at))));
            frames
        }
        Some(caller) => {
            let mut frames = method_frames(&caller.location);
            frames.push(frame(&format!(
                "{} calls {}",
                source(&caller.location),
                caller.target
            )));
            frames.push(frame(&format!("{at} {made}")));
            frames
        }
    }
}

fn method_frames(at: &Location) -> Vec<String> {
    let package = match package_of(&at.class) {
        "" => "(unnamed package)",
        package => package,
    };
    [package, simple_name(&at.class), &at.method]
        .map(frame)
        .to_vec()
}

/// `Main.java:12`, or the bytecode index where there is no line.
fn source(at: &Location) -> String {
    match (&at.source_file, at.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (None, Some(line)) => format!("line {line}"),
        (_, None) => format!("@{}", at.bci),
    }
}

/// The semicolon separates frames.
fn frame(text: &str) -> String {
    text.replace(';', ",")
}
