//! The JVM's own figures, from its answers to `GC.heap_info`, `VM.metaspace`, `Compiler.codecache` and `VM.flags`.

use crate::mappings::{AddressRange, Mapping};

/// The heap by the collector's own figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapFigures {
    /// Bytes of objects, garbage among them.
    pub used: u64,
    /// Where the heap is; `None`: the collector does not say (ZGC).
    pub range: Option<AddressRange>,
}

impl HeapFigures {
    /// Bytes of the heap in memory.
    pub fn resident(&self, mappings: &[Mapping]) -> u64 {
        let heap = mappings.iter().filter(|mapping| self.has(mapping));
        heap.map(Mapping::charged).sum()
    }

    /// True of a mapping of the heap.
    pub(crate) fn has(&self, mapping: &Mapping) -> bool {
        mapping.name.starts_with("/memfd:java_heap")
            || self.range.is_some_and(|range| range.has(mapping))
    }
}

/// The figures of `GC.heap_info`, which each collector writes in its own words; `None`: they cannot be understood.
///
/// ```text
/// garbage-first heap   total 204800K, used 8383K [0x00000000f3800000, 0x0000000100000000)
/// def new generation   total 61440K, used 18584K [0x.., 0x.., 0x..)     and  tenured generation ...
/// PSYoungGen      total 59904K, used 17647K [...)                       and  ParOldGen ...
/// ZHeap           used 16M, capacity 200M, max capacity 200M
/// 200M max, 200M soft max, 200M committed, 15232K used
/// ```
pub fn heap_figures(heap_info: &str) -> Option<HeapFigures> {
    let heap = heap_info
        .lines()
        .take_while(|line| !line.trim_start().starts_with("Metaspace"));
    let mut figures = HeapFigures::default();
    let mut is_found = false;
    for line in heap {
        if line.contains(" space ") && line.contains("% used") {
            continue;
        }
        if let Some(used) = used(line) {
            figures.used += used;
            is_found = true;
        }
        if let Some(range) = range(line) {
            let known = figures.range.get_or_insert(range);
            known.start = known.start.min(range.start);
            known.end = known.end.max(range.end);
        }
    }
    is_found.then_some(figures)
}

fn used(line: &str) -> Option<u64> {
    let words: Vec<&str> = line
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let at = words.iter().position(|word| *word == "used")?;
    let after = words.get(at + 1).and_then(|word| size(word));
    after.or_else(|| {
        at.checked_sub(1)
            .and_then(|before| size(words.get(before)?))
    })
}

/// `8383K`, `16M`, `1G`, `12`
fn size(word: &str) -> Option<u64> {
    let split = word.find(|letter: char| !letter.is_ascii_digit());
    let (digits, unit) = word.split_at(split.unwrap_or(word.len()));
    let unit = match unit {
        "" | "B" => 1,
        "K" | "Kb" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    Some(digits.parse::<u64>().ok()? * unit)
}

/// The first and the last address between `[` and `)`.
fn range(line: &str) -> Option<AddressRange> {
    let (_, rest) = line.split_once("[0x")?;
    let (inner, _) = rest.split_once([')', ']'])?;
    let addresses = inner
        .split(',')
        .map(|word| word.trim().trim_start_matches("0x"));
    let addresses: Vec<u64> = addresses
        .filter_map(|word| u64::from_str_radix(word, 16).ok())
        .collect();
    Some(AddressRange {
        start: *addresses.first()?,
        end: *addresses.last()?,
    })
}

/// The used bytes of class metadata, from `VM.metaspace basic scale=1`.
pub fn metaspace_used(metaspace: &str) -> Option<u64> {
    let line = metaspace
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("Both:"))?;
    let used = line.split(',').find(|figure| figure.contains("used"))?;
    used.trim_start().split(' ').next()?.parse().ok()
}

