//! Compares the model with the real heap at the end of each pause.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use ducktrack_hotspot::{
    Address, ClassId, ClassTable, CollectionKind, CollectionReport, Collector, ObjectSizes,
    ObjectWalk, Space, SpaceKind,
};

use crate::heap_model::{HeapModel, Known};
use crate::object_ids::id_of;
use crate::tagged_objects::TagOutcome;

/// How many mistakes are printed; further ones are only counted.
const PRINTED: u64 = 20;

/// The model, and the findings so far.
pub(crate) struct Oracle {
    model: HeapModel,
    sizes: ObjectSizes,
    collector: Collector,
    verbose: bool,
    counts: BTreeMap<&'static str, u64>,
    causes: BTreeMap<String, u64>,
    epoch: u64,
}

impl Oracle {
    pub(crate) fn new(sizes: ObjectSizes, collector: Collector, verbose: bool) -> Self {
        Self {
            model: HeapModel::default(),
            sizes,
            collector,
            verbose,
            counts: BTreeMap::new(),
            causes: BTreeMap::new(),
            epoch: 0,
        }
    }

    /// The number of pauses in which new objects were added to the model.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The ids of all objects of the model.
    pub(crate) fn ids(&self) -> HashSet<u64> {
        self.model.ids()
    }

    pub(crate) fn add_tags(&mut self, outcome: TagOutcome) {
        self.add("tags-alive", outcome.alive);
        self.add("tags-dead", outcome.dead);
        self.add("tags-wrong", outcome.wrong);
        self.add("tags-lingering", outcome.lingering);
    }

    /// Applies the reports of a pause and compares. The world is stopped.
    pub(crate) fn check(&mut self, reports: &[CollectionReport], classes: &ClassTable) {
        let is_evacuation = |report: &CollectionReport| report.kind != CollectionKind::Cleanup;
        self.epoch += u64::from(reports.iter().any(is_evacuation));
        let Some(last) = reports.last() else {
            self.wrong("no report");
            return;
        };
        let mut dead = HashSet::new();
        let copies =
            (reports.len() == 1 && reports[0].kind != CollectionKind::Full).then_some(classes);
        for report in reports {
            self.note(report);
            // SAFETY: the VM does not reuse evacuated memory before the end of the pause, unless another collection follows.
            let applied = unsafe { self.model.apply(report, copies) };
            for text in &applied.wrong {
                self.wrong(text);
            }
            self.add("moved", applied.moved);
            self.add("stayed", applied.stayed);
            self.add("new", applied.new);
            let reported = (applied.moved + applied.stayed) as usize;
            if report.fault.is_none() && reported != report.survivors.len() {
                self.wrong("survivors were not counted");
            }
            dead.extend(applied.dead);
        }
        dead.remove(&0);
        let actual = self.actual(last, classes);
        if reports.iter().any(|report| report.fault.is_some()) {
            self.model.objects = actual;
        } else {
            self.compare(reports, actual, &dead, classes);
        }
    }

    /// Adds the report to the counts.
    fn note(&mut self, report: &CollectionReport) {
        if self.verbose {
            eprintln!(
                "{} {:?} {:?}: {} survivors, {} dead, {} walked, {} us, fault {:?}",
                report.number,
                report.kind,
                report.cause,
                report.survivors.len(),
                report.dead,
                report.walked,
                report.walk_nanos / 1000,
                report.fault
            );
        }
        let kind = match report.kind {
            CollectionKind::Young => "young",
            CollectionKind::Mixed => "mixed",
            CollectionKind::Full => "full",
            _ => "cleanup",
        };
        self.add(kind, 1);
        self.add("dead", report.dead);
        self.add("walked", report.walked);
        self.add("unread", report.unread);
        self.add("doubted", report.doubted);
        // Neither walked nor without survivors: scanned.
        let scanned = report.walked == 0 && !report.survivors.is_empty();
        self.add("scanned", u64::from(scanned));
        self.add("walk-nanos", report.walk_nanos);
        let young = |space: &&Space| space.kind.is_young();
        let humongous = report.before.iter().filter(|space| {
            space.kind == SpaceKind::HumongousStart
                && report
                    .collected
                    .iter()
                    .any(|range| range.contains(space.bottom))
        });
        self.add("humongous-dead", humongous.count() as u64);
        let stayed_young = report
            .before
            .iter()
            .filter(young)
            .any(|space| stayed_in(report, space));
        if report.kind != CollectionKind::Full && stayed_young {
            self.add("failed-evacuations", 1);
        }
        *self.causes.entry(report.cause.clone()).or_default() += 1;
        if let Some(fault) = &report.fault {
            self.add("faults", 1);
            self.wrong(&format!("fault: {fault}"));
        }
    }

