//! One counter per site: the baseline that the paper compares with, and the plan of methods whose paths are not used.

use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::helper::counting;

use core::mem;

use crate::method_counting::WhyPerSite;
use crate::method_plan::{CountedLevel, PlanBuilder};
use crate::planned::{Role, Term};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::rewrite_options::ThreadTotals;

pub(crate) const COUNT: ProbeMethod = calling(counting::COUNT);
const COUNT_SEVERAL: ProbeMethod = calling(counting::COUNT_SEVERAL);

/// A counter for each site. [`Measures`](crate::measure_probes::Measures) finds what it counts.
pub(crate) struct SiteCounters;

impl Planner for SiteCounters {
    fn plan(&self, builder: &mut PlanBuilder<'_, '_, '_>) -> Result<(), Reason> {
        let counted = mem::take(&mut builder.plan.counted);
        if counted.is_empty() {
            return Ok(());
        }
        builder
            .count_all_per_site(&counted, WhyPerSite::Asked)
            .map(drop)
    }
}

impl PlanBuilder<'_, '_, '_> {
    /// Gives every site of the method its own counter, and notes the reason.
    pub(crate) fn count_all_per_site(
        &mut self,
        counted: &[CountedLevel],
        why: WhyPerSite,
    ) -> Result<u32, Reason> {
        self.plan.counting.per_site = Some(why);
        self.count_per_site(counted)
    }

    /// Counts every site right after its instruction; the number of the first counter, the others follow.
    pub(crate) fn count_per_site(&mut self, counted: &[CountedLevel]) -> Result<u32, Reason> {
        let meanings = counted.iter().map(|level| {
            vec![Term {
                site: level.site,
                factor: level.objects.cast_signed(),
                unit: level.unit,
            }]
        });
        let first = self.add_counters(Role::Increment, meanings.collect())?;
        for (id, level) in (first..).zip(counted) {
            let build = self.probes.build();
            let probe = match level.objects {
                several if several != 1 && self.view.options.totals != ThreadTotals::None => {
                    build.push(several).push_later(id).invoke(COUNT_SEVERAL)
                }
                _ => build.push_later(id).invoke(COUNT),
            };
            let probe = probe.finish()?;
            let place = Place::After(level.offset);
            self.insert(place, probe);
            self.plan.counting.probes.push((id, place));
        }
        Ok(first)
    }
}
