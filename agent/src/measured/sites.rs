//! The sites of the whole run, as the answer to a command has them: those of most bytes first.
//!
//! ```text
//! {"objects":2,"bytes":48,"type":"Lcom/acme/Point;","class":"com/acme/App","method":"run","line":7,"caller":{"class":"com/acme/App","method":"main","line":3}}
//! ```
//!
//! Names are those of class files, types are descriptors. `line` is absent
//! where it is not known, `caller` where the objects are filed under none.

use serde_json::{Value, json};

use super::difference::Difference;
use super::open_measurements::Readings;
use super::rows::{Row, rows_of};
use crate::core::Core;
use crate::core::vm_facts::VmFacts;
use crate::threads::counter_block::BlockValues;

/// Adds the sites, and the objects that found no room among those with callers, if this run counts.
pub(crate) fn add_sites(core: &Core, answer: &mut Value) {
    let Some(facts) = core.facts().filter(|_| core.needs.counts_in_blocks) else {
        return;
    };
    let mut total = Difference::default();
    for values in readings(core, facts).values() {
        total.add(&BlockValues::default(), values);
    }
    answer["objects_without_site"] = json!(total.lost.0);
    let mut rows = rows_of(core, total);
    rows.retain(|row| row.count != 0);
    rows.sort_by_key(|row| std::cmp::Reverse((row.bytes, row.count)));
    answer["sites"] = rows.iter().map(site).collect();
}

/// A reading of the blocks of all threads, and of the one that they share.
pub(crate) fn readings(core: &Core, facts: &VmFacts) -> Readings {
    let end = core.registry.counter_end();
    core.while_values_stay(|_| {
        let rows = core.threads.rows(&facts.threads);
        let blocks = rows.iter().map(|(row, _)| row.block);
        blocks
            .chain([core.shared])
            .map(|block| (block.address(), block.values(end)))
            .collect()
    })
}

fn site(row: &Row) -> Value {
    let mut site = place(&row.site.class, &row.site.method, row.site.line);
    site["objects"] = number(row.count);
    site["bytes"] = number(row.bytes);
    site["type"] = json!(row.ty);
    if let Some(caller) = &row.caller {
        site["caller"] = place(&caller.class, &caller.method, caller.line);
    }
    site
}

fn place(class: &str, method: &str, line: Option<u16>) -> Value {
    let mut place = json!({"class": class, "method": method});
    if let Some(line) = line {
        place["line"] = json!(line);
    }
    place
}

fn number(amount: i128) -> Value {
    json!(i64::try_from(amount).unwrap_or(i64::MAX))
}
