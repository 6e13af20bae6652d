//! The summary printed at exit: the largest sites, the completeness, the agent's cost, and the next command.

use ducktrack_printable::printable;
use rustc_hash::FxHashMap;

use crate::core::Core;

const TOP: usize = 5;

pub(crate) fn print_summary(core: &Core) {
    let Some(facts) = core.facts() else { return };
    let rows = core.threads.rows(&facts.threads);
    let allocated: u64 = rows.iter().map(|(_, bytes)| bytes).sum();
    let end = core.registry.counter_end();
    let mut counters: FxHashMap<u32, u64> = FxHashMap::default();
    let mut keyed: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let written = core.blocks.written();
    for block in rows.iter().map(|(row, _)| row.block).chain([core.shared]) {
        for (id, value) in written.counters(block, end) {
            *counters.entry(id).or_default() += value;
        }
        for entry in block.keyed() {
            let sum = keyed.entry(entry.site).or_default();
            *sum = (sum.0 + entry.count, sum.1 + entry.bytes);
        }
    }
    let mut totals = core.registry.totals(&counters);
    for (site, (count, bytes)) in keyed {
        if let Some(total) = totals.get_mut(site as usize) {
            // Keyed entries of sites with a fixed size hold no bytes.
            let info = core.registry.site(site as usize).filter(|_| bytes == 0);
            let fixed = info.and_then(|info| info.bytes).unwrap_or(0);
            total.0 += i128::from(count);
            total.1 += i128::from(bytes) + i128::from(fixed) * i128::from(count);
        }
    }
    eprint!(
        "{}",
        summary_text(
            core,
            &totals,
            allocated,
            core.registry.increments(&counters)
        )
    );
}

fn summary_text(core: &Core, totals: &[(i128, i128)], allocated: u64, increments: u64) -> String {
    let objects: i128 = totals.iter().map(|total| total.0).sum();
    let bytes: i128 = totals.iter().map(|total| total.1).sum();
    let mut largest: Vec<_> = (0..).zip(totals).filter(|(_, total)| total.0 > 0).collect();
    largest.sort_by_key(|(_, total)| -total.1);
    let mut text = format!(
        "[ducktrack] executed allocations: {objects} objects, {}; the VM allocated {} since counting was ready\n",
        megabytes(bytes),
        megabytes(i128::from(allocated)),
    );
    for (number, (count, bytes)) in largest.into_iter().take(TOP) {
        let site = core.registry.site(number).unwrap_or_default();
        let line = site
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        text += &format!(
            "[ducktrack]   {:>12} in {count} objects  {}  at {}.{}{line}\n",
            megabytes(*bytes),
            printable(&readable_type(&site.ty)),
            printable(&site.class.replace('/', ".")),
            printable(&site.method),
        );
    }
    let cost = &core.cost;
    let load =
        |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    text += &format!(
        "[ducktrack] {increments} counter increments; {} classes rewritten in {} ms; counting was ready after {} ms\n",
        load(&cost.classes_rewritten),
        load(&cost.rewrite_nanos) / 1_000_000,
        load(&core.ready_after_millis),
    );
    text += &format!(
        "[ducktrack] next: ducktrack report {}\n",
        core.directory.display()
    );
    text
}

fn megabytes(bytes: i128) -> String {
    // A figure for people: the precision lost is far below the digits shown.
    #[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let bytes = bytes as f64;
    match bytes {
        small if small < 1e4 => format!("{small} B"),
        medium if medium < 1e7 => format!("{:.1} kB", medium / 1e3),
        large if large < 1e10 => format!("{:.1} MB", large / 1e6),
        huge => format!("{:.1} GB", huge / 1e9),
    }
}

/// `[Ljava/lang/String;` becomes `java.lang.String[]`.
fn readable_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        "" => "(by class)".to_owned(),
        class => class
            .strip_prefix('L')
            .unwrap_or(class)
            .trim_end_matches(';')
            .replace('/', "."),
    };
    name + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_sizes_read_well() {
        assert_eq!(
            readable_type("[[Ljava/lang/String;"),
            "java.lang.String[][]"
        );
        assert_eq!(readable_type("[B"), "byte[]");
        assert_eq!(readable_type("LLogin;"), "Login");
        assert_eq!(megabytes(123), "123 B");
        assert_eq!(megabytes(12_345_678), "12.3 MB");
    }
}
