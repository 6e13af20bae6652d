//! Methods whose places read alike without their descriptors: overloads on one line, and those of classes without lines.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{CallRow, MethodIndex, MethodRow, SiteRow};

/// Class, name and line.
type Reading = (Arc<str>, Arc<str>, Option<u16>);

/// Marks them.
pub(crate) fn mark_alike(methods: &mut [MethodRow], sites: &[SiteRow], calls: &[CallRow]) {
    let mut readings: FxHashMap<Reading, FxHashSet<Arc<str>>> = FxHashMap::default();
    let places = || {
        let of_sites = sites.iter().map(|site| (site.method, site.line));
        of_sites.chain(calls.iter().map(|call| (call.method, call.line)))
    };
    let reading = |methods: &[MethodRow], (method, line): (MethodIndex, Option<u16>)| {
        let row = methods.get(method.get())?;
        Some((Arc::clone(&row.class), Arc::clone(&row.name), line))
    };
    for place in places() {
        if let (Some(reading), Some(row)) = (reading(methods, place), methods.get(place.0.get())) {
            let descriptor = Arc::clone(&row.descriptor);
            readings.entry(reading).or_default().insert(descriptor);
        }
    }
    for place in places() {
        let alike = reading(methods, place).and_then(|reading| readings.get(&reading));
        if alike.is_some_and(|descriptors| descriptors.len() > 1)
            && let Some(row) = methods.get_mut(place.0.get())
        {
            row.reads_alike = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;

    fn method(name: &str, descriptor: &str) -> MethodRow {
        MethodRow {
            class: "com/acme/do".into(),
            loader: "app".into(),
            source_file: None,
            generated: false,
            name: name.into(),
            descriptor: descriptor.into(),
            reads_alike: false,
            increments: 0,
            one_per_site: 0,
        }
    }

    fn call(method: usize, line: Option<u16>) -> CallRow {
        CallRow {
            method: MethodIndex(method),
            bci: 18,
            line,
            target: "java.lang.String.concat".into(),
            total: Tally::default(),
        }
    }

    #[test]
    fn overloads_read_alike_on_one_line_and_without_lines() {
        let mut methods = [
            method("if", "(I)V"),
            method("if", "(I)Z"),
            method("for", "(I)V"),
            method("for", "(J)V"),
            method("while", "()V"),
            method("while", "()V"),
        ];
        let calls = [
            call(0, None),
            call(1, None),
            call(2, Some(7)),
            call(3, Some(8)),
            call(4, None),
            call(5, None),
        ];
        mark_alike(&mut methods, &[], &calls);
        let alike = methods.map(|method| method.reads_alike);
        assert_eq!(alike, [true, true, false, false, false, false]);
    }
}
