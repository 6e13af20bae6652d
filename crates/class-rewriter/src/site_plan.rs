//! One counter per site: the baseline that the paper compares with, and the plan of methods whose paths are not used.

use crate::edit::Place;
use crate::method_counting::WhyPerSite;
use crate::method_plan::{Counted, MethodPlanner};
use crate::planned::{Role, Term, Unit};
use crate::probe::Helper;
use crate::refusal::Reason;

pub(crate) const COUNT: Helper = Helper::counting("c", "(I)V");

impl MethodPlanner<'_, '_, '_> {
    /// Counts every site of the method by itself, for a reason.
    pub(crate) fn count_all_per_site(
        &mut self,
        counted: &[Counted],
        why: WhyPerSite,
    ) -> Result<(), Reason> {
        self.plan.counting.per_site = Some(why);
        self.count_per_site(counted)
    }

    /// Counts every site right after its instruction.
    pub(crate) fn count_per_site(&mut self, counted: &[Counted]) -> Result<(), Reason> {
        let meanings = counted.iter().map(|level| {
            vec![Term {
                site: level.site,
                factor: level.objects.cast_signed(),
                unit: Unit::Count,
            }]
        });
        let first = self.add_counters(Role::Increment, meanings.collect())?;
        for (id, level) in (first..).zip(counted) {
            let probe = self.assembler.call(COUNT, id)?;
            let place = Place::After(level.offset);
            self.insert(place, probe);
            self.plan.counting.probes.push((id, place));
        }
        Ok(())
    }
}
