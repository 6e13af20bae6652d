//! Sizes of the classes that sites allocate, as the VM lays them out.
//!
//! A site names a class; which class that is, its loader decides. Where all loaded classes of the name have the same size the
//! question does not arise; otherwise the site's own loader is asked which class it means.

use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jobject};
use ducktrack_trace_format::SiteId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::agent::Agent;
use crate::registry::LoaderId;

/// Local references that one look at the loaded classes may need. It costs nothing to ask for them, and the VM's checker
/// (`-Xcheck:jni`) complains where nobody asked. The VM gives 65,536 at most.
pub(crate) const LOCAL_REFERENCES: usize = 60_000;

impl Agent {
    /// Finds the sizes of sites that have none yet, of classes that are loaded by now.
    pub(crate) fn find_site_sizes(&self, jni: Jni) {
        let waiting = self.registry.unsized_sites();
        if waiting.is_empty() {
            return;
        }
        let wanted: FxHashSet<&[u8]> = waiting.iter().map(|(_, ty, _)| ty.as_ref()).collect();
        let found = jni
            .with_local_frame(LOCAL_REFERENCES, || self.sizes_of(jni, &wanted))
            .unwrap_or_default();
        let sizes: FxHashMap<SiteId, u32> = waiting
            .iter()
            .filter_map(|(site, ty, loader)| {
                Some((*site, choose(found.get(ty.as_ref())?, *loader)?))
            })
            .collect();
        if let Some(table) = &self.sites {
            for (site, bytes) in &sizes {
                table.set_bytes(*site, *bytes);
            }
        }
        self.registry.set_sizes(&sizes);
    }

    /// Sizes of the loaded classes with these descriptors, with the loaders that defined them.
    fn sizes_of(
        &self,
        jni: Jni,
        wanted: &FxHashSet<&[u8]>,
    ) -> FxHashMap<Box<[u8]>, Vec<(LoaderId, u32)>> {
        let mut sizes: FxHashMap<Box<[u8]>, Vec<(LoaderId, u32)>> = FxHashMap::default();
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

    fn size_of(&self, jni: Jni, class: jclass) -> Option<u32> {
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
