//! Sizes of classes as the VM prepares them: before there is a first object of them, and so before its event.
//!
//! ```text
//! site registered, class prepared before    the size is known when the site's code runs for the first time
//! class prepared, site registered before    the same: a class is prepared before its first object is made
//! ```
//!
//! An event whose site has no size is decoded with care and kept apart; these were a third of the work on events in the first seconds of
//! a program. Which class a site means is decided by the loader of the site's class ([`certain_size`]). Where that is not certain, all
//! classes of the name that are prepared a moment later decide ([`PreparedClasses::find_site_sizes`]).

use ducktrack_class_rewriter::{RewrittenClass, SizeRule};
use ducktrack_classfile::class_of;
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jclass;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::registry::LoaderId;
use crate::core::{Core, LOCAL_REFERENCES};
use crate::count::call_helper::call_totals;
use crate::helper_classes::helper_class::HelperClass;
use crate::recording::{ClassNews, Recording, SiteNews};

/// The loader of classes whose loader is gone. No loader has this number.
const GONE: LoaderId = LoaderId(u32::MAX - 1);

/// Descriptors with their classes: the loaders that defined them, and the sizes of their objects.
type Sizes = FxHashMap<Box<[u8]>, Vec<(LoaderId, u32)>>;

/// Sizes of the classes that are prepared.
#[derive(Default)]
pub(crate) struct PreparedClasses {
    sizes: Mutex<Sizes>,
}

impl PreparedClasses {
    /// Adds a class. Returns whether it is the first whose size differs from that of another class of its name.
    fn add(&self, descriptor: &[u8], loader: LoaderId, bytes: u32) -> bool {
        let mut sizes = self.sizes.lock();
        match sizes.get_mut(descriptor) {
            Some(same_name) => {
                let (had_one, first) = (have_one_size(same_name), same_name.first().copied());
                if !same_name.contains(&(loader, bytes)) {
                    same_name.push((loader, bytes));
                }
                had_one && first.is_some_and(|(_, first)| first != bytes)
            }
            None => {
                sizes.insert(descriptor.into(), vec![(loader, bytes)]);
                false
            }
        }
    }

    /// Whether all classes of this name that were ever prepared have the same size.
    pub(crate) fn has_one_size(&self, descriptor: &[u8]) -> bool {
        let sizes = self.sizes.lock();
        sizes
            .get(descriptor)
            .is_none_or(|same_name| have_one_size(same_name))
    }

    /// Frees its memory.
    pub(crate) fn forget(&self) {
        *self.sizes.lock() = Sizes::default();
    }

    /// Keeps of the classes of loaders that are gone only which sizes there were.
    pub(crate) fn forget_loaders(&self, gone: &FxHashSet<LoaderId>) {
        for same_name in self.sizes.lock().values_mut() {
            let before = same_name.len();
            let mut of_gone: Vec<u32> = Vec::new();
            same_name.retain(|(loader, bytes)| {
                let is_gone = *loader == GONE || gone.contains(loader);
                if is_gone && !of_gone.contains(bytes) {
                    of_gone.push(*bytes);
                }
                !is_gone
            });
            same_name.extend(of_gone.into_iter().map(|bytes| (GONE, bytes)));
            if same_name.len() < before / 2 {
                same_name.shrink_to_fit();
            }
        }
    }

    /// Sizes of the sites of a class that is about to be loaded by this loader, where they are certain.
    pub(crate) fn sizes_of_sites(
        &self,
        rewritten: &RewrittenClass,
        loader: LoaderId,
    ) -> FxHashMap<u32, u32> {
        let sizes = self.sizes.lock();
        let size_of = |descriptor: &[u8]| certain_size(descriptor, sizes.get(descriptor)?, loader);
        let of_class = rewritten
            .sites
            .iter()
            .filter(|site| matches!(site.size, SizeRule::OfClass));
        of_class
            .filter_map(|site| Some((site.id, size_of(site.ty.as_deref()?)?)))
            .collect()
    }

