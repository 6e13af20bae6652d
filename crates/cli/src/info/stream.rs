//! `ducktrack info STREAM`: whether a neutral stream is whole and possible.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ducktrack_merlin::{CheckResult, Checker, Record, record_to_text};

use crate::deaths::{Foreign, RecordSource, open};
use crate::output;

/// The exit code for a stream with faults.
const FAULTY: u8 = 1;

/// Checks a stream; `as_text`: prints each record as a line instead.
pub(super) fn run(path: &Path, form: Option<Foreign>, as_text: bool) -> Result<ExitCode> {
    let mut source = open(path, form)?;
    let (result, damage) = check(&mut source, as_text)?;
    if !as_text {
        output::write(&summary(path, &result, damage.as_ref()), None)?;
    } else if let Some(damage) = &damage {
        eprintln!("ducktrack: {}: {damage}", path.display());
    }
    let is_good = damage.is_none() && result.faults == 0;
    Ok(ExitCode::from(if is_good { 0 } else { FAULTY }))
}

/// Reads to the end or to the first damage.
fn check(source: &mut RecordSource, as_text: bool) -> Result<(CheckResult, Option<String>)> {
    let mut checker = Checker::default();
    let (mut written, mut damage) = (Ok(()), None);
    source.for_each_piece(&mut |piece| {
        if damage.is_some() || written.is_err() {
            return;
        }
        let block = piece.and_then(|piece| Ok(piece.decode()?));
        match block {
            Ok(block) => {
                if as_text {
                    written = print(&block.records);
                }
                checker.block(&block);
            }
            Err(error) => damage = Some(error.to_string()),
        }
    });
    written?;
    Ok((checker.finish(source.records_by_end()), damage))
}

fn print(records: &[Record]) -> Result<()> {
    let lines = records.iter().map(|record| record_to_text(record) + "\n");
    output::write(&lines.collect::<String>(), None)
}

fn summary(path: &Path, result: &CheckResult, damage: Option<&String>) -> String {
    let totals = &result.totals;
    let name = path.display();
    let mut out = format!(
        "ducktrack info: {name}\n  {} records in {} blocks, level {}\n  {} objects allocated, {} reported dead by {} collections\n",
        result.records,
        result.blocks,
        totals.level.word(),
        totals.allocated.objects,
        totals.dead.objects,
        totals.collections.len(),
    );
    if result.unnamed > 0 {
        out.push_str(&format!(
            "  {} types, sites or methods have no name\n",
            result.unnamed
        ));
    }
    for found in &result.findings {
        out.push_str(&format!(
            "  record {} of the block at byte {}, time {}: {}\n",
            found.record, found.block, found.time, found.fault
        ));
    }
    let shown = result.findings.len() as u64;
    if result.faults > shown {
        out.push_str(&format!("  ... {} more\n", result.faults - shown));
    }
    if let Some(damage) = damage {
        out.push_str(&format!("  damage: {damage}\n"));
    }
    out.push_str(&match (damage, result.faults) {
        (None, 0) => format!("\nThe stream is whole and possible.\n\nNext:\n  ducktrack lifetimes {name}    when each object died\n"),
        (None, faults) => format!("\nThe stream is whole, but has {faults} contradictions.\n"),
        (Some(_), _) => "\nThe stream is damaged.\n".to_owned(),
    });
    out
}
