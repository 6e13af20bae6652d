//! Probes that must stand where the allocation stands: they read a length, a value to be boxed, or the class of an object.

use crate::allocation_kind::{AllocationKind, ElementSize};
use crate::allocation_site::{Allocation, CallMeasure, Measure, element_size};
use crate::call_rules::{BoxCache, CallRule};
use crate::edit::Place;
use crate::method_plan::{Counted, MethodPlanner};
use crate::planned::{Role, SizeRule, Term, Unit};
use crate::probe::{Helper, Probe};
use crate::refusal::Reason;

const BEFORE_HEAP: Helper = Helper::counting("tb", "()V");
const AFTER_HEAP: Helper = Helper::counting("ta", "(I)V");
const AFTER_HEAP_ARRAY: Helper = Helper::counting("tn", "(III)V");
const LENGTH_BUCKET: Helper = Helper::counting("h", "(II)V");
const LEVELS: Helper = Helper::counting("m", "(Ljava/lang/Object;II)V");
const KEYED: Helper = Helper::counting("k", "(I)V");
const COUNT_CONSTRUCTED: Helper = Helper::counting("dc", "(Ljava/lang/reflect/Constructor;I)I");
const COUNT_RESULT: Helper = Helper::counting("dd", "(Ljava/lang/Object;II)V");

/// Lengths have 0 to 32 bits; a length of 32 bits cannot be, but the counter is cheaper than the question.
const LENGTH_BUCKETS: u8 = 33;