    /// The size of the objects of a class of this name, for code in a class of this
    /// loader: where the loader does not decide, of the first class of the name.
    pub(crate) fn size_for(&self, descriptor: &[u8], loader: LoaderId) -> Option<u32> {
        let sizes = self.sizes.lock();
        let classes = sizes.get(descriptor)?;
        certain_size(descriptor, classes, loader)
            .or_else(|| classes.first().map(|(_, bytes)| *bytes))
    }

    /// The classes of these descriptors.
    fn classes_of(&self, descriptors: &[Box<[u8]>]) -> Sizes {
        let sizes = self.sizes.lock();
        let known = descriptors
            .iter()
            .filter_map(|descriptor| Some((descriptor.clone(), sizes.get(descriptor)?.clone())));
        known.collect()
    }
}

/// The size of the objects of a class of this name, for code in a class of this loader: of the
/// class that the loader itself has defined, or of one that no loader but the VM's own may define.
fn certain_size(descriptor: &[u8], classes: &[(LoaderId, u32)], loader: LoaderId) -> Option<u32> {
    let definer = if descriptor.starts_with(b"Ljava/") {
        LoaderId(0)
    } else {
        loader
    };
    let mut own = classes.iter().filter(|(by, _)| *by == definer);
    let (_, bytes) = own.next()?;
    // A loader that went, another one with its number: sizes that differ decide nothing.
    own.all(|(_, same)| same == bytes).then_some(*bytes)
}

fn have_one_size(classes: &[(LoaderId, u32)]) -> bool {
    let mut sizes = classes.iter().map(|(_, bytes)| bytes);
    let first = sizes.next();
    sizes.all(|bytes| Some(bytes) == first)
}

impl PreparedClasses {
    /// The classes that were prepared before the agent listens.
    pub(crate) fn note_loaded(&self, core: &Core, recording: &dyn Recording, jni: Jni) {
        let note_all = || {
            for class in core.env.loaded_classes().iter().flat_map(|all| all.iter()) {
                self.note(core, recording, jni, *class);
            }
        };
        // Without a frame classes have no sizes until they are prepared.
        let _ = jni.with_local_frame(LOCAL_REFERENCES, note_all);
        if let Some(totals) = call_totals(core) {
            totals.size_all(|name, loader| self.size_for(name, loader));
        }
    }

    /// A class is prepared: sites that wait for its size have it from now on.
    pub(crate) fn class_prepared(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        class: jclass,
    ) {
        let Some(descriptor) = self.note(core, recording, jni, class) else {
            return;
        };
        if let Some(totals) = call_totals(core) {
            totals.class_prepared(&descriptor, |name, loader| self.size_for(name, loader));
        }
        let classes = self.classes_of(std::slice::from_ref(&descriptor));
        let Some(classes) = classes.get(&descriptor) else {
            return;
        };
        let size = |loader| certain_size(&descriptor, classes, loader);
        recording.sites(SiteNews::Sized(
            &core.registry.size_sites(&descriptor, size),
        ));
        core.secure_definitions();
    }

    /// Finds the sizes of sites that have none yet, of classes that are prepared by now. Where all classes of a name
    /// have the same size, the question which one a site means does not arise; otherwise the site's own loader decides.
    pub(crate) fn find_site_sizes(&self, core: &Core, recording: &dyn Recording) {
        let waiting = core.registry.unsized_classes();
        if waiting.is_empty() {
            return;
        }
        for (descriptor, sizes) in &self.classes_of(&waiting) {
            let size = |loader| likely_size(sizes, loader);
            recording.sites(SiteNews::Sized(&core.registry.size_sites(descriptor, size)));
        }
        core.secure_definitions();
    }

    /// Notes the size of a class's objects; gives its descriptor. Arrays have no such size.
    /// Only a hidden class itself names it, without what the VM adds to the name after a dot.
    fn note(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        class: jclass,
    ) -> Option<Box<[u8]>> {
        let descriptor = core.env.class_signature(class).ok()?;
        let descriptor: &[u8] = descriptor.as_slice();
        if !descriptor.starts_with(b"L") {
            return None;
        }
        // Nothing is locked while the VM is asked.
        let klass = HelperClass::get()?.klass_of(jni, class).ok()?;
        recording.class(core, klass, ClassNews::Prepared);
        let bytes = core.facts()?.instance_bytes(klass)?;
        let (descriptor, loader) = match of_hidden(descriptor) {
            Some(own_name) => (own_name, LoaderId::OF_HIDDEN),
            None => (descriptor.into(), core.loader_id(jni, class)),
        };
        if self.add(&descriptor, loader, bytes) && core.registry.shares_sites_of(&descriptor) {
            note_sizes(core, &descriptor);
        }
        Some(descriptor)
    }
}

