//! Top locations with the types they make (aprof's first table). A location is a line of a method; its sites are below it.

use std::collections::BTreeMap;

use ducktrack_count_model::Tally;

use crate::filter::Sort;
use crate::grouping::by_type;
use crate::text::table::{AmountTable, more};
use crate::text::{DEFAULT_TOP, section};
use crate::text_lines::TextLines;
use crate::view::{SiteRow, View};

/// Types shown below a site that makes several.
const TYPES: usize = 5;

pub(super) fn write(out: &mut TextLines, view: &View) {
    let locations = locations(view);
    let top = view.filter.top.unwrap_or(DEFAULT_TOP);
    let shown = top.min(locations.len());
    section(
        out,
        &format!(
            "LOCATIONS, with the types they make ({shown} of {}, by {})",
            locations.len(),
            view.filter.sort.name()
        ),
    );
    if locations.is_empty() {
        out.push_str("  nothing was allocated here\n");
        return;
    }
    let mut table = AmountTable::new(
        &view.selected,
        "location, type (way of allocating @bytecode index)",
    );
    for location in locations.iter().take(top) {
        location.write(&mut table);
    }
    let rest = locations.get(shown..).unwrap_or_default();
    if !rest.is_empty() {
        let sum = rest.iter().map(|location| location.executed).sum();
        table.row(0, &more(rest.len(), "location"), sum, None);
    }
    table.write(out);
}

/// The sites of one line of one method.
struct LineOfMethod<'a> {
    executed: Tally,
    sites: Vec<&'a SiteRow>,
}

fn locations(view: &View) -> Vec<LineOfMethod<'_>> {
    let mut lines: BTreeMap<_, LineOfMethod<'_>> = BTreeMap::new();
    for site in &view.sites {
        let at = &site.location;
        // Without a line number every bytecode index is a location of its own.
        let place = (at.line, at.line.is_none().then_some(at.bci));
        let line = lines
            .entry((&at.class, &at.method, &at.descriptor, place))
            .or_insert_with(|| LineOfMethod {
                executed: Tally::default(),
                sites: Vec::new(),
            });
        line.executed += site.executed;
        line.sites.push(site);
    }
    let mut lines: Vec<_> = lines.into_values().collect();
    let key = |line: &LineOfMethod<'_>| match view.filter.sort {
        Sort::Bytes => (line.executed.bytes, line.executed.count),
        Sort::Count => (line.executed.count, line.executed.bytes),
    };
    lines.sort_by_key(|line| std::cmp::Reverse(key(line)));
    lines
}

impl LineOfMethod<'_> {
    fn write(&self, table: &mut AmountTable) {
        let Some(first) = self.sites.first() else {
            return;
        };
        let place = first.location.to_string();
        if let [site] = self.sites.as_slice() {
            table.row(
                0,
                &format!("{place}  {}", made(site)),
                site.executed,
                site.materialized,
            );
            write_types(table, site);
            return;
        }
        table.row(0, &place, self.executed, self.materialized());
        for site in &self.sites {
            table.row(1, &made(site), site.executed, site.materialized);
            write_types(table, site);
        }
    }

    /// The sum over the sites, when it is recorded for all of them.
    fn materialized(&self) -> Option<Tally> {
        self.sites.iter().map(|site| site.materialized).sum()
    }
}

/// `byte[] (newarray @17)`
fn made(site: &SiteRow) -> String {
    let types = by_type(&site.cells);
    let ty = match (types.as_slice(), &site.ty) {
        ([(only, _)], _) => (*only).to_owned(),
        (_, Some(ty)) => ty.clone(),
        (several, None) => format!("{} types", several.len()),
    };
    format!("{ty} ({} @{})", site.kind, site.location.bci)
}

fn write_types(table: &mut AmountTable, site: &SiteRow) {
    let types = by_type(&site.cells);
    if types.len() < 2 {
        return;
    }
    for (ty, amount) in types.iter().take(TYPES) {
        table.row(2, ty, *amount, None);
    }
    let rest = types.get(TYPES..).unwrap_or_default();
    if !rest.is_empty() {
        let sum = rest.iter().map(|(_, amount)| *amount).sum();
        table.row(2, &more(rest.len(), "type"), sum, None);
    }
}
