//! Probes that must stand where the allocation stands: they read a length, a value to be boxed, or the class of an object.

use ducktrack_code_edit::{Place, Probe, ProbeMethod};
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::helper::{counting, keyed, materialized};

use ducktrack_classfile::Instruction;

use crate::allocation_kind::ElementSize;
use crate::allocation_site::may_allocate;
use crate::allocation_site::{Allocation, CallMeasure, Measure, element_size};
use crate::call_rules::{BoxCache, CallRule};
use crate::object_probes::{
    MeasuredArray, ObjectMethods, levels_and_element, probe_by_class, probe_constructed,
    probe_stack_trace, probe_unless_passed,
};
use crate::part::{CountedLevel, Part, PartBuilder};
use crate::planned::{Role, SizeRule, Term};
use crate::planner::Planner;
use crate::pool_rules::PoolRules;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::stack_claim::claim_stack_for_allocations;
use ducktrack_probe_vocabulary::Unit;

const BEFORE_HEAP: ProbeMethod = calling(materialized::BEFORE);
const AFTER_HEAP: ProbeMethod = calling(materialized::AFTER);
const AFTER_HEAP_ARRAY: ProbeMethod = calling(materialized::AFTER_ARRAY);
const LENGTH_BUCKET: ProbeMethod = calling(counting::COUNT_LENGTH);
const LEVELS: ProbeMethod = calling(counting::COUNT_LEVELS);
const KEYED: ProbeMethod = calling(keyed::OBJECT);
const ARRAY_BYTES: [HelperMethod; 5] = [
    counting::ADD_BYTES_OF_1,
    counting::ADD_BYTES_OF_2,
    counting::ADD_BYTES_OF_4,
    counting::ADD_BYTES_OF_8,
    counting::ADD_BYTES_OF_REFERENCES,
];
const KEYED_ARRAYS: [HelperMethod; 5] = [
    keyed::ARRAY_OF_1,
    keyed::ARRAY_OF_2,
    keyed::ARRAY_OF_4,
    keyed::ARRAY_OF_8,
    keyed::ARRAY_OF_REFERENCES,
];

const OBJECTS: ObjectMethods = ObjectMethods {
    by_class: keyed::BY_CLASS,
    for_caller: keyed::BY_CLASS_FOR_CALLER,
    unless_overridden: keyed::BY_CLASS_UNLESS_OVERRIDDEN,
    unless_hidden: keyed::BY_CLASS_UNLESS_HIDDEN,
    unless_counted: keyed::BY_CLASS_UNLESS_COUNTED,
    unless_passed: keyed::BY_CLASS_UNLESS_PASSED,
    all_levels: keyed::ALL_LEVELS,
    stack_trace: keyed::STACK_TRACE,
    before_constructor: keyed::BEFORE_CONSTRUCTOR,
    after_constructor: keyed::AFTER_CONSTRUCTOR,
};

/// The helper's method for a box whose value may come from a cache.
fn after_boxing(measure: &Measure) -> Option<ProbeMethod> {
    let Measure::Call(CallMeasure(CallRule::Boxing(cache))) = measure else {
        return None;
    };
    match cache {
        BoxCache::None => None,
        BoxCache::Integer => Some(calling(materialized::AFTER_INTEGER)),
        BoxCache::Long => Some(calling(materialized::AFTER_LONG)),
        BoxCache::Short => Some(calling(materialized::AFTER_SHORT)),
        BoxCache::Character => Some(calling(materialized::AFTER_CHARACTER)),
    }
}

/// Lengths have 0 to 31 bits. The counter for 32 bits is never used, but it is cheaper than a check.
const LENGTH_BUCKETS: u8 = 33;

/// Probes of allocations that must stand at them. The levels left for counters of sites or paths are in the plan's `counted`.
pub(crate) struct Measures<'r> {
    pub(crate) rules: &'r PoolRules,
}

impl Planner for Measures<'_> {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        may_allocate(instruction, self.rules)
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        claim_stack_for_allocations(&mut builder)?;
        for allocation in &builder.view.allocations {
            let counted = measure(&mut builder, allocation)?;
            builder.part.counted.extend(counted);
        }
        Ok(builder.part)
    }
}

