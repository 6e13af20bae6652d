//! A comparison as text and as JSON.

use std::collections::{HashMap, HashSet};

use super::calls::CallChange;
use super::change::Change;
use super::contexts::{ContextAmounts, ContextChange};
use super::document::DiffDoc;
use super::matching::Placed;
use super::{Comparison, Side, SiteChange};
use crate::class_name::readable_descriptor;
use crate::error::ReportError;
use crate::json::{CauseDoc, SiteDoc};
use crate::quantity::{bytes, counted, grouped_signed, objects, percent, signed_tenths, tenths};
use crate::table::Printed;
use crate::text_lines::TextLines;

const DEFAULT_TOP: usize = 20;

pub(super) fn write(out: &mut TextLines, comparison: &Comparison) {
    let failed = comparison
        .verdicts
        .iter()
        .filter(|verdict| !verdict.holds());
    out.extend(failed.map(|verdict| format!("{verdict}\n")));
    out.push_str(&format!(
        "ducktrack: what changed from {} to {}\n",
        comparison.before.name, comparison.after.name
    ));
    for (word, side) in [("before", &comparison.before), ("after", &comparison.after)] {
        out.push_str(&format!("  {word:<8} {}\n", line(side)));
    }
    let (before, after) = (comparison.before.total, comparison.after.total);
    out.push_str(&format!(
        "  {:<8} {}\n",
        "bytes",
        change(before.bytes, after.bytes, " B")
    ));
    out.push_str(&format!(
        "  {:<8} {}\n",
        "objects",
        change(before.count, after.count, " obj")
    ));
    if let Some(per) = &comparison.per {
        let sentence = per.sentence(&comparison.before, &comparison.after);
        out.push_str(&format!("  {:<8} {sentence}\n", "each"));
    }
    let top = comparison.top.unwrap_or(DEFAULT_TOP);
    if let Some(contexts) = &comparison.contexts {
        write_contexts(out, contexts, top);
    }
    if let Some(calls) = &comparison.calls {
        write_calls(out, calls, top);
    }
    write_changes(out, comparison, top);
    if !comparison.cautions.is_empty() {
        out.push_str("\nCAUTION\n");
        for caution in &comparison.cautions {
            out.push_str(&format!("  {caution}\n"));
        }
    }
    if !comparison.verdicts.is_empty() {
        out.push_str("\nGATES\n");
        for verdict in &comparison.verdicts {
            out.push_str(&format!("  {verdict}\n"));
        }
    }
}

fn line(side: &Side) -> String {
    format!(
        "{} in {} at {}   {}",
        bytes(side.total.bytes),
        counted(side.total.count, "object"),
        counted(side.sites as u64, "site"),
        side.command
    )
    .trim_end()
    .to_owned()
}

fn change(before: i64, after: i64, unit: &str) -> String {
    let change = i128::from(after) - i128::from(before);
    let share =
        percent(change, before).map_or_else(String::new, |percent| format!(" ({percent:+.2} %)"));
    format!("{}{unit}{share}", grouped_signed(change))
}

fn write_changes(out: &mut TextLines, comparison: &Comparison, top: usize) {
    let changes = &comparison.changes;
    out.push_str(&format!(
        "\nSITES that changed ({} of {}; {} did not)\n",
        top.min(changes.len()),
        changes.len(),
        comparison.unchanged
    ));
    let shown = changes.get(..top).unwrap_or(changes);
    let alike = reading_alike(shown);
    let name = |site: &SiteDoc| match place(site, "") {
        name if alike.contains(&name) => place(site, &readable_descriptor(&site.descriptor)),
        name => name,
    };
    write_table(out, "site", shown.iter().map(|change| row(change, name)));
}

/// Names of rows that stand for sites of several methods: only descriptors tell these apart.
fn reading_alike(changes: &[SiteChange]) -> HashSet<String> {
    let mut descriptors: HashMap<String, HashSet<&str>> = HashMap::new();
    for site in changes.iter().filter_map(SiteChange::place) {
        let name = place(site, "");
        descriptors
            .entry(name)
            .or_default()
            .insert(&site.descriptor);
    }
    let alike = descriptors.into_iter().filter(|(_, found)| found.len() > 1);
    alike.map(|(name, _)| name).collect()
}

