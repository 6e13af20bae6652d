//! Objects that the agent makes for itself: class files of hidden classes
//! with their probes. They are not the program's, so no total has them.

use ducktrack_trace_format::SiteId;

use crate::Tally;
use crate::definitions::Definitions;

/// All helper classes are called like this, in one of two packages.
const HELPERS: &str = "DuckTrack";
const PACKAGES: [&str; 4] = [
    "java/lang/invoke/",
    "java/lang/",
    "java.lang.invoke.",
    "java.lang.",
];

/// Whether a class is one of the agent's helpers.
pub(crate) fn is_helper(class: &str) -> bool {
    let mut names = PACKAGES
        .iter()
        .filter_map(|package| class.strip_prefix(package));
    names.any(|name| name.starts_with(HELPERS))
}

/// Whether a site is in one of the agent's helpers.
pub(crate) fn is_in_helper(definitions: &Definitions, site: SiteId) -> bool {
    let site = definitions.sites.get(site);
    let method = site.and_then(|site| definitions.methods.get(site.method));
    let class = method.and_then(|method| definitions.classes.get(method.class));
    class.is_some_and(|class| is_helper(&class.name))
}

/// A thousandth of the program's bytes: less is not worth a line.
const LEAST_PART: i64 = 1000;

/// The line of the report that has these objects, where they are more than `LEAST_PART` of what the program made.
pub(crate) fn sentence(own: Tally, program: Tally) -> Option<String> {
    let Tally { count, bytes } = own;
    (bytes.saturating_mul(LEAST_PART) > program.bytes).then(|| {
        format!(
            "The agent itself made {count} objects, {bytes} bytes, for hidden classes: in no total."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_by_their_names() {
        assert!(is_helper("java.lang.DuckTrack") && is_helper("java/lang/invoke/DuckTrackHints"));
        assert!(!is_helper("app.DuckTrack") && !is_helper("java.lang.String"));
    }
}
