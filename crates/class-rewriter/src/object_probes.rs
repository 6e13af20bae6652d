//! Probes that read the class or size from the object itself. Two helper
//! classes have methods for them: one counts, the other writes events.

use ducktrack_code_edit::Place;
use ducktrack_probe_vocabulary::HelperMethod;

use crate::allocation_kind::ElementSize;
use crate::allocation_site::{Allocation, element_size};
use crate::call_rules::{BACKTRACE, CallRule};
use crate::part::PartBuilder;
use crate::planned::SizeRule;
use crate::probe::calling;
use crate::refusal::Reason;
use ducktrack_probe_vocabulary::AllocationKind;

/// The methods of one of these helper classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectMethods {
    pub(crate) by_class: HelperMethod,
    pub(crate) for_caller: HelperMethod,
    pub(crate) unless_overridden: HelperMethod,
    pub(crate) unless_hidden: HelperMethod,
    pub(crate) unless_counted: HelperMethod,
    pub(crate) unless_passed: HelperMethod,
    pub(crate) all_levels: HelperMethod,
    pub(crate) stack_trace: HelperMethod,
    pub(crate) before_constructor: HelperMethod,
    pub(crate) after_constructor: HelperMethod,
}

/// An array whose length is read after it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasuredArray<'a> {
    pub(crate) element: ElementSize,
    /// The type to which the top must be cast, if its static type is not an array.
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

/// The parameter `m` of the helpers: the number of levels, and in the lowest byte the element type of the last level, as in descriptors.
pub(crate) fn levels_and_element(allocation: &Allocation) -> Result<u32, Reason> {
    let levels = u32::try_from(allocation.types.len()).map_err(|_| Reason::TooManyDimensions)?;
    let last = allocation.types.last().and_then(Option::as_deref);
    let [b'[', element, ..] = last.unwrap_or_default() else {
        return Err(Reason::TooManyDimensions);
    };
    Ok(levels << 8 | u32::from(*element))
}

/// An object whose class is only known at run time.
pub(crate) fn probe_by_class(
    builder: &mut PartBuilder<'_>,
    methods: ObjectMethods,
    allocation: &Allocation,
    rule: CallRule,
) -> Result<(), Reason> {
    let method = match rule {
        CallRule::ObjectUnlessOverridden => methods.unless_overridden,
        CallRule::ObjectUnlessHidden => methods.unless_hidden,
        CallRule::ObjectUnlessCounted => methods.unless_counted,
        CallRule::AllLevels => methods.all_levels,
        _ if builder.view.tracked => methods.for_caller,
        _ => methods.by_class,
    };
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .push_later(site)
        .invoke(calling(method))
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

/// An object that a call returns, unless it was its last argument.
pub(crate) fn probe_unless_passed(
    builder: &mut PartBuilder<'_>,
    methods: ObjectMethods,
    allocation: &Allocation,
) -> Result<(), Reason> {
    let passed = builder.view.code.max_locals();
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    let build = builder.probes.build();
    let before = build.dup().store_reference(passed).finish()?;
    builder.insert(Place::Before(allocation.offset), before);
    let after = builder
        .probes
        .build()
        .dup()
        .load_reference(passed)
        .push_later(site)
        .invoke(calling(methods.unless_passed))
        .finish()?;
    builder.insert(Place::After(allocation.offset), after);
    Ok(())
}

/// The arrays of an exception's stack trace.
pub(crate) fn probe_stack_trace(
    builder: &mut PartBuilder<'_>,
    methods: ObjectMethods,
    allocation: &Allocation,
) -> Result<(), Reason> {
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .field(BACKTRACE)
        .push_later(site)
        .invoke(calling(methods.stack_trace))
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

/// An object that native code makes before it calls the constructor, which allocates by itself and may throw.
/// It is reported before the call with the constructor's class, or after it if the class was not ready then.
pub(crate) fn probe_constructed(
    builder: &mut PartBuilder<'_>,
    methods: ObjectMethods,
    allocation: &Allocation,
) -> Result<(), Reason> {
    let told = builder.view.code.max_locals();
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    let before = builder
        .probes
        .build()
        .dup2()
        .pop()
        .push_later(site)
        .invoke(calling(methods.before_constructor))
        .store_int(told)
        .finish()?;
    builder.insert(Place::Before(allocation.offset), before);
    let after = builder
        .probes
        .build()
        .dup()
        .push_later(site)
        .load_int(told)
        .invoke(calling(methods.after_constructor))
        .finish()?;
    builder.insert(Place::After(allocation.offset), after);
    Ok(())
}
