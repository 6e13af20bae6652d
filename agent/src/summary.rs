//! What is printed at exit: the largest sites, how complete the figures are, what the agent cost, and what to do next.

use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::registry::SiteInfo;

const TOP: usize = 5;

impl Agent {
    pub(crate) fn print_summary(&self) {
        let Some(facts) = self.facts() else { return };
        let rows = self.threads.rows(&facts.threads);
        let allocated: u64 = rows.iter().map(|(_, bytes)| bytes).sum();
        let end = self.registry.counter_end();
        let mut counters: FxHashMap<u32, u64> = FxHashMap::default();
        let mut keyed: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
        for block in rows.iter().map(|(row, _)| row.block).chain([self.shared]) {
            for (id, value) in block.counters(end) {
                *counters.entry(id).or_default() += value;
            }
            for entry in block.keyed() {
                let sum = keyed.entry(entry.site).or_default();
                *sum = (sum.0 + entry.count, sum.1 + entry.bytes);
            }
        }
        let mut totals = self.registry.totals(&counters);
        for (site, (count, bytes)) in keyed {
            if let Some(total) = totals.get_mut(site as usize) {
                // Keyed entries of sites with a fixed size carry no bytes.
                let fixed = if bytes == 0 {
                    i128::from(total.0.bytes.unwrap_or(0)) * i128::from(count)
                } else {
                    0
                };
                total.1 += i128::from(count);
                total.2 += i128::from(bytes) + fixed;
            }
        }
        eprint!(
            "{}",
            self.summary_text(&mut totals, allocated, self.registry.increments(&counters))
        );
    }

    fn summary_text(
        &self,
        totals: &mut [(SiteInfo, i128, i128)],
        allocated: u64,
        increments: u64,
    ) -> String {
        let objects: i128 = totals.iter().map(|total| total.1).sum();
        let bytes: i128 = totals.iter().map(|total| total.2).sum();
        totals.sort_by_key(|total| -total.2);
        let mut text = format!(
            "[ducktrack] executed allocations: {objects} objects, {}; the VM allocated {} since counting was ready\n",
            megabytes(bytes),
            megabytes(i128::from(allocated)),
        );
        for (site, count, bytes) in totals.iter().take(TOP).filter(|total| total.1 > 0) {
            let line = site
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            text += &format!(
                "[ducktrack]   {:>12} in {count} objects  {}  at {}.{}{line}\n",
                megabytes(*bytes),
                readable_type(&site.ty),
                site.class.replace('/', "."),
                site.method,
            );
        }
        let cost = &self.cost;
        let load = |counter: &std::sync::atomic::AtomicU64| {
            counter.load(std::sync::atomic::Ordering::Relaxed)
        };
        text += &format!(
            "[ducktrack] {increments} counter increments; {} classes rewritten in {} ms; counting was ready after {} ms\n",
            load(&cost.classes_rewritten),
            load(&cost.rewrite_nanos) / 1_000_000,
            load(&self.ready_after_millis),
        );
        text += &format!(
            "[ducktrack] next: ducktrack report {}\n",
            self.directory.display()
        );
        text
    }
}

fn megabytes(bytes: i128) -> String {
    // A figure for people: the loss of precision is far below the digits shown.
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
            .trim_start_matches('L')
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
        assert_eq!(megabytes(123), "123 B");
        assert_eq!(megabytes(12_345_678), "12.3 MB");
    }
}
