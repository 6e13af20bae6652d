//! Advice for people.

use super::document::{AdviceDoc, AdviceIntervalDoc, AdviceReport};
use crate::quantity::{bytes, grouped, objects, share, tenths};
use crate::text_lines::TextLines;

pub(super) fn write(report: &AdviceReport, out: &mut TextLines) {
    out.push_str(&format!("ducktrack advise: {}\n", report.trace));
    out.push_str(&format!(
        "  executed       {} in {}\n\n",
        bytes(report.total.bytes),
        objects(report.total.count)
    ));
    if let Some(per) = &report.per {
        out.push_str(&format!(
            "  of each        {}, {}\n\n",
            per.name,
            match per.times {
                1 => "once".to_owned(),
                times => format!("{} times", grouped(times)),
            }
        ));
    }
    if report.advice.is_empty() {
        out.push_str(
            "No change that saves a thousandth of the run is known (--all lists smaller ones).\n",
        );
        return;
    }
    out.push_str("CHANGES, those that save most on the heap first\n");
    for (number, row) in (1..).zip(&report.advice) {
        write_row(number, row, report, out);
    }
    if report.more > 0 {
        out.push_str(&format!(
            "  ... {} more (--top N)\n",
            grouped(i64::try_from(report.more).unwrap_or(i64::MAX))
        ));
    }
}

fn write_row(number: usize, row: &AdviceDoc, report: &AdviceReport, out: &mut TextLines) {
    let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
    out.push_str(&format!(
        "{number:>3}. {}.{}{line}  [{}]\n     {}\n",
        row.class, row.method, row.rule, row.what
    ));
    out.push_str(&format!(
        "     saves {} {} in {}, {} of the run; {}\n",
        certainty(row.sure, row.is_exact, row.interval.as_ref()),
        bytes(row.bytes),
        objects(row.objects),
        share(row.bytes, report.total.bytes),
        on_heap(row)
    ));
    if let Some(all) = &row.together {
        out.push_str(&format!(
            "     together with {} {}: {} {} in {}\n",
            if all.with.len() == 1 {
                "change"
            } else {
                "changes"
            },
            positions(&all.with),
            certainty(all.sure, all.is_exact, all.interval.as_ref()),
            bytes(all.bytes),
            objects(all.objects)
        ));
    }
    for waste in &row.in_dump {
        out.push_str(&format!(
            "     in the heap dump: {}, {} that {} would save\n",
            waste.kind,
            bytes(i64::try_from(waste.bytes).unwrap_or(i64::MAX)),
            objects(i64::try_from(waste.objects).unwrap_or(i64::MAX))
        ));
    }
    if let (Some(each), Some(per)) = (row.each_time, &report.per) {
        out.push_str(&format!(
            "     {} B in {} objects a {}\n",
            tenths(each.bytes),
            tenths(each.objects),
            per.name
        ));
    }
    if let Some(result) = row.result {
        out.push_str(&format!(
            "     the later run has {} in {} less by this rule in the method\n",
            bytes(result.bytes),
            objects(result.count)
        ));
    }
}

fn positions(all: &[usize]) -> String {
    let numbers: Vec<String> = all.iter().map(usize::to_string).collect();
    match numbers.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn certainty(sure: &str, is_exact: bool, interval: Option<&AdviceIntervalDoc>) -> String {
    match interval {
        Some(interval) => format!(
            "about (between {} and {})",
            bytes(interval.bytes[0]),
            bytes(interval.bytes[1])
        ),
        None if is_exact => "exactly".to_owned(),
        None => sure.to_owned(),
    }
}

fn on_heap(row: &AdviceDoc) -> String {
    match row.reaches_heap {
        Some(reached) => format!("{} reach the heap", objects(reached)),
        None => "how many reach the heap is not known (--record materialized)".to_owned(),
    }
}
