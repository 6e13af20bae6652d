//! The data kept of a class, to rewrite it again and to settle the debts of its running frames.

use ducktrack_class_rewriter::{MethodProfile, OwedByFrames, ProfilePoints, SiteKey};
use ducktrack_classfile::ClassFile;
use ducktrack_trace_format::{ClassId, MethodId};
use rustc_hash::FxHashMap;

use super::numbers::KnownClass;

/// A class with its numbers, and its methods in their current versions.
#[derive(Default)]
pub(super) struct ClassEntry {
    pub(super) id: Option<ClassId>,
    pub(super) bytes_hash: u64,
    pub(super) sites: FxHashMap<SiteKey, u32>,
    pub(super) call_sites: FxHashMap<SiteKey, u32>,
    pub(super) methods: FxHashMap<u16, MethodEntry>,
    /// Debts of frames in each version of a method, by name and descriptor.
    owed: FxHashMap<MethodKey, OwedByVersion>,
}

/// Name and descriptor of a method.
type MethodKey = (Box<[u8]>, Box<[u8]>);

/// For each version: positions in the rewritten code, and the counter that holds the debt from there on.
type OwedByVersion = Vec<(u16, Vec<(u32, Option<u32>)>)>;

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
    /// The input of rewriting it again.
    pub(super) fn known(&self) -> KnownClass {
        KnownClass {
            sites: self.sites.clone(),
            call_sites: self.call_sites.clone(),
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
        }
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
                let versions = self
                    .owed
                    .entry((method.name().into(), method.descriptor().into()))
                    .or_default();
                versions.retain(|(known, _)| *known != version);
                versions.push((version, owed.from));
            }
        }
    }

    /// The counter that holds the debt of a frame waiting in a call. An obsolete frame runs the version before the current one.
    pub(super) fn owed_by_frame(
        &self,
        name: &[u8],
        descriptor: &[u8],
        bytecode_index: u32,
        obsolete: bool,
    ) -> Option<u32> {
        let versions = self.owed.get(&(name.into(), descriptor.into()))?;
        let (_, from) = if obsolete {
            versions.iter().rev().nth(1)
        } else {
            versions.last()
        }?;
        let next = from.partition_point(|(index, _)| *index <= bytecode_index);
        from.get(next.checked_sub(1)?)?.1
    }
}
