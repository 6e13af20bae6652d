//! Sizes of the classes that sites allocate, as the VM lays them out.
//!
//! A site names a class; which class that is, its loader decides. Where all loaded classes of the name have the same size the
//! question does not arise; otherwise the site's own loader is asked which class it means.

use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jobject};
use rustc_hash::FxHashSet;

use crate::agent::Agent;
use crate::prepared_classes::Sizes;
use crate::registry::LoaderId;

/// Local references that one look at the loaded classes may need. It costs nothing to ask for them, and the VM's checker
/// (`-Xcheck:jni`) complains where nobody asked. The VM gives 65,536 at most.
pub(crate) const LOCAL_REFERENCES: usize = 60_000;

impl Agent {
    /// Finds the sizes of sites that have none yet, of classes that are loaded by now.
    pub(crate) fn find_site_sizes(&self, jni: Jni) {
        let waiting = self.registry.unsized_classes();
        if waiting.is_empty() {
            return;
        }
        let found = match self.is_tracing() {
            true => self.prepared.classes_of(&waiting),
            false => self.sizes_of_loaded(jni, &waiting),
        };
        for (descriptor, sizes) in &found {
            self.size_sites(descriptor, |loader| choose(sizes, loader));
        }
    }

    /// Gives the sites of a class their size, by the loaders of the classes that they are in.
    pub(crate) fn size_sites(&self, descriptor: &[u8], size_for: impl Fn(LoaderId) -> Option<u32>) {
        let sized = self.registry.size_sites(descriptor, size_for);
        if let Some(table) = &self.sites {
            for (site, bytes) in sized {
                table.set_bytes(site, bytes);
            }
        }
    }

    fn sizes_of_loaded(&self, jni: Jni, waiting: &[Box<[u8]>]) -> Sizes {
        let wanted: FxHashSet<&[u8]> = waiting.iter().map(AsRef::as_ref).collect();
        jni.with_local_frame(LOCAL_REFERENCES, || self.sizes_of(jni, &wanted))
            .unwrap_or_default()
    }

    /// Sizes of the loaded classes with these descriptors, with the loaders that defined them.
    fn sizes_of(&self, jni: Jni, wanted: &FxHashSet<&[u8]>) -> Sizes {
        let mut sizes = Sizes::default();
        let Ok(classes) = self.env.loaded_classes() else {
            return sizes;
        };
        for class in classes.iter().copied() {
            if let Ok(signature) = self.env.class_signature(class)
                && wanted.contains(signature.as_slice())
                && let Some(size) = self.size_of(jni, class)
            {
                let loader = self.loader_id(jni, class);
                sizes
                    .entry(signature.into())
                    .or_default()
                    .push((loader, size));
            }
            jni.delete_local_ref(class);
        }
        sizes
    }

    /// The size of the objects of a class; `None` for arrays.
    pub(crate) fn size_of(&self, jni: Jni, class: jclass) -> Option<u32> {
        let klass = self.helper()?.klass_of(jni, class).ok()?;
        self.facts()?.instance_bytes(klass)
    }

    /// The loader that defined a class.
    pub(crate) fn loader_id(&self, jni: Jni, class: jclass) -> LoaderId {
        let loader: jobject = self.env.class_loader(class).unwrap_or(std::ptr::null_mut());
        let id = self.loaders.id(self.env, loader);
        if !loader.is_null() {
            jni.delete_local_ref(loader);
        }
        id
    }
}

/// The size that a class of the given loader means.
fn choose(sizes: &[(LoaderId, u32)], loader: LoaderId) -> Option<u32> {
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
    use super::*;

    #[test]
    fn the_loader_decides_between_different_sizes() {
        let sizes = [(LoaderId(1), 16), (LoaderId(2), 24)];
        assert_eq!(choose(&sizes, LoaderId(2)), Some(24));
        assert_eq!(choose(&sizes, LoaderId(3)), None);
        assert_eq!(
            choose(&[(LoaderId(1), 16), (LoaderId(2), 16)], LoaderId(3)),
            Some(16)
        );
    }
}
