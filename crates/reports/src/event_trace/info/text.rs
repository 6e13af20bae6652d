//! For a terminal. `ducktrack info` prints it after the facts of `ducktrack.trace`.

use super::document::{InfoReport, LayoutsDoc, RotationDoc};
use super::table::table;
use crate::event_trace::text_parts::next_commands;
use crate::quantity::{bytes, bytes_in_objects, counted, grouped, objects, share};
use crate::table::{Table, Unit};
use crate::text::next_command::NextCommand;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Files and rotations shown at each end of a long list.
const ENDS: usize = 5;

pub(super) fn write(report: &InfoReport, out: &mut TextLines) {
    write_events(out, report);
    write_sizes(out, report);
    write_collections(out, report);
    write_layouts(out, report.layouts);
    write_quality(out, report);
    write_files(out, report);
}

pub(super) fn next(report: &InfoReport) -> Vec<NextCommand> {
    next_commands(
        &report.head,
        &[
            ("report", "", "who allocates what"),
            ("timeline", "", "what the heap was made of over time"),
            (
                "heap",
                "--at end",
                "what is alive at the end, and how old it is",
            ),
        ],
    )
}

fn write_events(out: &mut TextLines, report: &InfoReport) {
    section(out, "EVENTS");
    fact(
        out,
        "events",
        &format!(
            "{} in {}",
            grouped(report.events),
            counted(report.buffers, "buffer")
        ),
    );
    fact(
        out,
        "on the heap",
        &bytes_in_objects(report.allocated.bytes, report.allocated.count),
    );
    fact(
        out,
        "eliminated",
        &format!("{} by the JIT", counted(report.eliminated, "object")),
    );
    if let Some(complete) = report.complete {
        let (updates, calls) = (complete.updates, complete.calls);
        fact(
            out,
            "complete",
            &format!(
                "{} of references, {} of methods",
                counted(updates, "update"),
                match calls {
                    1 => "1 entry or end".to_owned(),
                    calls => format!("{} entries and ends", grouped(calls)),
                }
            ),
        );
    }
    let gaps = &report.gaps;
    fact(
        out,
        "gaps",
        &format!(
            "{} in {}: made by the VM or JNI without a site",
            bytes(gaps.bytes),
            counted(gaps.count, "place")
        ),
    );
    fact(
        out,
        "dropped",
        &match report.dropped {
            // The end of a trace says what could not be written.
            0 if report.head.run.ended.is_none() => "nothing, as far as the files tell".to_owned(),
            0 => "nothing: every event is here".to_owned(),
            dropped => counted(dropped, "event"),
        },
    );
    if let Some(recovered) = report.recovered.filter(|found| found.buffers > 0) {
        let mut found = format!(
            "{} with {} of events",
            counted(recovered.buffers, "buffer"),
            bytes(recovered.bytes)
        );
        if recovered.kept_collections > 0 {
            found += &format!(", {}", counted(recovered.kept_collections, "collection"));
        }
        found += ", from the memory of the JVM that was killed";
        if recovered.lost_collections > 0 {
            found += &format!(
                "; the moves of {} are lost",
                counted(recovered.lost_collections, "collection")
            );
        }
        fact(out, "recovered", &found);
    }
    for (name, number, what) in [
        (
            "no address",
            report.unplaced,
            "event without a known address",
        ),
        ("no size", report.size_unknown, "event without a known size"),
        (
            "not readable",
            report.malformed,
            "event that does not decode",
        ),
        (
            "stragglers",
            report.stragglers,
            "event after the collection it was made before",
        ),
        (
            "no room",
            report.contradictions,
            "event with less room than its object needs: it was eliminated",
        ),
    ] {
        if number > 0 {
            fact(out, name, &format!("{} {what}", grouped(number)));
        }
    }
}

