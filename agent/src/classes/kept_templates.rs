//! Rewritten classes are kept between runs: a class that was planned once is only linked.
//!
//! ```text
//! class bytes ── kept? ──yes──> template ──────────────┐
//!                  └───no───> plan ──> template ──┬────┴── link: the numbers of this run ──> bytes, definitions
//!                                                 └── saved when no class has come for a while, and at the end
//! ```
//!
//! A file is for one build of this library, one release of the JDK and one choice of probes, and a key in it is for the bytes of one
//! class. Nothing but the saving depends on it: what is missing, damaged or another user's is planned as if there were no cache.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ducktrack_class_cache::{CacheError, ClassKey, KeptClasses, Place, default_place};
use ducktrack_class_rewriter::{ClassTemplate, RewriteOptions};

use crate::core::Core;
use crate::core::registry::{ClassContent, hash_of};
use crate::options::{Cache, Context, Options};
use crate::process::own_library;

/// New classes are saved once no class has come for this long.
const QUIET: Duration = Duration::from_secs(1);
/// While classes go on coming: from save to save twice as long.
const FIRST_SAVE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// The classes that were kept, once they are asked for.
#[derive(Default)]
pub(crate) struct KeptTemplates {
    classes: OnceLock<Option<KeptClasses>>,
    /// An error was reported; others have the same cause.
    said: AtomicBool,
}

/// When the background thread saves next: it looks once in a while, and keeps this from look to look.
pub(crate) struct SavingWatch {
    waiting: u64,
    changed: Instant,
    last_save: Instant,
    pause: Duration,
    /// The waiting classes were tried to be saved: the next try is when more have come.
    tried: bool,
}

impl SavingWatch {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            waiting: 0,
            changed: now,
            last_save: now,
            pause: FIRST_SAVE,
            tried: false,
        }
    }

    /// Whether to save now, when this many bytes wait.
    fn is_due(&mut self, waiting: u64, now: Instant) -> bool {
        if waiting != self.waiting {
            self.waiting = waiting;
            self.changed = now;
            self.tried = false;
        }
        let is_long = now - self.last_save >= self.pause;
        if waiting == 0 || self.tried || !(is_long || now - self.changed >= QUIET) {
            return false;
        }
        self.last_save = now;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.tried = true;
        true
    }
}

impl KeptTemplates {
    /// The template of a class with this content, if it was kept.
    pub(crate) fn get(&self, core: &Core, class: ClassContent) -> Option<ClassTemplate> {
        let classes = self.classes(core)?;
        match classes.get(ClassKey(class.bits())) {
            Ok(content) => ClassTemplate::decode(&content?),
            Err(error) => {
                self.say(core, &error);
                None
            }
        }
    }

    /// Keeps a template.
    pub(crate) fn put(&self, core: &Core, class: ClassContent, template: &ClassTemplate) {
        if let Some(classes) = self.classes(core)
            && template.can_be_kept()
            && let Some(content) = template.encode()
        {
            classes.put(ClassKey(class.bits()), content);
        }
    }

    /// Saves what is new when it is time.
    pub(crate) fn look(&self, core: &Core, watch: &mut SavingWatch) {
        let classes = self.classes.get().and_then(Option::as_ref);
        if classes.is_some_and(|classes| watch.is_due(classes.waiting_bytes(), Instant::now())) {
            self.save(core);
        }
    }

    /// Saves what is new, if it is worth it.
    pub(crate) fn save(&self, core: &Core) {
        let classes = self.classes.get().and_then(Option::as_ref);
        let worthy = classes.filter(|classes| classes.is_worth_saving());
        if let Some(Err(error)) = worthy.map(KeptClasses::save) {
            self.say(core, &error);
        }
    }

    /// Closes the file after the run, and frees what is known of it.
    pub(crate) fn forget(&self) {
        if let Some(Some(classes)) = self.classes.get() {
            classes.close();
        }
    }

    fn classes(&self, core: &Core) -> Option<&KeptClasses> {
        let open = || {
            let directory = directory_of(&core.options)?;
            let place = Place::new(directory, facts_of(core)?);
            let (classes, error) = KeptClasses::open(place);
            if let Some(error) = error {
                self.say(core, &error);
            }
            Some(classes)
        };
        self.classes.get_or_init(open).as_ref()
    }

    /// One message. That there is no place to write is no news, unless the place was asked for.
    fn say(&self, core: &Core, error: &CacheError) {
        if self.said.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_expected = matches!(error, CacheError::Io { .. } | CacheError::Busy { .. })
            && core.options.cache == Cache::Usual;
        let text = format!("rewritten classes are not kept, or planned anew: {error}");
        if is_expected {
            core.log.debug(|| text);
        } else {
            core.log.warn(&text);
        }
    }
}

fn directory_of(options: &Options) -> Option<PathBuf> {
    match &options.cache {
        Cache::Off => None,
        Cache::Directory(directory) => Some(directory.clone()),
        Cache::Usual => default_place(|name| std::env::var_os(name)),
    }
}

/// Everything but the class that decides on a template.
fn facts_of(core: &Core) -> Option<u128> {
    let library = std::fs::read(own_library::path()?).ok()?;
    let vm = core.env.system_property("java.vm.version").ok().flatten();
    let tracked = match &core.options.context {
        Context::Auto => Vec::new(),
        Context::Off => vec![0],
        Context::File(path) => std::fs::read(path).ok()?,
    };
    let rewriting: &RewriteOptions = &core.needs.rewriting;
    let choice = format!("{rewriting:?}");
    let parts = [
        &library,
        &vm.unwrap_or_default(),
        choice.as_bytes(),
        &tracked,
    ];
    Some(hash_of(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few bytes that are not worth a save wait for hours.
    #[test]
    fn what_is_not_saved_is_tried_once() {
        let begun = Instant::now();
        let mut watch = SavingWatch::new(begun);
        let mut due =
            |waiting, seconds| watch.is_due(waiting, begun + Duration::from_secs(seconds));
        let looks = (0..7_200).filter(|&at| due(100, at)).count();
        assert_eq!(looks, 1);
        assert!(due(200, 7_200) && !due(200, 7_202));
    }

    /// Classes come without a pause.
    #[test]
    fn saves_become_rarer_and_do_not_end() {
        let begun = Instant::now();
        let mut watch = SavingWatch::new(begun);
        let mut saves = |hours: std::ops::Range<u64>| {
            (hours.start * 3_600..hours.end * 3_600)
                .filter(|&at| watch.is_due(at + 1, begun + Duration::from_secs(at)))
                .count()
        };
        assert!((6..20).contains(&saves(0..1)));
        assert_eq!(saves(100..101), 6);
    }
}
