//! All objects as columns of numbers, for scripts: `crates/merlin/COLUMNS.md` is the page.

use std::io::Write;

use anyhow::{Context, Result};
use ducktrack_merlin::{Fate, Instant, Names, SiteId, TypeId};
use ducktrack_reports::{ObjectPlace, place_of};

/// Objects of one group of columns.
const GROUP: usize = 1 << 16;
/// The value for "not known".
const UNKNOWN: u64 = u64::MAX;

/// A name, and the value of an object.
type Column = (&'static str, fn(&Fate) -> u64);

const COLUMNS: [Column; 25] = [
    ("object", |fate| fate.object.get()),
    ("type", |fate| fate.ty.0.into()),
    ("site", |fate| fate.site.0.into()),
    ("thread", |fate| fate.thread.0.into()),
    ("bytes", |fate| fate.bytes),
    ("length", |fate| fate.length.unwrap_or(UNKNOWN)),
    ("referrers", |fate| fate.referrers.into()),
    ("references", |fate| fate.references.into()),
    ("key", |fate| fate.is_key.into()),
    ("born_time", |fate| fate.born.time),
    ("born_bytes", |fate| fate.born.bytes),
    ("born_calls", |fate| fate.born.calls),
    ("born_micros", |fate| fate.born.micros),
    ("used_time", |fate| part(fate.used, |at| at.time)),
    ("used_bytes", |fate| part(fate.used, |at| at.bytes)),
    ("used_calls", |fate| part(fate.used, |at| at.calls)),
    ("used_micros", |fate| part(fate.used, |at| at.micros)),
    ("unreachable_time", |fate| {
        part(fate.unreachable, |at| at.time)
    }),
    ("unreachable_bytes", |fate| {
        part(fate.unreachable, |at| at.bytes)
    }),
    ("unreachable_calls", |fate| {
        part(fate.unreachable, |at| at.calls)
    }),
    ("unreachable_micros", |fate| {
        part(fate.unreachable, |at| at.micros)
    }),
    ("collected_time", |fate| part(fate.collected, |at| at.time)),
    ("collected_bytes", |fate| {
        part(fate.collected, |at| at.bytes)
    }),
    ("collected_calls", |fate| {
        part(fate.collected, |at| at.calls)
    }),
    ("collected_micros", |fate| {
        part(fate.collected, |at| at.micros)
    }),
];

/// Writes groups of columns, then the names.
pub(crate) struct ColumnWriter {
    out: Box<dyn Write + Send>,
    rows: Vec<[u64; COLUMNS.len()]>,
    places: std::collections::BTreeSet<(SiteId, TypeId)>,
}

impl ColumnWriter {
    pub(crate) fn new(mut out: Box<dyn Write + Send>) -> Result<Self> {
        let names = COLUMNS.map(|(name, _)| name);
        let header =
            serde_json::json!({ "format": "ducktrack-objects", "version": 1, "columns": names });
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
            self.rows.push(COLUMNS.map(|(_, value)| value(fate)));
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

fn part(moment: Option<Instant>, of: fn(Instant) -> u64) -> u64 {
    moment.map_or(UNKNOWN, of)
}
