//! Top types with reverse location traces: type <- location <- blamed caller (aprof's second table).

use std::collections::BTreeMap;

use ducktrack_count_model::Tally;

use crate::filter::Sort;
use crate::grouping::by_type;
use crate::text::table::{AmountTable, more};
use crate::text::{CALLERS, DEFAULT_TOP, WITHOUT_CALLER, section};
use crate::text_lines::TextLines;
use crate::view::{CallerId, Location, View};

/// Locations shown below a type; the rest is one line with its sum.
const LOCATIONS: usize = 5;

pub(super) fn write(out: &mut TextLines, view: &View) {
    let types = types(view);
    let top = view.filter.top.unwrap_or(DEFAULT_TOP);
    let shown = top.min(types.len());
    section(
        out,
        &format!(
            "TYPES, with the locations that make them and the callers to blame ({shown} of {}, by {})",
            types.len(),
            view.filter.sort.name()
        ),
    );
    if types.is_empty() {
        out.push_str("  nothing was allocated here\n");
        return;
    }
    let mut table = AmountTable::new(&view.selected, "type <- location <- caller");
    for (name, ty) in types.iter().take(top) {
        table.row(0, name, ty.sum.executed, ty.sum.heap);
        ty.write(&mut table, view);
    }
    write_rest(
        &mut table,
        0,
        "type",
        types.iter().skip(top).map(|(_, ty)| ty.sum.executed),
    );
    table.write(out);
}

#[derive(Default)]
struct TypeNode<'a> {
    sum: Sum,
    locations: BTreeMap<&'a Location, LocationNode>,
}

#[derive(Default)]
struct LocationNode {
    sum: Sum,
    callers: BTreeMap<CallerId, Tally>,
}

/// Executed objects, and those on the heap as long as all sites know them for this type.
#[derive(Clone, Copy)]
struct Sum {
    executed: Tally,
    heap: Option<Tally>,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            executed: Tally::default(),
            heap: Some(Tally::default()),
        }
    }
}

impl Sum {
    fn add(&mut self, executed: Tally, heap: Option<Tally>) {
        self.executed += executed;
        self.heap = self
            .heap
            .zip(heap)
            .map(|(sum, heap)| [sum, heap].into_iter().sum());
    }
}

fn types(view: &View) -> Vec<(&str, TypeNode<'_>)> {
    let mut types: BTreeMap<&str, TypeNode<'_>> = BTreeMap::new();
    for site in &view.sites {
        let of_site = by_type(&site.cells);
        let heap = site.materialized.filter(|_| of_site.len() == 1);
        for (ty, amount) in of_site {
            let ty = types.entry(ty).or_default();
            ty.sum.add(amount, heap);
            ty.locations
                .entry(&site.location)
                .or_default()
                .sum
                .add(amount, heap);
        }
        for cell in &site.cells {
            let location = types
                .entry(&cell.ty)
                .or_default()
                .locations
                .entry(&site.location)
                .or_default();
            if let Some(caller) = cell.caller {
                *location.callers.entry(caller).or_default() += cell.executed;
            }
        }
    }
    sorted(types, view.filter.sort, |ty| ty.sum.executed)
}

impl TypeNode<'_> {
    fn write(&self, table: &mut AmountTable, view: &View) {
        let sort = view.filter.sort;
        let locations = sorted(self.locations.iter().collect(), sort, |node| {
            node.sum.executed
        });
        for (location, node) in locations.iter().take(LOCATIONS) {
            table.row(
                1,
                &format!("<- {location}"),
                node.sum.executed,
                node.sum.heap,
            );
            let callers = sorted(node.callers.iter().collect(), sort, |amount| **amount);
            for (caller, amount) in callers.iter().take(CALLERS) {
                if let Some(caller) = view.caller(**caller) {
                    table.row(2, &format!("<- {caller}"), **amount, None);
                }
            }
            write_rest(
                table,
                2,
                "caller",
                callers.iter().skip(CALLERS).map(|(_, amount)| **amount),
            );
            write_unblamed(table, node);
        }
        write_rest(
            table,
            1,
            "location",
            locations
                .iter()
                .skip(LOCATIONS)
                .map(|(_, node)| node.sum.executed),
        );
    }
}

/// Where some objects of a location have a caller and others have none, the others are a line too.
fn write_unblamed(table: &mut AmountTable, node: &LocationNode) {
    let blamed: Tally = node.callers.values().copied().sum();
    if node.callers.is_empty() || blamed == node.sum.executed {
        return;
    }
    let rest = crate::view::eliminated(node.sum.executed, blamed);
    table.row(2, WITHOUT_CALLER, rest, None);
}

fn write_rest(
    table: &mut AmountTable,
    depth: usize,
    what: &str,
    rest: impl Iterator<Item = Tally>,
) {
    let (number, sum) = rest.fold((0_usize, Tally::default()), |(number, mut sum), amount| {
        sum += amount;
        (number + 1, sum)
    });
    if number > 0 {
        table.row(depth, &more(number, what), sum, None);
    }
}

/// Largest first, ties by key.
fn sorted<K: Ord, V>(map: BTreeMap<K, V>, sort: Sort, amount: impl Fn(&V) -> Tally) -> Vec<(K, V)> {
    let mut rows: Vec<_> = map.into_iter().collect();
    let key = |value: &V| {
        let tally = amount(value);
        match sort {
            Sort::Bytes => (tally.bytes, tally.count),
            Sort::Count => (tally.count, tally.bytes),
        }
    };
    rows.sort_by(|a, b| key(&b.1).cmp(&key(&a.1)).then_with(|| a.0.cmp(&b.0)));
    rows
}