/// The application's own view comes first: its calls, and the objects that each was charged with.
fn write_calls(out: &mut TextLines, calls: &[CallChange], top: usize) {
    out.push_str(&format!(
        "\nCALLS of the application that changed ({} of {}): each object once, at the innermost call\n",
        top.min(calls.len()),
        calls.len()
    ));
    write_table(
        out,
        "call",
        calls.iter().take(top).map(|change| row(change, call)),
    );
}

/// What one execution of a context makes more or less, and where most of it.
fn write_contexts(out: &mut TextLines, contexts: &[ContextChange], top: usize) {
    out.push_str(&format!(
        "\nCONTEXTS that changed ({} of {}): for each execution of one\n",
        top.min(contexts.len()),
        contexts.len()
    ));
    write_table(out, "context", contexts.iter().take(top).map(context_row));
}

fn context_row(change: &ContextChange) -> [String; 6] {
    let each = change.change();
    let objects = |side: &Option<ContextAmounts>| {
        side.as_ref().map_or_else(
            || "-".to_owned(),
            |side| format!("{} obj", tenths(side.each().count)),
        )
    };
    let place = change.most.as_ref().map(|(place, most)| {
        format!(
            "; most at {place}, {} B, {} obj",
            signed_tenths(most.bytes),
            signed_tenths(most.count)
        )
    });
    [
        format!("{} B", signed_tenths(each.bytes)),
        format!("{} obj", signed_tenths(each.count)),
        objects(&change.before),
        objects(&change.after),
        mark(&change.before, &change.after).to_owned(),
        format!(
            "{}: {}{}",
            change.kind,
            change.name,
            place.unwrap_or_default()
        ),
    ]
}

fn write_table(out: &mut TextLines, name: &str, rows: impl Iterator<Item = [String; 6]>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return out.push_str("  none\n");
    }
    let mut table = Printed::new([">change", ">change", ">before", ">after", "", name]);
    rows.for_each(|row| table.push(row.into()));
    table.write(out);
}

fn row<T: Placed + Clone>(change: &Change<T>, name: impl Fn(&T) -> String) -> [String; 6] {
    let difference = change.change();
    let number = |side: &Option<T>| match side {
        Some(place) => objects(place.amount().count),
        None => "-".to_owned(),
    };
    [
        format!("{} B", grouped_signed(difference.bytes)),
        format!("{} obj", grouped_signed(difference.count)),
        number(&change.before),
        number(&change.after),
        mark(&change.before, &change.after).to_owned(),
        change.place().map_or_else(String::new, name),
    ]
}

/// Whether one run alone has it.
fn mark<T>(before: &Option<T>, after: &Option<T>) -> &'static str {
    match (before, after) {
        (None, _) => "new",
        (_, None) => "gone",
        _ => "",
    }
}

fn call(call: &CauseDoc) -> String {
    let source = source(call.source_file.as_deref(), call.line, call.bci);
    format!(
        "{}.{}({source}) calls {}",
        call.class, call.method, call.target
    )
}

fn source(file: Option<&str>, line: Option<u16>, bci: u16) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (None, Some(line)) => format!("line {line}"),
        (_, None) => format!("@{bci}"),
    }
}

fn place(site: &SiteDoc, descriptor: &str) -> String {
    let source = source(site.source_file.as_deref(), site.line, site.bci);
    let ty = site.ty.as_deref().unwrap_or("several types");
    format!(
        "{}.{}{descriptor}({source})  {ty} ({} @{})",
        site.class, site.method, site.kind, site.bci
    )
}

pub(super) fn json(comparison: &Comparison) -> Result<String, ReportError> {
    let document = DiffDoc::of(comparison);
    let text = serde_json::to_string_pretty(&document).map_err(ReportError::NoJsonForm)?;
    Ok(text + "\n")
}
