//! Stacks x values x labels: exact totals of sites, distributed over the call stacks that were sampled there.
//!
//! ```text
//! CountModel ─┬─ sites: exact objects and bytes ──> strata   (site line, type, caller)
//!             └─ sampled stacks ──────────────────> samples of each stratum
//!                                    Profile ── rows (stack, type, thread, site): integers that sum to the exact totals
//!                                       └─ CallTree   top-down or from the objects up, each node with its interval
//! ```
//!
//! # The estimator: post-stratification
//!
//! A *stratum* is an exact total `T` of the counters: objects of one type, allocated at one line of one method, for one caller to blame if
//! there is one. Its samples have weights `w` (objects or bytes that a sample stands for). The share of the stratum that came
//! through frame `f` is estimated as `p = sum of w through f / sum of w`, and `f` gets `T * p` of it. So a leaf, which all samples
//! of its stratum share, is exact; an inner frame is a sum of estimates over strata:
//!
//! ```text
//! X(f)   = sum over strata of T * p
//! n'     = (sum of w)^2 / sum of w^2                       samples that unequal weights are worth (Kish)
//! [l, u] = Wilson's interval of p at n'
//! X - sqrt(sum of (T (p - l))^2)  ...  X + sqrt(sum of (T (u - p))^2)       (MOVER: Zou and Donner 2008)
//! ```
//!
//! A stratum of arrays is divided by their sizes before, because the VM's sampler is not fair to all sizes (module `layers`).
//!
//! A caller that the counts know only from some moment on has more samples than its
//! total explains; the stratum without a caller gets the excess (module `late_callers`).
//!
//! Strata without samples stay at their site, under a separate frame. Any method may have been on their
//! stacks, so their sum is added to the upper end of each method's interval. Samples are objects that
//! reached the heap: if the JIT eliminated some of a site's objects, the shares are those of the others.
#![forbid(unsafe_code)]

mod allotment;
mod below;
mod builder;
mod call_tree;
mod inclusive;
mod interval;
mod late_callers;
mod layers;
mod live;
mod makers;
mod off_heap;
mod profile;
mod sample_match;
mod stack_sample;
mod strata;
mod unit;

pub use below::Below;
pub use builder::{profile, profile_in_contexts};
pub use call_tree::{CallTree, Direction, NodeLabel, TreeNode};
pub use inclusive::{MethodTotal, method_totals};
pub use interval::Interval;
pub use profile::{Frame, FrameIndex, Profile, ProfileRow, StackIndex, StackNode, Stratum};
pub use unit::Unit;
