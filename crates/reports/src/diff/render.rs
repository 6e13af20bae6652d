//! A comparison as text and as JSON; `JSON.md` documents the keys.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::{Comparison, Side, SiteChange};
use crate::error::ReportError;
use crate::json::{AmountDoc, SiteDoc};
use crate::quantity::{bytes, counted, grouped_signed, objects, percent};

const DEFAULT_TOP: usize = 20;

pub(super) fn write(out: &mut String, comparison: &Comparison) {
    let failed = comparison.verdicts.iter().filter(|verdict| !verdict.passed);
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
    write_changes(out, comparison, comparison.top.unwrap_or(DEFAULT_TOP));
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

fn write_changes(out: &mut String, comparison: &Comparison, top: usize) {
    let changes = &comparison.changes;
    out.push_str(&format!(
        "\nSITES that changed ({} of {}; {} did not)\n",
        top.min(changes.len()),
        changes.len(),
        comparison.unchanged
    ));
    if changes.is_empty() {
        out.push_str("  none\n");
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["change", "change", "before", "after", "", "site"]);
    for change in changes.iter().take(top) {
        table.add_row(row(change));
    }
    for column in table.column_iter_mut().take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn row(change: &SiteChange) -> [String; 6] {
    let AmountDoc { count, bytes: size } = change.change();
    let number = |site: &Option<SiteDoc>| {
        site.as_ref()
            .map_or_else(|| "-".to_owned(), |site| objects(site.count))
    };
    let mark = match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "gone",
        _ => "",
    };
    [
        format!("{} B", grouped_signed(size)),
        format!("{} obj", grouped_signed(count)),
        number(&change.before),
        number(&change.after),
        mark.to_owned(),
        change.site().map_or_else(String::new, place),
    ]
}

fn place(site: &SiteDoc) -> String {
    let source = match (&site.source_file, site.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (None, Some(line)) => format!("line {line}"),
        (_, None) => format!("@{}", site.bci),
    };
    let ty = site.ty.as_deref().unwrap_or("several types");
    format!(
        "{}.{}({source})  {ty} ({} @{})",
        site.class, site.method, site.kind, site.bci
    )
}

pub(super) fn json(comparison: &Comparison) -> Result<String, ReportError> {
    let changes = comparison.changes.iter();
    let changes = changes.take(comparison.top.unwrap_or(usize::MAX));
    let document = json!({
        "format": "ducktrack-diff",
        "version": 1,
        "before": side(&comparison.before),
        "after": side(&comparison.after),
        "passed": comparison.passed(),
        "gates": comparison.verdicts.iter().map(|verdict| json!({
            "gate": verdict.gate,
            "before": verdict.before,
            "after": verdict.after,
            "unit": verdict.unit,
            "passed": verdict.passed,
            "most": verdict.most.as_ref().map(|(place, growth)| json!({"place": place, "growth": growth})),
        })).collect::<Vec<_>>(),
        "cautions": comparison.cautions,
        "changed_sites": comparison.changes.len(),
        "unchanged_sites": comparison.unchanged,
        "sites": changes.map(site_change).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&document).map_err(ReportError::NoJsonForm)?;
    Ok(text + "\n")
}

fn side(side: &Side) -> Value {
    json!({
        "name": side.name,
        "command": side.command,
        "java_version": side.java_version,
        "sites": side.sites,
        "count": side.total.count,
        "bytes": side.total.bytes,
    })
}

fn site_change(change: &SiteChange) -> Value {
    let one = |site: &Option<SiteDoc>| {
        site.as_ref().map(|site| json!({"bci": site.bci, "line": site.line, "count": site.count, "bytes": site.bytes}))
    };
    let site = change.site();
    let amount = change.change();
    json!({
        "class": site.map(|site| &site.class),
        "method": site.map(|site| &site.method),
        "descriptor": site.map(|site| &site.descriptor),
        "type": site.and_then(|site| site.ty.as_ref()),
        "kind": site.map(|site| &site.kind),
        "before": one(&change.before),
        "after": one(&change.after),
        "change": {"count": amount.count, "bytes": amount.bytes},
    })
}
