//! Waste by kind and holder.

use core::cmp::Reverse;

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{ClassIndex, HeapGraph};

use crate::claims::{Claim, Claims};
use crate::holder::HolderNumber;
use crate::kind::Kind;
use crate::reach::Reach;
use crate::regions::Regions;

/// The waste of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waste {
    /// Most bytes first.
    pub rows: Vec<WasteRow>,
    /// Bytes that all of it together would save, none twice.
    pub total: u64,
    /// Objects that roots reach.
    pub live_objects: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Bytes that compact headers (`-XX:+UseCompactObjectHeaders`) would save of the whole live heap; `None`: the JVM had them.
    pub compact_headers_save: Option<u64>,
    /// Bytes that G1 would lose behind large objects. They are no part of `total`. `None`: there are no large objects.
    pub regions: Option<Regions>,
}

/// Waste of one kind that one field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasteRow {
    /// What is wasted.
    pub kind: Kind,
    /// The field that holds it; of fields without a value the class. Empty: not known.
    pub holder: String,
    /// Objects that could go, or be smaller.
    pub objects: u64,
    /// Bytes that this would save.
    pub bytes: u64,
    /// How many of these bytes a kind before this one in the work would save as well: they are in the total once.
    pub overlap: u64,
    /// What else there is to know: the number of values, the fields.
    pub detail: String,
    /// Who made the objects, most bytes first, by their numbers; `None`: not known.
    pub makers: Vec<MakerAmount>,
    /// Who made the tables inside of the objects, in the same way; empty if they have none.
    pub table_makers: Vec<MakerAmount>,
}

/// The objects of one maker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakerAmount {
    /// Its number, as the caller gave it.
    pub maker: Option<u32>,
    /// Objects.
    pub objects: u64,
    /// Bytes that they would save.
    pub bytes: u64,
}

/// An object that could go or be smaller, with all bytes that this saves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// The object that counts, whose maker is named.
    pub(crate) object: u32,
    /// Where its bytes are.
    pub(crate) claims: &'a [Claim],
    /// Bytes that take their place.
    pub(crate) replacement: u64,
    /// Its table, if another line can have made that.
    pub(crate) table: Option<u32>,
}

#[derive(Debug, Default)]
struct Amount {
    objects: u64,
    bytes: u64,
    overlap: u64,
    detail: String,
    makers: FxHashMap<Option<u32>, (u64, u64)>,
    table_makers: FxHashMap<Option<u32>, (u64, u64)>,
}

/// The name of a row: that of a holder, or one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Holder(HolderNumber),
    /// By its place in a list.
    Other(u32),
}

/// Collects what the judges find.
pub(crate) struct Findings<'a> {
    graph: &'a HeapGraph,
    reach: &'a Reach,
    maker_of: &'a dyn Fn(u32) -> Option<u32>,
    claims: Claims,
    rows: FxHashMap<(Kind, Named), Amount>,
    /// By class.
    names: Vec<String>,
    classes: FxHashMap<ClassIndex, u32>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(
        graph: &'a HeapGraph,
        reach: &'a Reach,
        maker_of: &'a dyn Fn(u32) -> Option<u32>,
    ) -> Self {
        Self {
            graph,
            reach,
            maker_of,
            claims: Claims::new(graph.objects()),
            rows: FxHashMap::default(),
            names: Vec::new(),
            classes: FxHashMap::default(),
        }
    }

    /// Adds an object, under the field that holds it.
    pub(crate) fn add(&mut self, kind: Kind, found: Found<'_>) {
        let holder = self.reach.holders.of(found.object);
        self.add_held(kind, holder, found);
    }

    /// Adds an object under a holder.
    pub(crate) fn add_held(&mut self, kind: Kind, holder: HolderNumber, found: Found<'_>) {
        self.add_named(kind, Named::Holder(holder), &[found.object], found);
    }

    /// The name of a class, for rows that no field holds.
    pub(crate) fn class_name(&mut self, class: ClassIndex, name: &str) -> Named {
        let next = self.names.len() as u32;
        let place = *self.classes.entry(class).or_insert(next);
        if place == next {
            self.names.push(name.replace('/', "."));
        }
        Named::Other(place)
    }

    /// Adds objects that go together, under a name.
    pub(crate) fn add_named(&mut self, kind: Kind, name: Named, objects: &[u32], found: Found<'_>) {
        let all: u64 = found.claims.iter().map(|claim| claim.bytes).sum();
        let bytes = all.saturating_sub(found.replacement);
        let overlap = self.claims.add(found.claims, found.replacement);
        let row = self.rows.entry((kind, name)).or_default();
        row.objects += objects.len() as u64;
        row.bytes += bytes;
        row.overlap += overlap.min(bytes);
        let each = bytes / (objects.len() as u64).max(1);
        let mut left = bytes;
        for (at, object) in objects.iter().enumerate() {
            let bytes = match at + 1 == objects.len() {
                true => left,
                false => each,
            };
            left -= bytes;
            let maker = row.makers.entry((self.maker_of)(*object)).or_default();
            *maker = (maker.0 + 1, maker.1 + bytes);
        }
        if let Some(table) = found.table {
            let maker = row.table_makers.entry((self.maker_of)(table)).or_default();
            *maker = (maker.0 + 1, maker.1 + self.graph.bytes(table));
        }
    }

    /// Says more of a row.
    pub(crate) fn detail(&mut self, kind: Kind, name: Named, detail: &str) {
        let row = self.rows.get_mut(&(kind, name));
        if let Some(row) = row.filter(|row| row.detail != detail) {
            row.detail = detail.to_owned();
        }
    }

    /// The rows, and the sizes that they are compared with.
    pub(crate) fn finish(self, compact_saves: Option<u64>, regions: Option<Regions>) -> Waste {
        let (graph, reach) = (self.graph, self.reach);
        let rows = self.rows.into_iter();
        let rows = rows.filter(|(_, amount)| amount.bytes > 0);
        let mut rows: Vec<WasteRow> = rows
            .map(|((kind, name), amount)| WasteRow {
                kind,
                holder: text(&self.names, reach, name),
                objects: amount.objects,
                bytes: amount.bytes,
                overlap: amount.overlap,
                detail: amount.detail,
                makers: amounts(amount.makers),
                table_makers: amounts(amount.table_makers),
            })
            .collect();
        rows.sort_by(|a, b| {
            (Reverse(a.bytes), &a.kind, &a.holder).cmp(&(Reverse(b.bytes), &b.kind, &b.holder))
        });
        let live = (0..graph.objects()).filter(|object| reach.is_live(*object));
        let (mut live_objects, mut live_bytes) = (0, 0);
        for object in live {
            live_objects += 1;
            live_bytes += graph.bytes(object);
        }
        Waste {
            rows,
            total: self.claims.total(),
            live_objects,
            live_bytes,
            compact_headers_save: compact_saves,
            regions,
        }
    }
}

fn text(names: &[String], reach: &Reach, name: Named) -> String {
    match name {
        Named::Holder(holder) => reach.holders.name(holder).to_owned(),
        Named::Other(place) => names.get(place as usize).cloned().unwrap_or_default(),
    }
}

fn amounts(makers: FxHashMap<Option<u32>, (u64, u64)>) -> Vec<MakerAmount> {
    let mut amounts: Vec<MakerAmount> = makers
        .into_iter()
        .map(|(maker, (objects, bytes))| MakerAmount {
            maker,
            objects,
            bytes,
        })
        .collect();
    amounts.sort_by_key(|amount| (Reverse(amount.bytes), amount.maker));
    amounts
}
