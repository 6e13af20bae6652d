//! A comment for a review, or the summary of a step.

use super::finding::Finding;
use crate::diff::{Comparison, Outcome};
use crate::quantity::{grouped, grouped_signed};

pub(super) fn write(comparison: &Comparison, findings: &[Finding]) -> String {
    let mut out = format!("### {}\n\n", title(comparison));
    let (before, after) = (comparison.before.total, comparison.after.total);
    out.push_str(&format!(
        "{} → {} objects ({}), {} → {} bytes ({})\n\n",
        grouped(before.count),
        grouped(after.count),
        grouped_signed(i128::from(after.count) - i128::from(before.count)),
        grouped(before.bytes),
        grouped(after.bytes),
        grouped_signed(i128::from(after.bytes) - i128::from(before.bytes)),
    ));
    write_gates(&mut out, comparison);
    if !comparison.is_green() {
        write_findings(&mut out, findings);
    }
    for caution in &comparison.cautions {
        out.push_str(&format!("> {}\n\n", text(caution)));
    }
    out.push_str(&format!("To accept: {}\n", code(&comparison.accept())));
    out
}

fn title(comparison: &Comparison) -> String {
    let all = comparison.verdicts.len();
    let broken = comparison
        .verdicts
        .iter()
        .filter(|verdict| verdict.outcome == Outcome::Broken);
    match (broken.count(), comparison.passed()) {
        (0, true) if all == 0 => "Allocations".to_owned(),
        (0, true) => "Allocations: all gates hold".to_owned(),
        (0, false) => "Allocations: a gate cannot be judged".to_owned(),
        (broken, _) => format!("Allocations: {broken} of {all} gates broken"),
    }
}

fn write_gates(out: &mut String, comparison: &Comparison) {
    if comparison.verdicts.is_empty() {
        return;
    }
    out.push_str("| gate | | before | after |\n|---|---|---:|---:|\n");
    for verdict in &comparison.verdicts {
        let outcome = match &verdict.outcome {
            Outcome::Holds => "holds".to_owned(),
            Outcome::Broken => "**broken**".to_owned(),
            Outcome::CannotTell(reason) => format!("cannot tell: {}", text(reason)),
        };
        let (before, after) = (grouped(verdict.before), grouped(verdict.after));
        out.push_str(&format!(
            "| {} | {outcome} | {before} | {after} |\n",
            code(&verdict.gate)
        ));
    }
    out.push('\n');
}

fn write_findings(out: &mut String, findings: &[Finding]) {
    if findings.is_empty() {
        out.push_str("No place allocates more.\n\n");
        return;
    }
    out.push_str("| where | | objects | bytes |\n|---|---|---:|---:|\n");
    for finding in findings {
        let place = match (&finding.file, finding.line) {
            (Some(file), Some(line)) => format!("<br>{}", text(&format!("{file}:{line}"))),
            (None, Some(line)) => format!(" line {line}"),
            _ => String::new(),
        };
        out.push_str(&format!(
            "| {}{place} | {} | {} ({} → {}) | {} |\n",
            code(&finding.method),
            text(&finding.what),
            grouped_signed(i128::from(finding.objects())),
            grouped(finding.before.count),
            grouped(finding.after.count),
            grouped_signed(i128::from(finding.bytes())),
        ));
    }
    out.push('\n');
}

/// Text that no sign of Markdown or HTML ends or begins anything in.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '@' => out.extend(['\\', sign]),
            sign => out.push(sign),
        }
    }
    out
}

/// The same as code. A bar would end the cell of a table, and a backtick the code.
fn code(text: &str) -> String {
    format!(
        "`{}`",
        text.replace(['\n', '\r', '`'], " ").replace('|', "\\|")
    )
}
