//! Probes that write allocation events: one right after every allocation that counting would measure.
//!
//! ```text
//!   new Point                      sipush 300; invokestatic DuckTrackEvents.object(I)V
//!   newarray int                   dup; dup; arraylength; sipush 301; invokestatic DuckTrackEvents.arrayOf4(Ljava/lang/Object;II)V
//!   invokestatic Integer.valueOf   dup; sipush 302; invokestatic DuckTrackEvents.boxedInteger(Ljava/lang/Integer;I)V
//! ```
//!
//! An object of known class is not passed: the thread's allocation pointer tells where it is. An array is, for the rare large one that lies
//! outside of the thread's buffer.
//!
//! No code counts. Every site gets the words that the reader of the events adds to (role `Amount`), so that values are written as if
//! they had been counted. Objects that are filed under their class or caller have keys instead.

use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::helper::{events, object_events};

use ducktrack_classfile::Instruction;

use crate::allocation_site::may_allocate;
use crate::allocation_site::{Allocation, CallMeasure, Measure, element_size};
use crate::call_rules::{BoxCache, CallRule};
use crate::measure_probes::count_length_of;
use crate::object_probes::{
    MeasuredArray, ObjectMethods, levels_and_element, probe_by_class, probe_constructed,
    probe_stack_trace, probe_unless_passed,
};
use crate::part::{Part, PartBuilder};
use crate::planned::SizeRule;
use crate::planner::Planner;
use crate::pool_rules::PoolRules;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::stack_claim::claim_stack_for_allocations;
use ducktrack_probe_vocabulary::Unit;

const OBJECT: ProbeMethod = calling(events::OBJECT);
const OBJECT_FOR_CALLER: ProbeMethod = calling(events::OBJECT_FOR_CALLER);
const LEVELS: ProbeMethod = calling(events::LEVELS);
const ARRAYS: [HelperMethod; 5] = [
    events::ARRAY_OF_1,
    events::ARRAY_OF_2,
    events::ARRAY_OF_4,
    events::ARRAY_OF_8,
    events::ARRAY_OF_REFERENCES,
];
const ARRAYS_FOR_CALLER: [HelperMethod; 5] = [
    events::ARRAY_OF_1_FOR_CALLER,
    events::ARRAY_OF_2_FOR_CALLER,
    events::ARRAY_OF_4_FOR_CALLER,
    events::ARRAY_OF_8_FOR_CALLER,
    events::ARRAY_OF_REFERENCES_FOR_CALLER,
];
const OBJECTS: ObjectMethods = ObjectMethods {
    by_class: object_events::BY_CLASS,
    for_caller: object_events::BY_CLASS_FOR_CALLER,
    unless_overridden: object_events::BY_CLASS_UNLESS_OVERRIDDEN,
    unless_hidden: object_events::BY_CLASS_UNLESS_HIDDEN,
    unless_counted: object_events::BY_CLASS_UNLESS_COUNTED,
    unless_passed: object_events::BY_CLASS_UNLESS_PASSED,
    all_levels: object_events::ALL_LEVELS,
    stack_trace: object_events::STACK_TRACE,
    before_constructor: object_events::BEFORE_CONSTRUCTOR,
    after_constructor: object_events::AFTER_CONSTRUCTOR,
};

/// Arrays of more elements may lie outside of a thread's buffer: their probe takes the array.
const MOST_ELEMENTS_BY_SITE: u32 = 512;

/// The sums kept for a site whose objects all have one size.
const FIXED: [Unit; 2] = [Unit::Count, Unit::MaterializedCount];
/// The same where the events state the bytes.
const MEASURED: [Unit; 4] = [
    Unit::Count,
    Unit::Bytes,
    Unit::MaterializedCount,
    Unit::MaterializedBytes,
];

/// An event for each allocation.
pub(crate) struct Events<'r> {
    pub(crate) rules: &'r PoolRules,
}

impl Planner for Events<'_> {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        may_allocate(instruction, self.rules)
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        claim_stack_for_allocations(&mut builder)?;
        for allocation in &builder.view.allocations {
            record(&mut builder, allocation)?;
        }
        Ok(builder.part)
    }
}

