//! Which classes are recorded (`classes=`), and which of these patterns fit no class.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::options::{ClassPattern, Options};

/// The patterns of a recording.
#[derive(Debug)]
pub(crate) struct ChosenClasses {
    include: Vec<SeenPattern>,
    exclude: Vec<SeenPattern>,
}

/// A pattern, and whether a class that fits it has been seen.
#[derive(Debug)]
struct SeenPattern {
    pattern: ClassPattern,
    is_seen: AtomicBool,
}

impl ChosenClasses {
    pub(crate) fn new(options: &Options) -> Self {
        let seen = |patterns: &[ClassPattern]| -> Vec<SeenPattern> {
            let patterns = patterns.iter().cloned();
            let unseen = |pattern| SeenPattern {
                pattern,
                is_seen: AtomicBool::new(false),
            };
            patterns.map(unseen).collect()
        };
        Self {
            include: seen(&options.include),
            exclude: seen(&options.exclude),
        }
    }

    /// Whether the user wants this class (internal name) rewritten.
    pub(crate) fn wants(&self, class: &str) -> bool {
        let is_included = fits_any(&self.include, class) || self.include.is_empty();
        !fits_any(&self.exclude, class) && is_included
    }

    /// One sentence for each pattern that no class has fitted so far.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = String> {
        let include = self.include.iter().map(|pattern| ("", pattern));
        let exclude = self.exclude.iter().map(|pattern| ("not:", pattern));
        let unseen = include
            .chain(exclude)
            .filter(|(_, pattern)| !pattern.is_seen.load(Ordering::Relaxed));
        unseen.map(|(not, seen)| {
            format!(
                "No class that was loaded fits classes={not}{}.",
                seen.pattern
            )
        })
    }
}

/// Whether a class fits any of these: asks all of them, for those that it fits have been seen.
fn fits_any(patterns: &[SeenPattern], class: &str) -> bool {
    let fitting = patterns
        .iter()
        .filter(|seen| seen.pattern.matches(class))
        .inspect(|seen| seen.is_seen.store(true, Ordering::Relaxed));
    fitting.count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(include: &[&str], exclude: &[&str]) -> ChosenClasses {
        let patterns = |texts: &[&str]| texts.iter().map(|text| ClassPattern::new(text)).collect();
        ChosenClasses::new(&Options {
            include: patterns(include),
            exclude: patterns(exclude),
            ..Options::default()
        })
    }

    #[test]
    fn a_class_is_wanted_if_it_is_included_and_not_excluded() {
        let all_but = chosen(&[], &["com.acme.*", "*Proxy*"]);
        assert!(!all_but.wants("com/acme/a/B") && !all_but.wants("x/$Proxy12"));
        assert!(all_but.wants("com/acmeX"));
        let only = chosen(&["com.acme"], &["com.acme.Test"]);
        assert!(only.wants("com/acme/a/B") && !only.wants("com/acme/Test") && !only.wants("org/B"));
    }

    #[test]
    fn a_pattern_without_a_class_is_said() {
        let chosen = chosen(
            &["com.acme", "com", "org.nothing"],
            &["com.acme.Test", "no.Class"],
        );
        chosen.wants("com/acme/Test");
        let sentences: Vec<String> = chosen.sentences().collect();
        let said = ["classes=org.nothing", "classes=not:no.Class"];
        assert_eq!(
            sentences,
            said.map(|said| format!("No class that was loaded fits {said}."))
        );
    }
}
