//! Compares our walk of the whole heap with JVMTI's iteration, class by class.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use ducktrack_hotspot::{ClassTable, Collector, HeapSpaces, ObjectSizes, ObjectWalk};
use ducktrack_jvmti::HeapVisitor;
use ducktrack_jvmti::sys::jlong;

use crate::Probe;

/// Number and bytes of the objects of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    objects: u64,
    bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes += bytes;
    }
}

/// State of the comparison. The walk runs inside of the iteration, at the same safepoint.
struct HeapComparison {
    spaces: HeapSpaces,
    classes: ClassTable,
    sizes: ObjectSizes,
    /// Classes that the walk found, by internal name.
    walked: Option<Result<BTreeMap<Vec<u8>, Tally>, String>>,
    /// Objects that JVMTI visits, by class tag.
    visited: Vec<Tally>,
    spaces_seen: usize,
    walk_micros: u128,
}

impl HeapVisitor for HeapComparison {
    fn visit(&mut self, class_tag: jlong, size: jlong, _: &mut jlong, _: Option<i32>) -> bool {
        if self.walked.is_none() {
            self.walked = Some(self.walk());
        }
        let row = usize::try_from(class_tag).expect("tag");
        self.visited[row].add(u64::try_from(size).expect("size"));
        true
    }
}

impl HeapComparison {
    fn walk(&mut self) -> Result<BTreeMap<Vec<u8>, Tally>, String> {
        self.classes.refresh().map_err(|error| error.to_string())?;
        let mut spaces = Vec::new();
        self.spaces
            .list(&mut spaces)
            .map_err(|error| error.to_string())?;
        self.spaces_seen = spaces.len();
        let start = Instant::now();
        let mut by_class = vec![Tally::default(); self.classes.classes().count()];
        for space in &spaces {
            // SAFETY: JVMTI iterates at a safepoint, and the VM keeps memory below the top committed.
            for object in unsafe { ObjectWalk::new(space, &self.classes, &self.sizes) } {
                let object = object.map_err(|fault| format!("{space:?}: {fault}"))?;
                by_class[object.class.0 as usize].add(object.bytes as u64);
            }
        }
        self.walk_micros = start.elapsed().as_micros();
        let mut by_name: BTreeMap<Vec<u8>, Tally> = BTreeMap::new();
        for ((_, class), tally) in self
            .classes
            .classes()
            .zip(by_class)
            .filter(|(_, tally)| tally.objects != 0)
        {
            let total = by_name.entry(class.name.clone()).or_default();
            total.objects += tally.objects;
            total.bytes += tally.bytes;
        }
        Ok(by_name)
    }
}

/// The internal name for a signature: `Ljava/lang/String;` and `[I` give `java/lang/String` and `[I`. The dot of a hidden class becomes a
/// plus, and the number that JDK 11 appends to its VM-anonymous classes (`X$$Lambda$4/1112280004`) is removed.
fn internal_name(signature: &[u8]) -> Vec<u8> {
    let name = signature
        .strip_prefix(b"L")
        .and_then(|rest| rest.strip_suffix(b";"))
        .unwrap_or(signature);
    let last = name
        .iter()
        .rposition(|&byte| byte == b'/')
        .unwrap_or(name.len());
    let numbered = name
        .get(last + 1..)
        .is_some_and(|rest| rest.iter().all(u8::is_ascii_digit));
    let name = if numbered { &name[..last] } else { name };
    name.iter()
        .map(|&byte| if byte == b'.' { b'+' } else { byte })
        .collect()
}

/// Runs both and returns a report, or the reason why that is impossible.
pub(crate) fn compare_heap(probe: &Probe, chunk_size: Option<usize>) -> Result<String, String> {
    let env = probe.env;
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let loaded = env.loaded_classes().map_err(|error| text(&error))?;
    let mut names = vec![Vec::new()];
    for (tag, &class) in (1..).zip(loaded.iter()) {
        env.set_tag(class, tag).map_err(|error| text(&error))?;
        names.push(internal_name(
            &env.class_signature(class).map_err(|error| text(&error))?,
        ));
    }
    let collector = Collector::of(&probe.flags).ok_or("no collector")?;
    let mut comparison = HeapComparison {
        spaces: HeapSpaces::load(&probe.vm, collector).map_err(|error| text(&error))?,
        classes: ClassTable::new(&probe.vm).map_err(|error| text(&error))?,
        sizes: ObjectSizes::load(&probe.vm, &probe.flags, chunk_size)
            .map_err(|error| text(&error))?,
        walked: None,
        visited: vec![Tally::default(); names.len()],
        spaces_seen: 0,
        walk_micros: 0,
    };
    env.iterate_through_heap(0, std::ptr::null_mut(), &mut comparison)
        .map_err(|error| text(&error))?;
    let walked = comparison.walked.take().ok_or("nothing visited")??;
    Ok(differences(&comparison, &names, walked))
}

/// The differences between the two sides, class by class.
fn differences(
    comparison: &HeapComparison,
    names: &[Vec<u8>],
    walked: BTreeMap<Vec<u8>, Tally>,
) -> String {
    let mut visited: BTreeMap<Vec<u8>, Tally> = BTreeMap::new();
    for (name, tally) in names
        .iter()
        .zip(&comparison.visited)
        .skip(1)
        .filter(|(_, tally)| tally.objects != 0)
    {
        let total = visited.entry(name.clone()).or_default();
        total.objects += tally.objects;
        total.bytes += tally.bytes;
    }
    let sum = |tallies: &BTreeMap<Vec<u8>, Tally>| {
        tallies.values().map(|tally| tally.objects).sum::<u64>()
    };
    let mut text = String::new();
    let mut line = |value: String| writeln!(text, "{value}").expect("a string");
    for (name, tally) in &visited {
        let ours = walked.get(name).copied().unwrap_or_default();
        if ours != *tally {
            line(format!(
                "DIFFERENT {}: walked {ours:?}, JVMTI {tally:?}",
                String::from_utf8_lossy(name)
            ));
        }
    }
    for (name, tally) in walked
        .iter()
        .filter(|(name, _)| !visited.contains_key(*name))
    {
        line(format!(
            "not-visited {} {tally:?}",
            String::from_utf8_lossy(name)
        ));
    }
    let chunks = walked
        .get(&b"jdk/internal/vm/StackChunk"[..])
        .copied()
        .unwrap_or_default();
    line(format!("stack-chunks {}", chunks.objects));
    line(format!(
        "untagged {:?}",
        comparison.visited.first().copied().unwrap_or_default()
    ));
    line(format!(
        "visited {} classes {}",
        sum(&visited),
        visited.len()
    ));
    line(format!(
        "walked {} spaces {} micros {}",
        sum(&walked),
        comparison.spaces_seen,
        comparison.walk_micros
    ));
    text
}
