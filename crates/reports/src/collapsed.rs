//! Stacks for flame graph tools: `frame;frame;frame number`.
//!
//! Where stacks were sampled, the frames are those of whole stacks, with the type as the last one:
//! `com.acme.Main.main:12;com.acme.Parser.parse:40;byte[] 4096`. The numbers of a site sum to its exact total.
//!
//! Without stacks there is one line per (site, type), in the order of the report:
//!
//! ```text
//! com.acme;Main;run;Main.java:12 byte[] (newarray @17) 4096
//! package  class method site and type                  bytes (or objects)
//! ```
//!
//! Blamed callers make frames of their own between the caller's method and the site, so that the bytes of
//! `Arrays.copyOf` stand below the code that called it:
//! `com.acme;Main;run;Main.java:12 calls java.util.Arrays.copyOf;java.util.Arrays.copyOf(...) byte[] (...) 4096`.

use std::collections::BTreeMap;

use ducktrack_profile::{Profile, Unit};

use crate::class_name::{package_of, simple_name};
use crate::filter::Sort;
use crate::stack_names::{frame_name, type_name};
use crate::tree::unit_of;
use crate::view::{Cell, Location, SiteRow, View};

/// All stacks; the number is bytes or, sorted by count, objects. A number not above zero has no place in a stack.
pub fn collapsed(view: &View) -> String {
    match view.stacks.samples {
        0 => by_package(view),
        _ => whole_stacks(&view.stacks, unit_of(view.filter.sort)),
    }
}

/// Whole stacks of a profile, in alphabetical order.
pub fn whole_stacks(profile: &Profile, unit: Unit) -> String {
    let names: Vec<String> = profile
        .frames
        .iter()
        .map(|found| frame(&frame_name(found)))
        .collect();
    let mut lines: BTreeMap<String, i64> = BTreeMap::new();
    for row in &profile.rows {
        let mut stack: Vec<&str> = profile
            .frames_of(row.stack)
            .filter_map(|frame| names.get(frame.get()).map(String::as_str))
            .collect();
        stack.reverse();
        let ty = frame(&type_name(row.ty.as_deref()));
        stack.push(&ty);
        *lines.entry(stack.join(";")).or_default() += unit.of(row.tally);
    }
    let above = lines.iter().filter(|(_, number)| **number > 0);
    above
        .map(|(stack, number)| format!("{stack} {number}\n"))
        .collect()
}

fn by_package(view: &View) -> String {
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