fn write_sizes(out: &mut TextLines, report: &InfoReport) {
    section(out, "SIZES");
    let sizes = &report.compression;
    let each = |value: Option<f64>, what: &str| {
        value.map_or_else(
            || format!("no {what}s"),
            |value| format!("{value:.2} B before compression"),
        )
    };
    fact(out, "an event", &each(report.bytes_per_event, "event"));
    fact(out, "a move", &each(report.bytes_per_move, "move"));
    fact(
        out,
        "compression",
        &format!(
            "{} became {} ({})",
            bytes(sizes.plain_bytes),
            bytes(sizes.stored_bytes),
            share(sizes.stored_bytes, sizes.plain_bytes)
        ),
    );
    fact(
        out,
        "of these",
        &format!(
            "events {}, moves {}, synchronization points {}",
            bytes(sizes.event_bytes),
            bytes(sizes.move_bytes),
            bytes(sizes.sync_bytes)
        ),
    );
}

fn write_collections(out: &mut TextLines, report: &InfoReport) {
    section(out, "COLLECTIONS");
    let all = &report.collections;
    let range = match (all.first, all.last) {
        (Some(first), Some(last)) => format!(", numbers {first} to {last}"),
        _ => String::new(),
    };
    fact(
        out,
        "collections",
        &format!("{}{range}", grouped(all.count)),
    );
    fact(
        out,
        "moves",
        report.head.moves.as_deref().unwrap_or("none recorded"),
    );
    for missing in &report.head.missing {
        fact(out, "not known", missing);
    }
    if all.survivors > 0 {
        fact(
            out,
            "survivors",
            &format!(
                "{}, {} of them moved",
                objects(all.survivors),
                objects(all.moved)
            ),
        );
        fact(
            out,
            "found",
            &format!(
                "{} that no event explains: made by the VM or JNI, or before the agent was ready",
                objects(all.found)
            ),
        );
    }
    if all.ambiguous > 0 {
        fact(
            out,
            "ambiguous",
            &format!(
                "{} that could not be told apart, and have no site",
                objects(all.ambiguous)
            ),
        );
    }
}

/// Where objects have their fields.
fn write_layouts(out: &mut TextLines, layouts: LayoutsDoc) {
    if layouts.classes == 0 {
        return;
    }
    section(out, "CLASSES");
    fact(
        out,
        "field layouts",
        &format!(
            "known of {} of {} classes of objects",
            grouped(layouts.known),
            grouped(layouts.classes)
        ),
    );
}

fn write_quality(out: &mut TextLines, report: &InfoReport) {
    section(
        out,
        "QUALITY: live objects with a known site, right after a rotation and after the collections that follow",
    );
    if report.quality.rotations.is_empty() {
        out.push_str("  nothing was rotated: events are there from the first on\n");
        return;
    }
    let rotations = &report.quality.rotations;
    let shown = rotations.iter().enumerate();
    let shown = shown.filter(|(at, _)| *at < ENDS || at + ENDS >= rotations.len());
    let quality = |row: &RotationDoc| {
        let shares = row.quality.iter();
        let shares = shares.map(|quality| share(quality.with_site, quality.objects));
        shares.collect::<Vec<String>>().join(", ")
    };
    Table::<RotationDoc>::new()
        .in_text("file", Unit::Count, |row| row.file)
        .in_text("collection", Unit::Count, |row| row.collection)
        .in_text("objects", Unit::Objects, |row| row.objects)
        .in_text("differences", Unit::Count, |row| row.differences)
        .in_text("quality", Unit::Text, quality)
        .write(out, shown.map(|(_, rotation)| rotation));
    if rotations.len() > 2 * ENDS {
        out.push_str(&format!(
            "  {} more between them\n",
            grouped((rotations.len() - 2 * ENDS) as u64)
        ));
    }
}

fn write_files(out: &mut TextLines, report: &InfoReport) {
    section(
        out,
        &format!("EVENT FILES ({})", grouped(report.files.len() as u64)),
    );
    let table = table();
    let mut text = table.text();
    for (at, file) in report.files.iter().enumerate() {
        if at < ENDS || at + ENDS >= report.files.len() {
            text.row(file);
        } else if at == ENDS {
            text.gap();
        }
    }
    text.write(out);
}