/// Adds the event probe of one allocation.
fn record(builder: &mut PartBuilder<'_>, allocation: &Allocation) -> Result<(), Reason> {
    match &allocation.measure {
        Measure::Instance => record_object(builder, allocation, SizeRule::OfClass),
        Measure::Captured(descriptor) => record_object(
            builder,
            allocation,
            SizeRule::OfCaptured(descriptor.clone()),
        ),
        Measure::ConstantLengths(lengths) if allocation.types.len() == 1 => {
            record_constant_length(builder, allocation, lengths)
        }
        Measure::ConstantLengths(_) | Measure::Lengths => record_levels(builder, allocation),
        Measure::Length | Measure::Call(CallMeasure(CallRule::Array)) => {
            record_array(builder, allocation)
        }
        Measure::Call(CallMeasure(CallRule::Boxing(cache))) => {
            record_box(builder, allocation, *cache)
        }
        Measure::Call(CallMeasure(CallRule::Constructed)) => {
            probe_constructed(builder, OBJECTS, allocation)
        }
        Measure::Call(CallMeasure(CallRule::StackTrace)) => {
            probe_stack_trace(builder, OBJECTS, allocation)
        }
        Measure::Call(CallMeasure(CallRule::ObjectUnlessPassed)) => {
            probe_unless_passed(builder, OBJECTS, allocation)
        }
        Measure::Call(CallMeasure(rule)) => probe_by_class(builder, OBJECTS, allocation, *rule),
    }
}

fn record_object(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    size: SizeRule,
) -> Result<(), Reason> {
    let site = builder.add_site(allocation, 0, size)?;
    let helper = if builder.view.tracked {
        OBJECT_FOR_CALLER
    } else {
        builder.add_amounts(site, &FIXED)?;
        OBJECT
    };
    let probe = builder
        .probes
        .build()
        .push_later(site)
        .invoke(helper)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

fn record_constant_length(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    lengths: &[u32],
) -> Result<(), Reason> {
    let element = element_size(allocation.types.first().and_then(Option::as_deref));
    match (lengths, element) {
        ([length], Some(element))
            if *length <= MOST_ELEMENTS_BY_SITE && !builder.view.options.histogram =>
        {
            record_object(builder, allocation, SizeRule::OfArray(element, *length))
        }
        _ => record_array(builder, allocation),
    }
}

fn record_array(builder: &mut PartBuilder<'_>, allocation: &Allocation) -> Result<(), Reason> {
    let array = MeasuredArray::of(allocation)?;
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    if builder.view.options.histogram {
        count_length_of(builder, allocation, array.cast, site)?;
    }
    let methods = if builder.view.tracked {
        ARRAYS_FOR_CALLER
    } else {
        builder.add_amounts(site, &MEASURED)?;
        ARRAYS
    };
    let helper = calling(array.element.pick(methods));
    let probe = builder
        .probes
        .build()
        .dup()
        .cast(array.cast)
        .dup()
        .array_length()
        .push_later(site)
        .invoke(helper)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

/// All levels in one event: it names the site of the outermost, the others follow by number.
fn record_levels(builder: &mut PartBuilder<'_>, allocation: &Allocation) -> Result<(), Reason> {
    let levels = u8::try_from(allocation.types.len()).map_err(|_| Reason::TooManyDimensions)?;
    let first = builder.number_levels(allocation, levels)?;
    for level in 0..allocation.types.len() {
        let site = builder.add_site(allocation, level, SizeRule::Summed)?;
        builder.add_amounts(site, &MEASURED)?;
    }
    let probe = builder
        .probes
        .build()
        .dup()
        .push(levels_and_element(allocation)?)
        .push_later(first)
        .invoke(LEVELS)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

/// The box tells its value, and so whether it was made.
fn record_box(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    cache: BoxCache,
) -> Result<(), Reason> {
    let helper = match cache {
        BoxCache::None => return record_object(builder, allocation, SizeRule::OfClass),
        BoxCache::Integer => calling(events::BOXED_INTEGER),
        BoxCache::Long => calling(events::BOXED_LONG),
        BoxCache::Short => calling(events::BOXED_SHORT),
        BoxCache::Character => calling(events::BOXED_CHARACTER),
    };
    let site = builder.add_site(allocation, 0, SizeRule::OfClass)?;
    builder.add_amounts(site, &FIXED)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .push_later(site)
        .invoke(helper)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}
