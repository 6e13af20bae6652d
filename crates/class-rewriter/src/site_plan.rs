//! One counter per site: the baseline that the paper compares with, and the plan of methods whose paths are not used.

use ducktrack_code_edit::{Place, Probe, ProbeMethod};
use ducktrack_probe_vocabulary::helper::counting;

use crate::method_counting::WhyPerSite;
use crate::part::{CountedLevel, Part, PartBuilder};
use crate::planned::{Role, Term};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::rewrite_options::ThreadTotals;

const COUNT: ProbeMethod = calling(counting::COUNT);
const COUNT_SEVERAL: ProbeMethod = calling(counting::COUNT_SEVERAL);

/// A counter for each site. [`Measures`](crate::measure_probes::Measures) finds what it counts.
pub(crate) struct SiteCounters;

impl Planner for SiteCounters {
    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        let counted = &builder.before.counted;
        if !counted.is_empty() {
            count_all_per_site(&mut builder, counted, WhyPerSite::Asked)?;
        }
        Ok(builder.part)
    }
}

/// Counts by one.
pub(crate) fn increment(builder: &mut PartBuilder<'_>, counter: u32) -> Result<Probe, Reason> {
    let probe = builder.probes.build().push_later(counter);
    Ok(probe.invoke(COUNT).finish()?)
}

/// Gives every site of the method its own counter, and notes the reason.
pub(crate) fn count_all_per_site(
    builder: &mut PartBuilder<'_>,
    counted: &[CountedLevel],
    why: WhyPerSite,
) -> Result<u32, Reason> {
    builder.counting().per_site = Some(why);
    count_per_site(builder, counted)
}

/// Counts every site right after its instruction; the number of the first counter, the others follow.
pub(crate) fn count_per_site(
    builder: &mut PartBuilder<'_>,
    counted: &[CountedLevel],
) -> Result<u32, Reason> {
    let meanings = counted.iter().map(|level| {
        vec![Term {
            site: level.site,
            factor: level.objects.cast_signed(),
            unit: level.unit,
        }]
    });
    let first = builder.add_counters(Role::Increment, meanings.collect())?;
    for (id, level) in (first..).zip(counted) {
        let build = builder.probes.build();
        let probe = match level.objects {
            several if several != 1 && builder.view.options.totals != ThreadTotals::None => {
                build.push(several).push_later(id).invoke(COUNT_SEVERAL)
            }
            _ => build.push_later(id).invoke(COUNT),
        };
        let probe = probe.finish()?;
        let place = Place::After(level.offset);
        builder.insert(place, probe);
        builder.counting().probes.push((id, place));
    }
    Ok(first)
}
