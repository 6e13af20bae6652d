//! The data kept of the definitions of one class file, to rewrite them again and to settle the debts of their running frames.

use ducktrack_class_rewriter::{
    MethodProfile, OwedByFrames, PlannedCounter, ProfilePoints, SiteKey,
};
use ducktrack_classfile::ClassFile;
use ducktrack_trace_format::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use super::counter_plan::{CounterRange, Plan, meaning};
use super::identity::{ClassContent, EntryId};
use super::numbers::KnownClass;

/// A class file with its numbers, and its methods in their latest versions.
#[derive(Default)]
pub(super) struct ClassEntry {
    pub(super) id: Option<ClassId>,
    pub(super) content: ClassContent,
    /// Definitions that a loader may still use.
    pub(super) live: u32,
    /// Descriptors of the allocated classes of which each loader may have one of its own, of another size.
    pub(super) of_loader: Vec<Box<[u8]>>,
    /// The counters of the first rewriting, and those of the last one.
    pub(super) first_plan: Plan,
    pub(super) last_plan: Plan,
    /// Numbers of methods in records of calls, by index.
    pub(super) called: FxHashMap<u16, u32>,
    pub(super) sites: FxHashMap<SiteKey, u32>,
    pub(super) call_sites: FxHashMap<SiteKey, u32>,
    pub(super) methods: FxHashMap<u16, MethodEntry>,
    /// Debts of frames in each version of a method, by name and descriptor.
    owed: FxHashMap<MethodKey, OwedByMethod>,
}

/// Name and descriptor of a method.
type MethodKey = (Box<[u8]>, Box<[u8]>);

struct OwedByMethod {
    /// Index of the method.
    method: u16,
    versions: Vec<(u16, OwedFrom)>,
}

/// For a version of a method: positions in the rewritten code, and the counter that holds the debt from there on.
type OwedFrom = Vec<(u32, Option<u32>)>;

pub(super) struct MethodEntry {
    pub(super) id: MethodId,
    pub(super) version: u16,
    /// Counters of the current version that measure edge frequencies.
    pub(super) points: Option<ProfilePoints>,
    /// The profile for which the current version was planned; `None` for the first version.
    profile: Option<MethodProfile>,
}

impl MethodEntry {
    /// A method in its first version.
    pub(super) fn new(id: MethodId) -> Self {
        Self {
            id,
            version: 0,
            points: None,
            profile: None,
        }
    }
}

impl ClassEntry {
    pub(super) fn of(content: ClassContent) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// The input of rewriting it again.
    pub(super) fn known(&self, entry: EntryId) -> KnownClass {
        KnownClass {
            entry: Some(entry),
            sites: self.sites.clone(),
            call_sites: self.call_sites.clone(),
            plan: self.last_plan.clone(),
            called: self.called.clone(),
            versions: self
                .methods
                .iter()
                .map(|(method, entry)| (*method, entry.version))
                .collect(),
            profiles: self
                .methods
                .values()
                .filter_map(|method| method.profile.clone())
                .collect(),
            ..KnownClass::default()
        }
    }

    /// Sets the counters that a rewriting has taken.
    pub(super) fn set_plan(&mut self, counters: &[PlannedCounter], taken: Vec<CounterRange>) {
        self.last_plan = Plan {
            counters: taken.into(),
            meaning: meaning(counters),
        };
        if self.first_plan.counters.is_empty() {
            self.first_plan = self.last_plan.clone();
        }
    }

    /// The versions of its methods that are not the first.
    pub(super) fn versions(&self) -> FxHashMap<u16, u16> {
        let versions = self
            .methods
            .iter()
            .map(|(index, method)| (*index, method.version));
        versions.filter(|(_, version)| *version > 0).collect()
    }

    /// Sets the versions of its methods, and the profiles for which they were planned.
    pub(super) fn set_versions(
        &mut self,
        versions: &FxHashMap<u16, u16>,
        profiles: &[MethodProfile],
    ) {
        for (index, version) in versions {
            if let Some(method) = self.methods.get_mut(index) {
                method.version = *version;
                method.points = None;
                method.profile = profiles
                    .iter()
                    .find(|profile| profile.method == *index)
                    .cloned();
            }
        }
    }

    /// Sets the counters of a method's current version that measure edge frequencies.
    pub(super) fn set_points(&mut self, points: ProfilePoints) {
        if let Some(method) = self.methods.get_mut(&points.method) {
            method.points = Some(points);
        }
    }

    /// Sets the debts of frames in the current versions.
    pub(super) fn set_owed(&mut self, class: &ClassFile<'_>, owed: Vec<OwedByFrames>) {
        for owed in owed {
            let version = self
                .methods
                .get(&owed.method)
                .map_or(0, |method| method.version);
            if let Some(method) = class.methods().nth(owed.method.into()) {
                let by_method = self
                    .owed
                    .entry((method.name().into(), method.descriptor().into()))
                    .or_insert_with(|| OwedByMethod {
                        method: owed.method,
                        versions: Vec::new(),
                    });
                by_method.versions.retain(|(known, _)| *known != version);
                by_method.versions.push((version, owed.from));
            }
        }
    }

    /// The counter that holds the debt of a frame waiting in a call. `version` is the
    /// version of a method of the frame's class; an obsolete frame runs the one before it.
    pub(super) fn owed_by_frame(
        &self,
        (name, descriptor): (&[u8], &[u8]),
        version: impl Fn(u16) -> u16,
        bytecode_index: u32,
        obsolete: bool,
    ) -> Option<u32> {
        let owed = self.owed.get(&(name.into(), descriptor.into()))?;
        let current = version(owed.method);
        let mut up_to_it = owed
            .versions
            .iter()
            .rev()
            .skip_while(|(version, _)| *version > current);
        let (_, from) = up_to_it.nth(usize::from(obsolete))?;
        let next = from.partition_point(|(index, _)| *index <= bytecode_index);
        from.get(next.checked_sub(1)?)?.1
    }
}
