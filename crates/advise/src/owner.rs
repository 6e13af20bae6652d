//! The line of the program that asks, on a call stack.
//!
//! ```text
//! java.util.Arrays.copyOf           the site's method
//! java.util.ArrayList.grow
//! java.util.ArrayList.add           the callee
//! com.acme.Shop.lambda$sell$0:12    the place: Shop.sell, line 12
//! ```
//!
//! Passed over: hidden classes of lambdas; constructors that call that of a superclass, up to
//! the `new`; `values()` of an enum; methods that return an iterator which they asked for.

use std::sync::Arc;

use ducktrack_count_model::{AllocationKind, CountModel, SiteIndex, is_of_jdk};
use ducktrack_profile::{Frame, Profile, StackIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::advice::Place;
use crate::jdk;

/// Facts about the program's classes that a stack does not have.
pub(crate) struct Owners {
    /// Constructors, and the classes of which they make an object: not their superclasses.
    makes: FxHashSet<(Arc<str>, String)>,
}

/// The line that asks, and the methods between it and the site.
pub(crate) struct Asked {
    pub(crate) place: Place,
    pub(crate) path: Vec<(Arc<str>, Arc<str>)>,
    /// The class whose object the line makes, where it calls a constructor.
    pub(crate) constructed: Option<Arc<str>>,
}

impl Owners {
    pub(crate) fn of(model: &CountModel) -> Self {
        let news = model
            .sites
            .iter()
            .filter(|site| site.kind == AllocationKind::New);
        let makes = news.filter_map(|site| {
            let method = model.method(site.method);
            let ty = site.ty.as_deref()?;
            (&*method.name == "<init>").then(|| (Arc::clone(&method.class), ty.to_owned()))
        });
        Self {
            makes: makes.collect(),
        }
    }

    /// The line that asks on a stack. `None` where the stack does not have it, or what it does happens once.
    pub(crate) fn asked(&self, profile: &Profile, stack: StackIndex) -> Option<Asked> {
        let mut path: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        let mut hands_iterator = false;
        let mut frames = profile.frames_of(stack).peekable();
        while let Some(frame) = frames.next() {
            let Frame::Method {
                class,
                method,
                line,
                descriptor,
                ..
            } = profile.frame(frame)
            else {
                return None;
            };
            if jdk::happens_once((class, method)) {
                return None;
            }
            if self.is_passed_over(class, method, path.last()) {
                path.push((Arc::clone(class), Arc::clone(method)));
                continue;
            }
            let caller = frames.peek().map(|frame| profile.frame(*frame));
            let is_handed = hands_iterator
                || path
                    .last()
                    .is_some_and(|(_, name)| jdk::makes_iterator(name));
            if is_handed
                && (returns_iterator(descriptor)
                    || &**method == "<init>"
                        && hands_iterator
                        && caller.is_some_and(is_iterator_maker))
            {
                hands_iterator = true;
                path.push((Arc::clone(class), Arc::clone(method)));
                continue;
            }
            let handing = path.last().filter(|_| hands_iterator).cloned();
            let constructor = path.last().filter(|(_, name)| &**name == "<init>");
            let constructed = constructor.map(|(class, _)| Arc::clone(class));
            path.retain(|(class, _)| is_of_jdk(class));
            path.extend(handing);
            path.reverse();
            let place = place(class, method, *line);
            return Some(Asked {
                place,
                path,
                constructed,
            });
        }
        None
    }

    /// `callee` is the method that this one calls.
    fn is_passed_over(
        &self,
        class: &Arc<str>,
        method: &str,
        callee: Option<&(Arc<str>, Arc<str>)>,
    ) -> bool {
        if is_of_jdk(class) || is_hidden(class) {
            return true;
        }
        let calls_constructor = callee.is_some_and(|(owner, name)| {
            &**name == "<init>"
                && !self
                    .makes
                    .contains(&(Arc::clone(class), format!("L{owner};")))
        });
        let hands_out = callee.is_none() && matches!(method, "values" | "iterator");
        method == "<init>" && calls_constructor || hands_out
    }
}

fn is_iterator_maker(frame: &Frame) -> bool {
    matches!(frame, Frame::Method { descriptor, .. } if returns_iterator(descriptor))
}

fn returns_iterator(descriptor: &str) -> bool {
    descriptor.ends_with(")Ljava/util/Iterator;")
        || descriptor.ends_with(")Ljava/util/ListIterator;")
}

/// Sites whose sampled objects were all made while classes were loaded, linked or initialized.
pub(crate) fn sites_of_once(profile: &Profile) -> FxHashSet<SiteIndex> {
    let mut happen_again: FxHashMap<SiteIndex, bool> = FxHashMap::default();
    for row in profile.rows.iter().filter(|row| row.samples > 0) {
        let mut frames = profile
            .frames_of(row.stack)
            .map(|frame| profile.frame(frame));
        let is_once = frames.any(|frame| matches!(frame, Frame::Method { class, method, .. } if jdk::happens_once((class, method))));
        for site in profile
            .strata
            .get(row.stratum)
            .into_iter()
            .flat_map(|stratum| &stratum.sites)
        {
            *happen_again.entry(*site).or_default() |= !is_once;
        }
    }
    let sites = happen_again.into_iter().filter(|(_, again)| !again);
    sites.map(|(site, _)| site).collect()
}

/// Whether the class has no source of its own.
pub(crate) fn is_hidden(class: &str) -> bool {
    class.contains("$$Lambda") || class.contains("/$Proxy")
}

/// A place as it is in the source.
pub(crate) fn place(class: &Arc<str>, method: &Arc<str>, line: Option<u16>) -> Place {
    let around = method
        .strip_prefix("lambda$")
        .and_then(|rest| rest.rsplit_once('$'))
        .map(|(around, _)| match around {
            "new" => "<init>",
            "static" => "<clinit>",
            other => other,
        });
    Place {
        class: Arc::clone(class),
        method: around.map_or_else(|| Arc::clone(method), Arc::from),
        line,
    }
}
