//! The report by context for people: a table for each kind, with the largest places of each context.

use super::document::{ContextsReport, ExecutionContextDoc};
use super::table::{Row, table};
use crate::quantity::{bytes_in_objects, grouped, share};
use crate::table::TextTable;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Contexts of a kind that are shown.
const CONTEXTS: usize = 20;
/// Places of a context.
const SITES: usize = 3;

pub(super) fn write(report: &ContextsReport, out: &mut TextLines) {
    out.push_str(&format!("ducktrack: {}\n", report.run.command));
    fact(
        out,
        "allocated",
        &bytes_in_objects(report.total.bytes, report.total.count),
    );
    if report.contexts.is_empty() {
        fact(
            out,
            "contexts",
            "none was recorded: `contexts=` says which methods open them",
        );
    }
    for kind in &report.kinds {
        let contexts: Vec<&ExecutionContextDoc> = report
            .contexts
            .iter()
            .filter(|context| context.kind == kind.kind)
            .collect();
        section(
            out,
            &format!(
                "CONTEXTS of kind {} ({} of {}, by bytes); outside of them {} of all bytes",
                kind.kind,
                contexts.len().min(CONTEXTS),
                contexts.len(),
                share(kind.outside.bytes, report.total.bytes)
            ),
        );
        let table = table(report);
        let mut text = table.text();
        for context in contexts.iter().take(CONTEXTS) {
            write_context(report, context, &mut text);
        }
        text.write(out);
    }
    for sentence in &report.losses {
        out.push_str(&format!("\n  ! {sentence}"));
    }
    if !report.losses.is_empty() {
        out.push('\n');
    }
}

fn write_context<'a>(
    report: &ContextsReport,
    context: &'a ExecutionContextDoc,
    text: &mut TextTable<'_, 'a, Row<'a>>,
) {
    text.row(&Row {
        context,
        site: None,
        executions: context.executions.as_ref(),
    });
    for site in context.sites.iter().take(SITES) {
        text.row(&Row {
            context,
            site: Some(site),
            executions: None,
        });
    }
    for line in [objects_line(context), largest_line(report, context)] {
        line.into_iter()
            .for_each(|line| text.note(format!("  {line}")));
    }
}

/// The objects of an execution, where they are counted.
fn objects_line(context: &ExecutionContextDoc) -> Option<String> {
    let objects = context.executions.as_ref()?.objects.as_ref()?;
    Some(format!(
        "objects of an execution: mean {}, median {}, 99 % {}, most {}",
        grouped(objects.mean.round() as i64),
        grouped(objects.median),
        grouped(objects.p99),
        objects.most.map_or_else(|| "-".to_owned(), grouped)
    ))
}

/// When and where the largest execution was.
fn largest_line(report: &ContextsReport, context: &ExecutionContextDoc) -> Option<String> {
    let all = context.executions.as_ref()?;
    let ended = all.largest_unix_millis?;
    let after = ended.saturating_sub(report.run.start_unix_millis);
    let thread = all
        .largest_thread
        .as_deref()
        .filter(|name| !name.is_empty());
    let trace = all.largest_trace.as_deref();
    Some(format!(
        "largest execution: {} bytes, ended {}.{:03} s after the start, thread {}{}",
        grouped(all.largest?),
        after / 1000,
        after % 1000,
        thread.unwrap_or("(no name)"),
        trace.map_or_else(String::new, |trace| format!(", trace {trace}"))
    ))
}