/// Adds the probes of one allocation that must stand at it, and returns the levels that counters of sites or paths must count.
fn measure(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
) -> Result<Vec<CountedLevel>, Reason> {
    let heap_mark = mark_heap(builder, allocation)?;
    let counted = match &allocation.measure {
        Measure::Instance => fixed(builder, allocation, SizeRule::OfClass)?,
        Measure::Captured(descriptor) => fixed(
            builder,
            allocation,
            SizeRule::OfCaptured(descriptor.clone()),
        )?,
        Measure::ConstantLengths(lengths) => constant_lengths(builder, allocation, lengths)?,
        Measure::Length | Measure::Call(CallMeasure(CallRule::Array)) => {
            length(builder, allocation)?
        }
        Measure::Lengths => lengths(builder, allocation)?,
        Measure::Call(CallMeasure(CallRule::Boxing(cache))) => boxing(builder, allocation, *cache)?,
        Measure::Call(CallMeasure(CallRule::Constructed)) => {
            probe_constructed(builder, OBJECTS, allocation)?;
            Vec::new()
        }
        Measure::Call(CallMeasure(CallRule::StackTrace)) => {
            probe_stack_trace(builder, OBJECTS, allocation)?;
            Vec::new()
        }
        Measure::Call(CallMeasure(CallRule::ObjectUnlessPassed)) => {
            probe_unless_passed(builder, OBJECTS, allocation)?;
            Vec::new()
        }
        Measure::Call(CallMeasure(rule)) => {
            probe_by_class(builder, OBJECTS, allocation, *rule)?;
            Vec::new()
        }
    };
    if heap_mark {
        materialized(builder, allocation)?;
    }
    Ok(counted)
}

/// One object of known size per execution.
fn fixed(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    size: SizeRule,
) -> Result<Vec<CountedLevel>, Reason> {
    let site = builder.add_site(allocation, 0, size)?;
    if builder.view.tracked {
        let probe = builder
            .probes
            .build()
            .push_later(site)
            .invoke(KEYED)
            .finish()?;
        builder.insert(Place::After(allocation.offset), probe);
        return Ok(Vec::new());
    }
    Ok(vec![CountedLevel::once(
        allocation.offset,
        site,
        Unit::Count,
    )])
}

fn constant_lengths(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    lengths: &[u32],
) -> Result<Vec<CountedLevel>, Reason> {
    if let ([length], Some(element)) = (
        lengths,
        element_size(allocation.types.first().and_then(Option::as_deref)),
    ) {
        if builder.view.options.histogram {
            count_length(builder, allocation, None)?;
        }
        return fixed(builder, allocation, SizeRule::OfArray(element, *length));
    }
    let mut counted = Vec::with_capacity(lengths.len());
    let mut objects = 1u32;
    for (level, length) in lengths.iter().enumerate() {
        let element = element_size(allocation.types.get(level).and_then(Option::as_deref))
            .unwrap_or(ElementSize::Reference);
        let site = builder.add_site(allocation, level, SizeRule::OfArray(element, *length))?;
        if objects > 0 {
            counted.push(CountedLevel {
                offset: allocation.offset,
                site,
                objects,
                unit: Unit::Count,
            });
        }
        objects = objects.saturating_mul(*length);
    }
    Ok(counted)
}

/// One array; its length is read after its allocation.
fn length(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
) -> Result<Vec<CountedLevel>, Reason> {
    let MeasuredArray { element, cast } = MeasuredArray::of(allocation)?;
    let site = builder.add_site(allocation, 0, SizeRule::Summed)?;
    if builder.view.options.histogram {
        count_length_of(builder, allocation, cast, site)?;
    }
    let (methods, id) = if builder.view.tracked {
        (KEYED_ARRAYS, site)
    } else {
        (ARRAY_BYTES, builder.add_amounts(site, &[Unit::Bytes])?)
    };
    let helper = calling(element.pick(methods));
    let probe = builder
        .probes
        .build()
        .dup()
        .cast(cast)
        .array_length()
        .push_later(id)
        .invoke(helper)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    if builder.view.tracked {
        return Ok(Vec::new());
    }
    Ok(vec![CountedLevel::once(
        allocation.offset,
        site,
        Unit::Count,
    )])
}

fn count_length(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    cast: Option<&[u8]>,
) -> Result<(), Reason> {
    let site = builder.add_site(allocation, 0, SizeRule::OfClass)?;
    builder.part.sites.pop();
    count_length_of(builder, allocation, cast, site)
}

pub(crate) fn count_length_of(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    cast: Option<&[u8]>,
    site: u32,
) -> Result<(), Reason> {
    let buckets: Vec<Unit> = (0..LENGTH_BUCKETS).map(Unit::LengthBucket).collect();
    let first = builder.add_amounts(site, &buckets)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .cast(cast)
        .array_length()
        .push_later(first)
        .invoke(LENGTH_BUCKET)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(())
}

