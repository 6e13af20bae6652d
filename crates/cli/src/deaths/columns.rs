//! All objects as columns of numbers, for scripts: `crates/merlin/COLUMNS.md` is the page.

use std::io::Write;

use anyhow::{Context, Result};
use ducktrack_merlin::{Fate, Instant, Names, SiteId, TypeId};
use ducktrack_reports::{ObjectPlace, place_of};

/// Objects of one group of columns.
const GROUP: usize = 1 << 16;
/// The value for "not known".
const UNKNOWN: u64 = u64::MAX;

const COLUMNS: [&str; 25] = [
    "object",
    "type",
    "site",
    "thread",
    "bytes",
    "length",
    "referrers",
    "references",
    "key",
    "born_time",
    "born_bytes",
    "born_calls",
    "born_micros",
    "used_time",
    "used_bytes",
    "used_calls",
    "used_micros",
    "unreachable_time",
    "unreachable_bytes",
    "unreachable_calls",
    "unreachable_micros",
    "collected_time",
    "collected_bytes",
    "collected_calls",
    "collected_micros",
];

/// Writes groups of columns, then the names.
pub(crate) struct ColumnWriter {
    out: Box<dyn Write + Send>,
    rows: Vec<[u64; COLUMNS.len()]>,
    places: std::collections::BTreeSet<(SiteId, TypeId)>,
}

impl ColumnWriter {
    pub(crate) fn new(mut out: Box<dyn Write + Send>) -> Result<Self> {
        let header =
            serde_json::json!({ "format": "ducktrack-objects", "version": 1, "columns": COLUMNS });
        writeln!(out, "{header}").context(FAILED)?;
        Ok(Self {
            out,
            rows: Vec::new(),
            places: std::collections::BTreeSet::new(),
        })
    }

    pub(crate) fn write(&mut self, fates: &[Fate]) -> Result<()> {
        for fate in fates {
            self.places.insert((fate.site, fate.ty));
            self.rows.push(row(fate));
            if self.rows.len() == GROUP {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut bytes = Vec::with_capacity(8 + rows.len() * COLUMNS.len() * 8);
        bytes.extend((rows.len() as u64).to_le_bytes());
        for column in 0..COLUMNS.len() {
            let values = rows.iter().filter_map(|row| row.get(column));
            bytes.extend(values.flat_map(|value| value.to_le_bytes()));
        }
        self.out.write_all(&bytes).context(FAILED)
    }

    /// The last group, a group of no rows, and the names as a line of JSON.
    pub(crate) fn finish(&mut self, names: &Names) -> Result<()> {
        if !self.rows.is_empty() {
            self.end_group()?;
        }
        self.end_group()?;
        let mut types = serde_json::Map::new();
        let mut sites = serde_json::Map::new();
        for (site, ty) in &self.places {
            let ObjectPlace {
                ty: type_name,
                class,
                method,
                line,
                ..
            } = place_of(names, *site, *ty);
            types.insert(ty.0.to_string(), type_name.into());
            let place = serde_json::json!({ "class": class, "method": method, "line": line });
            sites.insert(site.0.to_string(), place);
        }
        let names = serde_json::json!({ "types": types, "sites": sites });
        writeln!(self.out, "{names}").context(FAILED)?;
        self.out.flush().context(FAILED)
    }
}

const FAILED: &str = "cannot write the file of columns";

fn row(fate: &Fate) -> [u64; COLUMNS.len()] {
    let part = |moment: Option<Instant>, of: fn(Instant) -> u64| moment.map_or(UNKNOWN, of);
    let (used, unreachable, collected) = (fate.used, fate.unreachable, fate.collected);
    [
        fate.object.get(),
        fate.ty.0.into(),
        fate.site.0.into(),
        fate.thread.0.into(),
        fate.bytes,
        fate.length.unwrap_or(UNKNOWN),
        fate.referrers.into(),
        fate.references.into(),
        u64::from(fate.is_key),
        fate.born.time,
        fate.born.bytes,
        fate.born.calls,
        fate.born.micros,
        part(used, |at| at.time),
        part(used, |at| at.bytes),
        part(used, |at| at.calls),
        part(used, |at| at.micros),
        part(unreachable, |at| at.time),
        part(unreachable, |at| at.bytes),
        part(unreachable, |at| at.calls),
        part(unreachable, |at| at.micros),
        part(collected, |at| at.time),
        part(collected, |at| at.bytes),
        part(collected, |at| at.calls),
        part(collected, |at| at.micros),
    ]
}