/// The committed bytes of class metadata, from `VM.metaspace basic scale=1`.
pub fn metaspace_committed(metaspace: &str) -> Option<u64> {
    let mut lines = metaspace
        .lines()
        .filter(|line| line.trim_start().starts_with("Both:"));
    let line = lines.find(|line| line.contains("committed"))?;
    let (_, rest) = line.split_once(',')?;
    rest.trim().split(' ').next()?.parse().ok()
}

/// Where compiled code is, from `Compiler.codecache`.
pub fn code_ranges(codecache: &str) -> Vec<AddressRange> {
    let lines = codecache.lines().filter(|line| line.contains("bounds"));
    lines.filter_map(range).collect()
}

/// The largest heap, from `VM.flags`.
pub fn max_heap(flags: &str) -> Option<u64> {
    let mut words = flags.split_ascii_whitespace();
    let value = words.find_map(|word| word.strip_prefix("-XX:MaxHeapSize="))?;
    value.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_collector_is_understood() {
        let g1 = " garbage-first heap   total 204800K, used 8383K [0x00000000f3800000, 0x0000000100000000)\n  region size 1024K\n Metaspace       used 8981K, committed 9152K";
        let range = Some(AddressRange {
            start: 0xf380_0000,
            end: 0x1_0000_0000,
        });
        let used = |kilobytes: u64| HeapFigures {
            used: kilobytes << 10,
            range,
        };
        assert_eq!(heap_figures(g1), Some(used(8383)));
        let serial = " def new generation   total 61440K, used 18584K [0x00000000f3800000, 0x00000000f7aa0000, 0x00000000f7aa0000)
  eden space 54656K,  34% used [0x00000000f3800000, 0x00000000f4a26028, 0x00000000f6d60000)
 tenured generation   total 136576K, used 16K [0x00000000f7aa0000, 0x0000000100000000, 0x0000000100000000)
   the space 136576K,   0% used [0x00000000f7aa0000, 0x00000000f7aa0000, 0x00000000f7aa0200, 0x0000000100000000)";
        assert_eq!(heap_figures(serial), Some(used(18600)));
        let z = " ZHeap           used 16M, capacity 200M, max capacity 200M";
        assert_eq!(heap_figures(z).map(|heap| heap.used), Some(16 << 20));
        let shenandoah = "Shenandoah Heap\n 200M max, 200M soft max, 200M committed, 15232K used\nReserved region:\n - [0x00000000f3800000, 0x0000000100000000) ";
        assert_eq!(heap_figures(shenandoah), Some(used(15232)));
        assert_eq!(heap_figures("no heap"), None);
    }

    #[test]
    fn used_metadata_is_understood() {
        let since_16 = "Usage:\n       Both:  360544 bytes used.\n\nVirtual space:\n             Both:  1140850688 bytes reserved,  589824 bytes ( <1%) committed. ";
        assert_eq!(metaspace_used(since_16), Some(360_544));
        let before = "       Both:  4762624 bytes capacity, 4528552 bytes ( 95%) used, 230616 bytes (  5%) free+waste";
        assert_eq!(metaspace_used(before), Some(4_528_552));
        assert_eq!(metaspace_used(""), None);
    }

    #[test]
    fn other_answers_are_understood() {
        let metaspace = "Usage:\n       Both:  9194024 bytes used.\nVirtual space:\n             Both:  1140850688 bytes reserved, 9371648 bytes ( <1%) committed. ";
        assert_eq!(metaspace_committed(metaspace), Some(9_371_648));
        let code = "CodeHeap 'x': size=5692Kb\n bounds [0x00007f0764938000, 0x00007f0764ba8000, 0x00007f0764ec7000]";
        assert_eq!(code_ranges(code)[0].end, 0x7f07_64ec_7000);
        assert_eq!(
            max_heap("-XX:A=1 -XX:MaxHeapSize=209715200 -XX:B"),
            Some(209_715_200)
        );
    }
}