/// The descriptor by which a hidden class names itself.
fn of_hidden(descriptor: &[u8]) -> Option<Box<[u8]>> {
    let dot = descriptor.iter().position(|letter| *letter == b'.')?;
    let (name, _) = descriptor.split_at(dot);
    Some([name, b";"].concat().into())
}

/// Several loaders share sites that allocate classes of this name, which turn out to have different sizes.
fn note_sizes(core: &Core, descriptor: &[u8]) {
    let name = String::from_utf8_lossy(descriptor);
    core.add_note(format!(
        "Objects of {} have different sizes in different class loaders: where equal class files allocate them, their bytes are counted with the size of the first.",
        class_of(&name).replace('/', ".")
    ));
}

/// The size of the class that the given loader means, if all classes of the name allow only one.
fn likely_size(sizes: &[(LoaderId, u32)], loader: LoaderId) -> Option<u32> {
    let (_, first) = sizes.first()?;
    if sizes.iter().all(|(_, size)| size == first) {
        return Some(*first);
    }
    sizes
        .iter()
        .find(|(definer, _)| *definer == loader)
        .map(|(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use super::{GONE, PreparedClasses, certain_size, likely_size, of_hidden};
    use crate::core::registry::LoaderId;

    #[test]
    fn only_what_cannot_be_otherwise_is_certain() {
        let classes = [(LoaderId(1), 16), (LoaderId(2), 24)];
        assert_eq!(certain_size(b"LPoint;", &classes, LoaderId(2)), Some(24));
        assert_eq!(certain_size(b"LPoint;", &classes, LoaderId(3)), None);
        let boot = [(LoaderId(0), 40)];
        assert_eq!(certain_size(b"LPoint;", &boot, LoaderId(3)), None);
        assert_eq!(
            certain_size(b"Ljava/util/List;", &boot, LoaderId(3)),
            Some(40)
        );
        let twice = [(LoaderId(1), 16), (LoaderId(1), 24)];
        assert_eq!(certain_size(b"LPoint;", &twice, LoaderId(1)), None);
    }

    #[test]
    fn a_hidden_class_names_itself() {
        let own_name = of_hidden(b"Lapp/Made.0x0000000801003400;");
        assert_eq!(own_name.as_deref(), Some(b"Lapp/Made;".as_slice()));
        assert_eq!(of_hidden(b"Lapp/Made;"), None);
    }

    #[test]
    fn of_loaders_that_are_gone_the_sizes_stay() {
        let classes = PreparedClasses::default();
        assert!(!classes.add(b"LPoint;", LoaderId(1), 16));
        for loader in 2..100 {
            assert!(!classes.add(b"LPoint;", LoaderId(loader), 16));
        }
        classes.forget_loaders(&(1..99).map(LoaderId).collect());
        let left = classes.sizes.lock().get(b"LPoint;".as_slice()).cloned();
        assert_eq!(left, Some(vec![(LoaderId(99), 16), (GONE, 16)]));
        assert!(classes.has_one_size(b"LPoint;"));
        assert!(
            classes.add(b"LPoint;", LoaderId(200), 24),
            "the first that differs"
        );
        assert!(!classes.add(b"LPoint;", LoaderId(201), 32));
        assert!(!classes.has_one_size(b"LPoint;"));
    }

    #[test]
    fn the_loader_decides_between_different_sizes() {
        let sizes = [(LoaderId(1), 16), (LoaderId(2), 24)];
        assert_eq!(likely_size(&sizes, LoaderId(2)), Some(24));
        assert_eq!(likely_size(&sizes, LoaderId(3)), None);
        let alike = [(LoaderId(1), 16), (LoaderId(2), 16)];
        assert_eq!(likely_size(&alike, LoaderId(3)), Some(16));
    }
}