    /// Every object in the real heap.
    fn actual(&mut self, report: &CollectionReport, classes: &ClassTable) -> Vec<Known> {
        let mut actual = Vec::new();
        for space in &report.after {
            let mut space = *space;
            if space.kind == SpaceKind::Eden {
                // The VM may have handed out the first piece of the new eden already, but nothing has been written
                // there.
                space.top = self.model.end_in(&space).min(space.top);
            }
            self.walk(space, classes, &mut actual);
        }
        actual.sort_unstable_by_key(|object| object.address);
        actual
    }

    /// Walks a space. The class of a dead object in an old region may have been unloaded, and another class may have its address. The model
    /// knows the object's class, because it saw the object alive.
    fn walk(&mut self, mut space: Space, classes: &ClassTable, actual: &mut Vec<Known>) {
        let sizes = self.sizes;
        loop {
            let mut end = space.bottom;
            let mut stale = None;
            let mut fault = None;
            // SAFETY: the world is stopped, and memory below the top of a space is committed.
            for object in unsafe { ObjectWalk::new(&space, classes, &sizes) } {
                let (address, class) = match object {
                    Ok(object) => (object.address, object.class),
                    Err(unparsed) => {
                        fault = Some(unparsed);
                        break;
                    }
                };
                stale = self
                    .model
                    .at(address)
                    .filter(|known| classes.former(class).any(|former| former == known.class));
                if stale.is_some() {
                    break;
                }
                let bytes = object.map_or(0, |object| object.bytes);
                end = address.plus(bytes);
                actual.push(Known {
                    address,
                    bytes: bytes as u64,
                    class,
                    // SAFETY: the walk found an object of the heap here.
                    id: unsafe { id_of(address, bytes as u64, class, classes) },
                    filler: false,
                });
            }
            if let Some(known) = stale {
                self.add("stale", 1);
                actual.push(known);
                space.bottom = known.end();
                continue;
            }
            if let Some(fault) = fault {
                self.add("unparsed-after", 1);
                if self.verbose {
                    eprintln!("{space:?}: {fault}");
                }
                // The rest of the space cannot be compared.
                actual.extend(self.model.between(end, space.top));
            }
            return;
        }
    }

    /// Checks that every object of the model is there, with its class, size and id, and that every other object has
    /// an explanation.
    fn compare(
        &mut self,
        reports: &[CollectionReport],
        actual: Vec<Known>,
        dead: &HashSet<u64>,
        classes: &ClassTable,
    ) {
        let mut expected = std::mem::take(&mut self.model.objects)
            .into_iter()
            .peekable();
        let mut next = Vec::with_capacity(actual.len());
        let compacted = self.compacted_regions(reports);
        for mut object in actual {
            let lingers = |object: &Known| {
                compacted.as_ref().is_some_and(|(regions, compacted)| {
                    region_of(object.address, regions)
                        .is_some_and(|region| !compacted.contains(&region))
                })
            };
            if dead.contains(&object.id) && !lingers(&object) {
                self.wrong(&format!(
                    "{object:?} {} should be dead",
                    name(object, classes)
                ));
            }
            while let Some(absent) = expected.next_if(|other| other.address < object.address) {
                self.wrong(&format!("{absent:?} is not there"));
            }
            if let Some(claimed) = expected.next_if(|other| other.address == object.address) {
                object.filler = claimed.filler;
                let same_id = claimed.id == 0 || claimed.id == object.id;
                let same = (claimed.class, claimed.bytes) == (object.class, object.bytes);
                if same && same_id {
                    self.add("confirmed", 1);
                    self.add("ids-confirmed", u64::from(claimed.id != 0));
                    next.push(object);
                    continue;
                }
                if !self.is_scrubbed(object, reports, classes) {
                    self.wrong(&format!("{object:?} should be {claimed:?}"));
                }
            } else if is_old_news(object.address, reports)
                && expected
                    .peek()
                    .is_none_or(|other| other.address >= object.end())
            {
                self.add("found", 1);
                next.push(object);
                continue;
            } else if lingers(&object) {
                // A dead object that was not overwritten.
                self.add("lingering", 1);
                continue;
            } else if !is_filler(object, classes) {
                self.add("uncovered", 1);
                self.wrong(&format!(
                    "{object:?} {} is uncovered",
                    name(object, classes)
                ));
            }
            // A filler over free memory or dead objects. (G1 fills piece by piece, so the first dead object may start before the
            // filler.)
            self.add("fillers", 1);
            object.filler = true;
            while expected
                .next_if(|other| other.address < object.end())
                .is_some()
            {
                self.add("scrubbed", 1);
            }
            next.push(object);
        }
        for absent in expected {
            self.wrong(&format!("{absent:?} is not there"));
        }
        self.model.objects = next;
    }

