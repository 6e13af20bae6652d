//! Numbers that outlive a recording: the next one of the process gives the same class file the same numbers, so that they do not run out
//! however often it is attached.

use ducktrack_class_rewriter::SiteKey;
use rustc_hash::FxHashMap;

use super::class_entry::ClassEntry;
use super::counter_plan::Plan;
use super::identity::ClassContent;
use super::numbers::KnownClass;

/// The numbers of a class file.
struct KeptClass {
    sites: Box<[(SiteKey, u32)]>,
    call_sites: Box<[(SiteKey, u32)]>,
    plan: Plan,
}

/// The numbers of class files, by content.
#[derive(Default)]
pub(super) struct KeptNumbers {
    classes: FxHashMap<ClassContent, KeptClass>,
}

impl KeptNumbers {
    /// Those of the classes that are defined now. The counters of a class that had none in this recording are those of the one `before`.
    pub(super) fn of<'a>(entries: impl Iterator<Item = &'a ClassEntry>, before: &Self) -> Self {
        let kept = |entry: &ClassEntry| KeptClass::of(entry, before.classes.get(&entry.content));
        let classes = entries.map(|entry| (entry.content, kept(entry)));
        Self {
            classes: classes.collect(),
        }
    }

    /// The numbers of a class file, if its sites are below `most_sites`.
    pub(super) fn of_class(&self, content: ClassContent, most_sites: u32) -> Option<KnownClass> {
        let kept = self.classes.get(&content)?;
        let fits = kept.sites.iter().all(|(_, site)| *site < most_sites);
        fits.then(|| KnownClass {
            sites: kept.sites.iter().copied().collect(),
            call_sites: kept.call_sites.iter().copied().collect(),
            plan: kept.plan.clone(),
            ..KnownClass::default()
        })
    }
}

impl KeptClass {
    fn of(entry: &ClassEntry, before: Option<&Self>) -> Self {
        let listed = |numbers: &FxHashMap<SiteKey, u32>| {
            numbers
                .iter()
                .map(|(key, number)| (*key, *number))
                .collect()
        };
        Self {
            sites: listed(&entry.sites),
            call_sites: listed(&entry.call_sites),
            plan: match (entry.first_plan.counters.is_empty(), before) {
                (true, Some(before)) => before.plan.clone(),
                _ => entry.first_plan.clone(),
            },
        }
    }
}
