//! Waste to document.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ducktrack_analyses::TraceModel;
use ducktrack_count_model::is_of_jdk;
use ducktrack_holders::{DumpError, JoinedDump, Origin};
use ducktrack_waste::{LargeObjects, MakerAmount, REGIONS, RegionLoss, Regions, WasteRow, waste};

use super::document::{
    HumongousDoc, LargeObjectsDoc, RegionDoc, WasteLineDoc, WasteMakerDoc, WasteReport, WasteRowDoc,
};
use crate::build::caller;
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::event_trace::place::PlaceDoc;
use crate::view::Caller;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct WasteRequest {
    /// Where the dump was read from.
    pub dump: String,
    /// Where the trace was read from.
    pub trace: Option<String>,
    /// Rows that are wanted; `None`: all.
    pub top: Option<usize>,
}

/// Finds the waste of a dump; with the model of its trace also the lines that made it.
///
/// # Errors
/// When the dump cannot be read again.
pub fn waste_report(
    dump: &JoinedDump,
    model: Option<&TraceModel>,
    request: &WasteRequest,
) -> Result<WasteReport, DumpError> {
    let found = waste(&dump.graph, &|object| dump.maker_number(object))?;
    let lines = model.map(|model| Lines::new(dump, model));
    let mut rows: Vec<WasteRowDoc> = found
        .rows
        .iter()
        .map(|row| row_doc(row, lines.as_ref()))
        .collect();
    let all = rows.len() as u64;
    rows.truncate(request.top.unwrap_or(usize::MAX));
    Ok(WasteReport {
        format: "ducktrack-waste".to_owned(),
        version: VERSION,
        dump: request.dump.clone(),
        trace: request.trace.clone(),
        without_lines: dump.without_sites.clone(),
        cut_at: dump.graph.cut(),
        live_objects: found.live_objects,
        live_bytes: found.live_bytes,
        total: found.total,
        compact_headers_save: found.compact_headers_save,
        humongous: found
            .regions
            .as_ref()
            .map(|found| humongous(found, lines.as_ref())),
        rows: all,
        waste: rows,
    })
}

fn humongous(found: &Regions, lines: Option<&Lines<'_>>) -> HumongousDoc {
    let region = |(region, loss): (u64, &RegionLoss)| RegionDoc {
        region,
        objects: loss.objects,
        bytes: loss.bytes,
        lost: loss.lost,
    };
    let row = |row: &LargeObjects| LargeObjectsDoc {
        holder: printable(&row.holder),
        made: lines.and_then(|lines| lines.of_maker(row.maker)),
        objects: row.objects,
        bytes: row.bytes,
        lost: row.lost.to_vec(),
    };
    HumongousDoc {
        regions: REGIONS.into_iter().zip(&found.all).map(region).collect(),
        rows: found.rows.iter().map(row).collect(),
    }
}

fn row_doc(row: &WasteRow, lines: Option<&Lines<'_>>) -> WasteRowDoc {
    let makers =
        |amounts: &[MakerAmount]| lines.map_or_else(Vec::new, |lines| lines.makers(amounts));
    let first = |makers: &[WasteMakerDoc]| makers.first().map(|maker| maker.line.clone());
    let (objects, tables) = (makers(&row.makers), makers(&row.table_makers));
    let made = first(&objects);
    let made = made.as_ref();
    WasteRowDoc {
        kind: row.kind.name().to_owned(),
        objects: row.objects,
        bytes: row.bytes,
        overlap: row.overlap,
        holder: printable(&row.holder),
        class: made.map(|made| made.class.clone()),
        method: made.map(|made| made.method.clone()),
        line: made.and_then(|made| made.line),
        calls: made.and_then(|made| made.calls.clone()),
        table: first(&tables),
        what: row.kind.advice().text().to_owned(),
        detail: printable(&row.detail),
        advice: Some(row.kind.advice()),
        makers: objects,
    }
}

/// The lines of makers.
struct Lines<'a> {
    dump: &'a JoinedDump,
    model: &'a TraceModel,
    callers: Vec<Caller>,
}

impl<'a> Lines<'a> {
    fn new(dump: &'a JoinedDump, model: &'a TraceModel) -> Self {
        let calls = model.count.calls.iter();
        Self {
            dump,
            model,
            callers: calls.map(|call| caller(&model.count, call)).collect(),
        }
    }

    /// The program's line of an object that a library made for it, else the line that made it.
    fn line(&self, origin: Origin) -> Option<WasteLineDoc> {
        let place = PlaceDoc::of(&self.model.count, origin.site?)?;
        let call = origin.call.and_then(|call| self.callers.get(call.get()));
        let call = call.filter(|_| is_of_jdk(&place.location.class));
        let at = call.map_or(&place.location, |call| &call.location);
        Some(WasteLineDoc {
            class: at.class.clone(),
            method: at.method.clone(),
            line: at.line,
            calls: call.map(|call| call.target.clone()),
        })
    }

    fn of_maker(&self, maker: Option<u32>) -> Option<WasteLineDoc> {
        let maker = self.dump.makers.get(maker? as usize)?;
        self.line(Origin {
            site: maker.site,
            call: maker.call,
        })
    }

    fn makers(&self, amounts: &[MakerAmount]) -> Vec<WasteMakerDoc> {
        let mut by_line: BTreeMap<WasteLineDoc, (u64, u64)> = BTreeMap::new();
        for amount in amounts {
            if let Some(line) = self.of_maker(amount.maker) {
                let sums = by_line.entry(line).or_default();
                *sums = (sums.0 + amount.objects, sums.1 + amount.bytes);
            }
        }
        let mut makers: Vec<WasteMakerDoc> = by_line
            .into_iter()
            .map(|(line, (objects, bytes))| WasteMakerDoc {
                line,
                objects,
                bytes,
            })
            .collect();
        makers.sort_by_key(|maker| Reverse(maker.bytes));
        makers
    }
}
