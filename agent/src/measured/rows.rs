//! A difference of counters as lines of text: one for each site and caller.
//!
//! ```text
//! layout <bytes of a header> <of a reference> <before the elements of a byte array> <alignment>
//! lost <objects> <bytes>                                                              where keyed entries found no room
//! <objects> <bytes> <bytes known> <type> <class> <method> <line> <class, method, line of the caller>
//! ```
//!
//! Fields are separated by tabs; what is not known is empty. Names are those of class files, types are descriptors.

use std::fmt::Write;

use super::difference::Difference;
use crate::classes::class_hook::is_helper;
use crate::core::Core;
use crate::core::registry::{CallInfo, SiteInfo};

/// Objects of a type at a site, filed under a caller.
pub(super) struct Row {
    pub(super) count: i128,
    pub(super) bytes: i128,
    pub(super) ty: String,
    pub(super) site: SiteInfo,
    pub(super) caller: Option<CallInfo>,
}

/// The rows of a difference, in no order, without those of the agent itself.
pub(super) fn rows_of(core: &Core, mut difference: Difference) -> Vec<Row> {
    let registry = &core.registry;
    difference
        .counters
        .retain(|id, _| registry.has_counter(*id));
    let mut rows: Vec<Row> = Vec::new();
    let counted = registry.measured_sites(&difference.counters);
    for (site, (count, bytes)) in counted.into_iter().filter(|(site, _)| !is_own(site)) {
        rows.push(Row {
            count,
            bytes,
            ty: site.ty.to_string(),
            site,
            caller: None,
        });
    }
    for ((call_site, site, klass), (count, bytes)) in difference.keyed {
        let known = registry
            .site(site as usize)
            .filter(|_| registry.has_site(site));
        let Some(site) = known.filter(|info| !is_own(info)) else {
            continue;
        };
        let ty = match klass {
            0 => site.ty.to_string(),
            klass => core.klass_name(klass),
        };
        let bytes = match bytes {
            0 => i128::from(count) * i128::from(site.bytes.unwrap_or(0)),
            bytes => i128::from(bytes),
        };
        rows.push(Row {
            count: i128::from(count),
            bytes,
            ty,
            site,
            caller: registry.call_site(call_site),
        });
    }
    rows
}

/// The lines of a difference, in no order.
pub(crate) fn rows(core: &Core, difference: Difference) -> String {
    let mut text = String::new();
    if let Some(facts) = core.facts() {
        let layout = &facts.layout;
        let [base, ..] = layout.array_base;
        let (header, reference, alignment) = (layout.header, layout.reference, layout.alignment);
        let _ = writeln!(text, "layout\t{header}\t{reference}\t{base}\t{alignment}");
    }
    if difference.lost != (0, 0) {
        let (objects, bytes) = difference.lost;
        let _ = writeln!(text, "lost\t{objects}\t{bytes}");
    }
    for row in rows_of(core, difference) {
        write_row(&mut text, &row);
    }
    text
}

/// Whether the agent itself allocates there, for a class that comes to it in the middle of the piece.
fn is_own(site: &SiteInfo) -> bool {
    is_helper(site.class.as_bytes())
}

fn write_row(text: &mut String, row: &Row) {
    let Row { count, bytes, .. } = row;
    let bytes_known = u8::from(*bytes != 0 || *count == 0);
    let _ = write!(text, "{count}\t{bytes}\t{bytes_known}\t{}\t", row.ty);
    let site = &row.site;
    write_place(text, &site.class, &site.method, site.line);
    text.push('\t');
    match &row.caller {
        Some(caller) => write_place(text, &caller.class, &caller.method, caller.line),
        None => text.push_str("\t\t"),
    }
    text.push('\n');
}

fn write_place(text: &mut String, class: &str, method: &str, line: Option<u16>) {
    let _ = write!(text, "{class}\t{method}\t");
    if let Some(line) = line {
        let _ = write!(text, "{line}");
    }
}
