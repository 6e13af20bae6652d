//! `ducktrack lifetimes --roots`: a line for each object that something held directly, and each that held it.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ducktrack_merlin::{Names, Record, SiteId, TypeId};
use ducktrack_reports::{Filter, csv_line, place_of};

use crate::deaths::trace_records::TraceRecords;
use crate::progress::Progress;

const COLUMNS: [&str; 4] = ["heldBy", "field", "object", "type"];

/// Writes the list of a trace.
pub(super) fn write(path: &Path, filter: &Filter, out: &mut dyn Write) -> Result<()> {
    if !path.is_dir() {
        bail!(
            "{} is no directory that the agent wrote: what held objects is listed of those only",
            path.display()
        );
    }
    let mut trace = TraceRecords::open(path)?;
    let mut names = Names::default();
    // Objects have numbers from 1 on, in the order of their records.
    let mut made_at = vec![(SiteId(0), TypeId(0))];
    let progress = Progress::of_bytes(trace.length());
    let mut fault = None;
    trace.for_each(&|at| progress.at(at), &mut |records| match records {
        Ok(block) => {
            for record in block.records {
                match record {
                    Record::Allocation(made) => made_at.push((made.site, made.ty)),
                    Record::Definition(definition) => names.define(&definition),
                    _ => {}
                }
            }
        }
        Err(error) => fault = Some(error),
    });
    progress.done();
    if let Some(fault) = fault {
        eprintln!("ducktrack: {}: {fault}", path.display());
    }
    let mut put = |fields: &[String]| {
        let written = out.write_all(csv_line(fields).as_bytes());
        written.context("cannot write the list of roots")
    };
    put(&COLUMNS.map(str::to_owned))?;
    let mut left = filter.top.unwrap_or(usize::MAX);
    for root in trace.roots() {
        let number = usize::try_from(root.object.get()).unwrap_or(usize::MAX);
        let (site, ty) = made_at.get(number).copied().unwrap_or_default();
        let place = place_of(&names, site, ty);
        if left == 0 || !place.is_wanted(filter) {
            continue;
        }
        left -= 1;
        put(&[
            root.by.to_owned(),
            root.field.clone().unwrap_or_default(),
            root.object.get().to_string(),
            place.ty,
        ])?;
    }
    out.flush().context("cannot write the list of roots")
}