impl MethodPlanner<'_, '_, '_> {
    /// Adds the probes of one allocation that must stand at it, and gives what is left to be counted by site or path counters.
    pub(crate) fn measure(&mut self, allocation: &Allocation) -> Result<Vec<Counted>, Reason> {
        let heap_mark = self.mark_heap(allocation)?;
        let counted = match &allocation.measure {
            Measure::Instance => self.fixed(allocation, SizeRule::OfClass)?,
            Measure::Captured(descriptor) => {
                self.fixed(allocation, SizeRule::OfCaptured(descriptor.clone()))?
            }
            Measure::ConstantLengths(lengths) => self.constant_lengths(allocation, lengths)?,
            Measure::Length | Measure::Call(CallMeasure(CallRule::Array)) => {
                self.length(allocation)?
            }
            Measure::Lengths => self.lengths(allocation)?,
            Measure::Call(CallMeasure(CallRule::Boxing(cache))) => {
                self.boxing(allocation, *cache)?
            }
            Measure::Call(CallMeasure(CallRule::Constructed)) => self.constructed(allocation)?,
            Measure::Call(CallMeasure(rule)) => self.object(allocation, *rule)?,
        };
        if heap_mark {
            self.materialized(allocation)?;
        }
        Ok(counted)
    }

    /// One object of known size per execution.
    fn fixed(&mut self, allocation: &Allocation, size: SizeRule) -> Result<Vec<Counted>, Reason> {
        let site = self.add_site(allocation, 0, size)?;
        if self.view.tracked {
            let probe = self.assembler.call(KEYED, site)?;
            self.insert(Place::After(allocation.offset), probe);
            return Ok(Vec::new());
        }
        Ok(vec![Counted {
            offset: allocation.offset,
            site,
            objects: 1,
        }])
    }

    fn constant_lengths(
        &mut self,
        allocation: &Allocation,
        lengths: &[u32],
    ) -> Result<Vec<Counted>, Reason> {
        if let ([length], Some(element)) = (
            lengths,
            element_size(allocation.types.first().and_then(Option::as_deref)),
        ) {
            if self.view.options.histogram {
                self.count_length(allocation, None)?;
            }
            return self.fixed(allocation, SizeRule::OfArray(element, *length));
        }
        let mut counted = Vec::with_capacity(lengths.len());
        let mut objects = 1u32;
        for (level, length) in lengths.iter().enumerate() {
            let element = element_size(allocation.types.get(level).and_then(Option::as_deref))
                .unwrap_or(ElementSize::Reference);
            let site = self.add_site(allocation, level, SizeRule::OfArray(element, *length))?;
            if objects > 0 {
                counted.push(Counted {
                    offset: allocation.offset,
                    site,
                    objects,
                });
            }
            objects = objects.saturating_mul(*length);
        }
        Ok(counted)
    }

    /// One array whose length is read after it was made.
    fn length(&mut self, allocation: &Allocation) -> Result<Vec<Counted>, Reason> {
        let ty = allocation.types.first().and_then(Option::as_deref);
        let element = element_size(ty).ok_or(Reason::ControlFlow)?;
        let cast = ty.filter(|_| allocation.kind == AllocationKind::Clone);
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        if self.view.options.histogram {
            self.count_length_of(allocation, cast, site)?;
        }
        if self.view.tracked {
            let probe = self.assembler.call_with_length(
                Helper::counting(keyed_array(element), "(II)V"),
                cast,
                site,
            )?;
            self.insert(Place::After(allocation.offset), probe);
            return Ok(Vec::new());
        }
        let bytes = self.add_counter(Role::Amount, site, Unit::Bytes)?;
        let probe = self.assembler.call_with_length(
            Helper::counting(array_bytes(element), "(II)V"),
            cast,
            bytes,
        )?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(vec![Counted {
            offset: allocation.offset,
            site,
            objects: 1,
        }])
    }

    fn count_length(&mut self, allocation: &Allocation, cast: Option<&[u8]>) -> Result<(), Reason> {
        let site = self.add_site(allocation, 0, SizeRule::OfClass)?;
        self.plan.sites.pop();
        self.count_length_of(allocation, cast, site)
    }

    pub(crate) fn count_length_of(
        &mut self,
        allocation: &Allocation,
        cast: Option<&[u8]>,
        site: u32,
    ) -> Result<(), Reason> {
        let bucket = |bits| {
            vec![Term {
                site,
                factor: 1,
                unit: Unit::LengthBucket(bits),
            }]
        };
        let first = self.add_counters(Role::Amount, (0..LENGTH_BUCKETS).map(bucket).collect())?;
        let probe = self
            .assembler
            .call_with_length(LENGTH_BUCKET, cast, first)?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(())
    }

    /// All levels, read from the array that was made.
    fn lengths(&mut self, allocation: &Allocation) -> Result<Vec<Counted>, Reason> {
        let mut meanings = Vec::with_capacity(2 * allocation.types.len());
        for level in 0..allocation.types.len() {
            let site = self.add_site(allocation, level, SizeRule::Summed)?;
            meanings.push(vec![Term {
                site,
                factor: 1,
                unit: Unit::Count,
            }]);
            meanings.push(vec![Term {
                site,
                factor: 1,
                unit: Unit::Bytes,
            }]);
        }
        let levels =
            u32::try_from(allocation.types.len()).map_err(|_| Reason::TooManyDimensions)?;
        let last = allocation.types.last().and_then(Option::as_deref);
        let [b'[', element, ..] = last.unwrap_or_default() else {
            return Err(Reason::TooManyDimensions);
        };
        let first = self.add_counters(Role::Amount, meanings)?;
        let levels_and_element = levels << 8 | u32::from(*element);
        let probe = self
            .assembler
            .call_with_top_and(LEVELS, levels_and_element, first)?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(Vec::new())
    }

    fn boxing(&mut self, allocation: &Allocation, cache: BoxCache) -> Result<Vec<Counted>, Reason> {
        let helper = match cache {
            BoxCache::None => return self.fixed(allocation, SizeRule::OfClass),
            BoxCache::Integer => "bi",
            BoxCache::Long => "bj",
            BoxCache::Short => "bs",
            BoxCache::Character => "bc",
        };
        let site = self.add_site(allocation, 0, SizeRule::OfClass)?;
        let counter = self.add_counter(Role::Amount, site, Unit::Count)?;
        let probe = if cache == BoxCache::Long {
            self.assembler
                .call_with_long_top(Helper::counting(helper, "(JI)V"), counter)?
        } else {
            self.assembler
                .call_with_top(Helper::counting(helper, "(II)V"), counter)?
        };
        self.insert(Place::Before(allocation.offset), probe);
        Ok(Vec::new())
    }

    /// An object whose class only the run knows.
    fn object(&mut self, allocation: &Allocation, rule: CallRule) -> Result<Vec<Counted>, Reason> {
        let name = match rule {
            CallRule::ObjectIfArray => "da",
            CallRule::ObjectUnlessHidden => "dh",
            CallRule::ObjectUnlessCounted => "dn",
            CallRule::AllLevels => "dm",
            _ if self.view.tracked => "dx",
            _ => "d",
        };
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        let probe = self
            .assembler
            .call_with_top(Helper::counting(name, "(Ljava/lang/Object;I)V"), site)?;
        self.insert(Place::After(allocation.offset), probe);
        Ok(Vec::new())
    }

    /// An object that native code makes before it calls the constructor, which may throw: counted before the call by the
    /// constructor's class, or after it if the class was not ready then.
    fn constructed(&mut self, allocation: &Allocation) -> Result<Vec<Counted>, Reason> {
        let counted = self.view.code.max_locals();
        let site = self.add_site(allocation, 0, SizeRule::Summed)?;
        let before = self
            .assembler
            .call_with_second_into(COUNT_CONSTRUCTED, site, counted)?;
        self.insert(Place::Before(allocation.offset), before);
        let after = self
            .assembler
            .call_with_top_and_variable(COUNT_RESULT, site, counted)?;
        self.insert(Place::After(allocation.offset), after);
        Ok(Vec::new())
    }

    /// With `materialized=on`, notes before an allocation what the thread has allocated so far.
    fn mark_heap(&mut self, allocation: &Allocation) -> Result<bool, Reason> {
        let one_object = allocation.types.len() == 1
            && !matches!(allocation.measure, Measure::Call(CallMeasure(rule)) if !matches!(rule, CallRule::Array | CallRule::Boxing(_)));
        if !(self.view.options.materialized && one_object) {
            return Ok(false);
        }
        let probe = self.assembler.bare_call(BEFORE_HEAP)?;
        self.insert(Place::Before(allocation.offset), probe);
        Ok(true)
    }

    /// Counts after the allocation what reached the heap. Stands before all other probes at the same place.
    fn materialized(&mut self, allocation: &Allocation) -> Result<(), Reason> {
        let Some(site) = self.plan.sites.last().map(|site| site.id) else {
            return Ok(());
        };
        let by_length = matches!(
            allocation.measure,
            Measure::Length | Measure::Call(CallMeasure(CallRule::Array))
        );
        let probe = if by_length {
            self.materialized_array(allocation, site)?
        } else {
            let counter = self.add_counter(Role::Amount, site, Unit::MaterializedCount)?;
            self.assembler.call(AFTER_HEAP, counter)?
        };
        let last = self.insert(Place::After(allocation.offset), probe);
        self.move_before_probes_after(allocation, last);
        Ok(())
    }

    fn materialized_array(&mut self, allocation: &Allocation, site: u32) -> Result<Probe, Reason> {
        let ty = allocation.types.first().and_then(Option::as_deref);
        let element = element_size(ty).ok_or(Reason::ControlFlow)?;
        let cast = ty.filter(|_| allocation.kind == AllocationKind::Clone);
        let term = |unit| {
            vec![Term {
                site,
                factor: 1,
                unit,
            }]
        };
        let first = self.add_counters(
            Role::Amount,
            vec![term(Unit::MaterializedCount), term(Unit::MaterializedBytes)],
        )?;
        Ok(self.assembler.call_with_length_and(
            AFTER_HEAP_ARRAY,
            cast,
            element.code().unsigned_abs(),
            first,
        )?)
    }

    /// The heap must be looked at before another probe can run.
    fn move_before_probes_after(&mut self, allocation: &Allocation, last: usize) {
        let insertions = &mut self.plan.edit.insertions;
        let first = insertions
            .iter()
            .position(|insertion| insertion.place == Place::After(allocation.offset));
        if let Some(moved) = first
            .filter(|first| *first < last)
            .and_then(|first| insertions.get_mut(first..=last))
        {
            moved.rotate_right(1);
        }
    }
}

fn array_bytes(element: ElementSize) -> &'static str {
    match element {
        ElementSize::One => "l1",
        ElementSize::Two => "l2",
        ElementSize::Four => "l4",
        ElementSize::Eight => "l8",
        ElementSize::Reference => "lr",
    }
}

fn keyed_array(element: ElementSize) -> &'static str {
    match element {
        ElementSize::One => "k1",
        ElementSize::Two => "k2",
        ElementSize::Four => "k4",
        ElementSize::Eight => "k8",
        ElementSize::Reference => "kr",
    }
}
