//! Probes of what is only known of the object itself. Both helper classes have them, under the same names: one counts, the other writes
//! events.

use ducktrack_code_edit::{Place, ProbeMethod};

use crate::allocation_kind::{AllocationKind, ElementSize};
use crate::allocation_site::{Allocation, element_size};
use crate::call_rules::{BACKTRACE, CallRule};
use crate::method_plan::MethodPlanner;
use crate::planned::SizeRule;
use crate::refusal::Reason;

/// Names a method of the one helper class or the other: [`counting`](crate::probe::counting) or [`event`](crate::probe::event).
pub(crate) type InHelper = fn(&'static str, &'static str) -> ProbeMethod;

/// An array whose length is read after it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredArray<'a> {
    pub(crate) element: ElementSize,
    /// What the top must be cast to, where its static type is no array.
    pub(crate) cast: Option<&'a [u8]>,
}

impl<'a> MeasuredArray<'a> {
    pub(crate) fn of(allocation: &'a Allocation) -> Result<Self, Reason> {
        let ty = allocation.types.first().and_then(Option::as_deref);
        Ok(Self {
            element: element_size(ty).ok_or(Reason::ControlFlow)?,
            cast: ty.filter(|_| allocation.kind == AllocationKind::Clone),
        })
    }
}

/// What the helpers' `m` takes: the number of levels, and in the lowest byte what the last of them holds, as in descriptors.
pub(crate) fn levels_and_element(allocation: &Allocation) -> Result<u32, Reason> {
    let levels = u32::try_from(allocation.types.len()).map_err(|_| Reason::TooManyDimensions)?;
    let last = allocation.types.last().and_then(Option::as_deref);
    let [b'[', element, ..] = last.unwrap_or_default() else {
        return Err(Reason::TooManyDimensions);
    };
    Ok(levels << 8 | u32::from(*element))
}

impl MethodPlanner<'_, '_, '_> {
    /// An object whose class only the run knows.
    pub(crate) fn probe_by_class(
        &mut self,
        in_helper: InHelper,
        allocation: &Allocation,
        rule: CallRule,
    ) -> Result<(), Reason> {
        let name = match rule {
            CallRule::ObjectIfArray => "da",
            CallRule::ObjectUnlessHidden => "dh",
            CallRule::ObjectUnlessCounted => "dn",
            CallRule::AllLevels => "dm",
            _ if self.view.tracked => "dx",
            _ => "d",
        };
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        let helper = in_helper(name, "(Ljava/lang/Object;I)V");
        let probe = self
            .probes
            .build()
            .dup()
            .push(site)
            .invoke(helper)
            .finish()?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(())
    }

    /// The arrays of the stack trace that an exception has got.
    pub(crate) fn probe_stack_trace(
        &mut self,
        in_helper: InHelper,
        allocation: &Allocation,
    ) -> Result<(), Reason> {
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        let helper = in_helper("db", "(Ljava/lang/Object;I)V");
        let probe = self
            .probes
            .build()
            .dup()
            .field(BACKTRACE)
            .push(site)
            .invoke(helper)
            .finish()?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(())
    }

    /// An object that native code makes before it calls the constructor, which allocates by itself and may throw: told before the call by
    /// the constructor's class, or after it if the class was not ready then.
    pub(crate) fn probe_constructed(
        &mut self,
        in_helper: InHelper,
        allocation: &Allocation,
    ) -> Result<(), Reason> {
        let told = self.view.code.max_locals();
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        let before = self
            .probes
            .build()
            .dup2()
            .pop()
            .push(site)
            .invoke(in_helper("dc", "(Ljava/lang/reflect/Constructor;I)I"))
            .store_int(told)
            .finish()?;
        self.insert(Place::Before(allocation.offset), before);
        let after = self
            .probes
            .build()
            .dup()
            .push(site)
            .load_int(told)
            .invoke(in_helper("dd", "(Ljava/lang/Object;II)V"))
            .finish()?;
        self.insert(Place::After(allocation.offset), after);
        Ok(())
    }
}