    /// After a full collection of G1: all regions, and the bottoms of those that objects moved to. The other regions keep their dead
    /// objects.
    fn compacted_regions<'a>(
        &self,
        reports: &'a [CollectionReport],
    ) -> Option<(&'a [Space], HashSet<Address>)> {
        let last = reports.last()?;
        if self.collector != Collector::G1 || last.kind != CollectionKind::Full {
            return None;
        }
        let moved = last.survivors.iter().filter(|survivor| survivor.moved());
        let compacted = moved.filter_map(|survivor| region_of(survivor.to, &last.after));
        Some((&last.after, compacted.collect()))
    }

    /// Whether G1 put a filler over dead objects, while the program ran or in a region that it kept.
    fn is_scrubbed(
        &self,
        object: Known,
        reports: &[CollectionReport],
        classes: &ClassTable,
    ) -> bool {
        let after = reports.last().map(|report| &report.after);
        let old = after.into_iter().flatten().any(|space| {
            space.kind == SpaceKind::Old
                && space.bottom <= object.address
                && object.address < space.top
        });
        self.collector == Collector::G1 && old && is_filler(object, classes)
    }

    /// Counts a pause that the VM did not announce.
    pub(crate) fn note_unannounced(&mut self) {
        self.add("unannounced", 1);
    }

    fn add(&mut self, name: &'static str, count: u64) {
        *self.counts.entry(name).or_default() += count;
    }

    fn wrong(&mut self, text: &str) {
        let wrong = self.counts.entry("wrong").or_default();
        *wrong += 1;
        if *wrong <= PRINTED {
            eprintln!("WRONG in pause {}: {text}", self.epoch);
        }
    }

    /// All counts, one per line.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        for name in [
            "wrong",
            "uncovered",
            "faults",
            "young",
            "mixed",
            "full",
            "cleanup",
        ] {
            let count = self.counts.get(name).copied().unwrap_or(0);
            writeln!(text, "{name} {count}").expect("a string");
        }
        for (name, count) in &self.counts {
            writeln!(text, "all-{name} {count}").expect("a string");
        }
        for (cause, count) in &self.causes {
            writeln!(text, "cause {count} {cause}").expect("a string");
        }
        text
    }
}

/// The bottom of the region that contains an address.
fn region_of(address: Address, regions: &[Space]) -> Option<Address> {
    let above = regions.partition_point(|space| space.bottom <= address);
    let region = regions.get(above.checked_sub(1)?)?;
    (region.kind == SpaceKind::Old && address < region.top).then_some(region.bottom)
}

/// Whether an object of this space survived in place.
fn stayed_in(report: &CollectionReport, space: &Space) -> bool {
    let from_there = report.survivors.iter();
    from_there
        .skip_while(|survivor| survivor.from < space.bottom)
        .take_while(|survivor| survivor.from < space.top)
        .any(|survivor| !survivor.moved())
}

/// Whether an object may be at this address although no report has it: in memory that was in use before and that no collection of this
/// pause decided about, outside of eden.
fn is_old_news(address: Address, reports: &[CollectionReport]) -> bool {
    let untouched = |report: &CollectionReport| {
        let collected = report.collected.iter();
        let was_in_use = report.before.iter().any(|space| {
            !space.kind.is_young()
                && space.kind != SpaceKind::Free
                && space.bottom <= address
                && address < space.top
        });
        was_in_use && !collected.into_iter().any(|range| range.contains(address))
    };
    reports.iter().all(untouched)
}

fn name(object: Known, classes: &ClassTable) -> String {
    let name = |id: ClassId| classes.class(id).map(|class| class.name.clone());
    String::from_utf8_lossy(&name(object.class).unwrap_or_default()).into_owned()
}

/// Fillers have separate classes from JDK 19 on; before, they are int arrays and plain objects.
fn is_filler(object: Known, classes: &ClassTable) -> bool {
    let name = name(object, classes);
    name.contains("jdk/internal/vm/Filler") || name == "[I" || name == "java/lang/Object"
}
