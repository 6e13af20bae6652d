//! Why a method has no counters on paths, and the least that paths must save.

use crate::method_counting::WhyPerSite;

/// A method gets stubs only if its paths are expected to save this many increments per entry. A stub costs nothing when it is not
/// run, but it is bytecode that the JIT's inliner counts and an exception path that C2 compiles: measured on real programs, stubs
/// for less cost more than they save.
pub(crate) const LEAST_SAVED_FOR_STUBS: f64 = 1.5;

/// Why a method has no counters on paths.
pub(crate) struct NoPaths {
    pub(crate) why: WhyPerSite,
    /// Paths may be worth it once the method is hot.
    pub(crate) may_change: bool,
    /// Those that one counter per site is expected to execute.
    pub(crate) increments_per_entry: Option<f64>,
}

impl From<WhyPerSite> for NoPaths {
    fn from(why: WhyPerSite) -> Self {
        Self {
            why,
            may_change: false,
            increments_per_entry: None,
        }
    }
}

/// Whether a method that is not known to be hot can save too little to be worth a plan. Any instruction that allocates
/// can throw, so allocations that share an increment need a stub, and stubs must save [`LEAST_SAVED_FOR_STUBS`]. An
/// increment counts each site once at the most: at least those of the hottest site stay.
pub(crate) fn little_to_save(per_site: u64, hottest: u64, runs: u64) -> Result<(), NoPaths> {
    let saved_at_most = ratio(per_site.saturating_sub(hottest), runs);
    if saved_at_most >= LEAST_SAVED_FOR_STUBS {
        return Ok(());
    }
    Err(NoPaths {
        why: WhyPerSite::LittleToSave {
            saved_at_most,
            least: LEAST_SAVED_FOR_STUBS,
        },
        may_change: true,
        increments_per_entry: Some(ratio(per_site, runs)),
    })
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
