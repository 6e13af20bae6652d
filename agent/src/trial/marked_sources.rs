//! Which objects hold targets of which pair: a walk over all reachable objects leaves that in tags.
//!
//! | bits of a tag | of a class | of an object |
//! |---|---|---|
//! | 0 to 7 | its objects are sources of these pairs | it holds a target of these pairs |
//! | 8 to 15 | its objects are targets of these pairs | a source of these pairs holds it |
//! | 16 to 21 | whether its objects may lose references | of an array: who holds it (`held_collections`) |
//! | 32 to 62 | number of the class, from 1 on | |
//!
//! Tags are of an environment of their own, which ends with the look: they make every collection dearer.

use ducktrack_jvmti::sys::{jclass, jlong, jobject};
use ducktrack_jvmti::{Env, Error, HeapReference, Jni, ReferenceVisitor, VmArray};
use ducktrack_trace_format::{is_of_jdk, may_lose_references};
use rustc_hash::FxHashSet;

use super::held_collections::{
    CLASS, COLLECTION, LEFT_ALONE, collection_bit, held_collection, is_the_programs,
};
use super::reference_fields::{ReferenceField, reference_fields};
use crate::options::TypePair;

const SOURCES: jlong = 0xff;
const TARGET_SHIFT: u32 = 8;
const NUMBER_SHIFT: u32 = 32;

/// The most pairs of one trial: a bit each.
pub(super) const MOST_PAIRS: usize = 8;

/// Pairs, a bit each.
pub(super) type PairBits = u8;

/// The pairs whose sources have this tag.
pub(super) fn holds(tag: jlong) -> PairBits {
    (tag & SOURCES) as PairBits
}

/// The pairs whose targets have this tag.
pub(super) fn held(tag: jlong) -> PairBits {
    ((tag >> TARGET_SHIFT) & SOURCES) as PairBits
}

/// The classes of all pairs.
#[derive(Default)]
pub(super) struct PairClasses {
    fields: Vec<Vec<ReferenceField>>,
    /// A bit for each pair whose source, and whose target, was found.
    sources: PairBits,
    targets: PairBits,
}

impl PairClasses {
    /// Tags the loaded classes of these pairs.
    pub(super) fn tag(env: Env, jni: Jni, pairs: &[TypePair]) -> Result<Self, Error> {
        let mut found = Self::default();
        let classes = env.loaded_classes()?;
        for class in classes.iter().copied() {
            found.tag_one(env, jni, class, pairs)?;
            jni.delete_local_ref(class);
        }
        Ok(found)
    }

    fn tag_one(
        &mut self,
        env: Env,
        jni: Jni,
        class: jclass,
        pairs: &[TypePair],
    ) -> Result<(), Error> {
        let signature = env.class_signature(class)?;
        let bits = |is_it: &dyn Fn(&TypePair) -> bool| {
            let all = pairs.iter().enumerate();
            all.filter(|(_, pair)| is_it(pair))
                .fold(0, |bits, (at, _)| bits | 1 << at)
        };
        let name = String::from_utf8_lossy(&signature);
        let may_lose = may_lose_references(&name);
        let is_source = |pair: &TypePair| may_lose && pair.source.as_bytes() == signature;
        let sources: PairBits = bits(&is_source);
        let targets: PairBits = bits(&|pair| pair.target.as_bytes() == signature);
        let kind = match may_lose {
            false => LEFT_ALONE,
            true if is_of_jdk(&name) => COLLECTION,
            true => 0,
        };
        if sources | targets == 0 {
            return match kind {
                0 => Ok(()),
                kind => env.set_tag(class, CLASS | kind),
            };
        }
        self.sources |= sources;
        self.targets |= targets;
        let is_array = signature.starts_with(b"[");
        self.fields.push(match sources == 0 || is_array {
            true => Vec::new(),
            false => reference_fields(env, jni, class)?,
        });
        let number = self.fields.len() as jlong;
        let pairs = jlong::from(targets) << TARGET_SHIFT | jlong::from(sources);
        env.set_tag(class, number << NUMBER_SHIFT | CLASS | kind | pairs)
    }

    /// Both classes of some pair are loaded.
    pub(super) fn has_pair(&self) -> bool {
        self.sources & self.targets != 0
    }

    /// The reference fields of an object.
    pub(super) fn fields_of(&self, env: Env, jni: Jni, object: jobject) -> &[ReferenceField] {
        let tag = jni.object_class(object).and_then(|class| {
            let tag = env.tag(class);
            jni.delete_local_ref(class);
            tag
        });
        let number = tag.unwrap_or(0) >> NUMBER_SHIFT;
        let at = usize::try_from(number)
            .ok()
            .and_then(|at| at.checked_sub(1));
        let fields = at.and_then(|at| self.fields.get(at));
        fields.map_or(&[], Vec::as_slice)
    }
}

/// Tags sources and targets of all pairs.
#[derive(Default)]
struct Marker {
    /// Tags of sources, with all their bits on the way.
    tags: FxHashSet<jlong>,
}

impl ReferenceVisitor for Marker {
    fn visit(&mut self, reference: &HeapReference<'_>) -> bool {
        if reference.tag.get() & CLASS != 0 {
            return true;
        }
        if let Some(held) = held_collection(reference) {
            reference.tag.set(held);
            self.tags.insert(held);
        }
        let pairs = holds(reference.referrer_class_tag) & held(reference.class_tag);
        // The static fields of a class are no matter.
        if pairs == 0 || reference.referrer_tag.get() & CLASS != 0 {
            return true;
        }
        let target = reference.tag.get() | jlong::from(pairs) << TARGET_SHIFT;
        reference.tag.set(target);
        // An object that only the VM holds has no referrer with a tag.
        let source = reference.referrer_tag.get()
            | jlong::from(pairs)
            | collection_bit(reference.referrer_class_tag);
        reference.referrer_tag.set(source);
        // A source may become a target, and a target a source, after this.
        self.tags.extend([source, reference.tag.get()]);
        true
    }
}

/// All reachable objects that hold a target, as local references.
pub(super) fn marked_sources(env: Env) -> Result<VmArray<jobject>, Error> {
    let mut marker = Marker::default();
    env.follow_references(&mut marker)?;
    let mut tags: Vec<jlong> = marker.tags.into_iter().collect();
    tags.retain(|tag| holds(*tag) != 0 && tag & CLASS == 0 && is_the_programs(*tag));
    env.objects_with_tags(&tags)
}