/// All levels, read from the array that was made.
fn lengths(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
) -> Result<Vec<CountedLevel>, Reason> {
    let mut meanings = Vec::with_capacity(2 * allocation.types.len());
    for level in 0..allocation.types.len() {
        let site = builder.add_site(allocation, level, SizeRule::Summed)?;
        meanings.push(vec![Term::one(site, Unit::Count)]);
        meanings.push(vec![Term::one(site, Unit::Bytes)]);
    }
    let levels_and_element = levels_and_element(allocation)?;
    let first = builder.add_counters(Role::Amount, meanings)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .push(levels_and_element)
        .push_later(first)
        .invoke(LEVELS)
        .finish()?;
    builder.insert(Place::After(allocation.offset), probe);
    Ok(Vec::new())
}

fn boxing(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    cache: BoxCache,
) -> Result<Vec<CountedLevel>, Reason> {
    let helper = match cache {
        BoxCache::None => return fixed(builder, allocation, SizeRule::OfClass),
        BoxCache::Integer => counting::COUNT_INTEGER,
        BoxCache::Long => counting::COUNT_LONG,
        BoxCache::Short => counting::COUNT_SHORT,
        BoxCache::Character => counting::COUNT_CHARACTER,
    };
    let site = builder.add_site(allocation, 0, SizeRule::OfClass)?;
    let counter = builder.add_amounts(site, &[Unit::Count])?;
    let probe = if cache == BoxCache::Long {
        builder
            .probes
            .build()
            .dup2()
            .push_later(counter)
            .invoke(calling(helper))
            .finish()?
    } else {
        builder
            .probes
            .build()
            .dup()
            .push_later(counter)
            .invoke(calling(helper))
            .finish()?
    };
    builder.insert(Place::Before(allocation.offset), probe);
    Ok(Vec::new())
}

/// With `record=materialized`, notes before an allocation how many bytes the thread has allocated so far.
fn mark_heap(builder: &mut PartBuilder<'_>, allocation: &Allocation) -> Result<bool, Reason> {
    let one_object = allocation.types.len() == 1
        && !matches!(allocation.measure, Measure::Call(CallMeasure(rule)) if !matches!(rule, CallRule::Array | CallRule::Boxing(_)));
    if !(builder.view.options.materialized && one_object) {
        return Ok(false);
    }
    let probe = builder.probes.build().invoke(BEFORE_HEAP).finish()?;
    builder.insert(Place::Before(allocation.offset), probe);
    Ok(true)
}

/// Counts after the allocation whether the object reached the heap. This probe is before all others at the same place.
fn materialized(builder: &mut PartBuilder<'_>, allocation: &Allocation) -> Result<(), Reason> {
    let Some(site) = builder.part.sites.last().map(|site| site.id) else {
        return Ok(());
    };
    let by_length = matches!(
        allocation.measure,
        Measure::Length | Measure::Call(CallMeasure(CallRule::Array))
    );
    let probe = if by_length {
        materialized_array(builder, allocation, site)?
    } else {
        let counter = builder.add_amounts(site, &[Unit::MaterializedCount])?;
        let builder = builder.probes.build();
        let builder = match after_boxing(&allocation.measure) {
            Some(helper) => builder.dup().push_later(counter).invoke(helper),
            None => builder.push_later(counter).invoke(AFTER_HEAP),
        };
        builder.finish()?
    };
    insert_first(builder, Place::After(allocation.offset), probe);
    Ok(())
}

fn materialized_array(
    builder: &mut PartBuilder<'_>,
    allocation: &Allocation,
    site: u32,
) -> Result<Probe, Reason> {
    let MeasuredArray { element, cast } = MeasuredArray::of(allocation)?;
    let first = builder.add_amounts(site, &[Unit::MaterializedCount, Unit::MaterializedBytes])?;
    Ok(builder
        .probes
        .build()
        .dup()
        .cast(cast)
        .array_length()
        .push(element.code().unsigned_abs())
        .push_later(first)
        .invoke(AFTER_HEAP_ARRAY)
        .finish()?)
}

/// Inserts ahead of the other probes of this part at a place: the heap must be read before another probe can run.
fn insert_first(builder: &mut PartBuilder<'_>, place: Place, probe: Probe) {
    let insertions = &mut builder.part.edit.insertions;
    let mut others = insertions.iter();
    let first = others.position(|insertion| insertion.place == place);
    insertions.insert(first.unwrap_or(insertions.len()), probe.at(place));
}
