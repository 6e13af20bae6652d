//! The answers to `DuckTrack.constant`: what the helper class asks when it is initialized.

use ducktrack_probe_vocabulary::fact::Fact;

use crate::core::vm_facts::VmFacts;
use crate::count::call_totals::CallTotals;
use crate::threads::counter_block::{KEYED_BYTES, KEYED_OFFSET, ROW};
use crate::trace::buffers::event_tables::{EventTables, SeenClasses};

/// The value of a fact.
pub(crate) fn constant(fact: Fact, facts: &VmFacts) -> i64 {
    let (tables, totals) = (EventTables::get(), CallTotals::get());
    let (table, mask) = facts.slot.table();
    let layout = &facts.layout;
    let base = |index: usize| layout.array_base.get(index).copied().map_or(0, i64::from);
    let offset = |value: usize| i64::try_from(value).unwrap_or(0);
    let of_tables =
        |address: fn(&EventTables) -> usize| tables.map_or(0, |tables| offset(address(tables)));
    match fact {
        Fact::SlotKind => facts.slot.kind(),
        Fact::SlotOffset => facts.slot.offset(),
        Fact::Eetop => offset(facts.eetop),
        Fact::Shared => offset(facts.shared.address()),
        Fact::HasCarriers => i64::from(facts.has_carriers),
        Fact::SlotTable => table,
        Fact::SlotTableMask => mask,
        Fact::Keyed => offset(KEYED_OFFSET),
        Fact::KeyedMask => offset(KEYED_BYTES - ROW),
        Fact::Klass => offset(facts.klass.class_klass),
        Fact::LayoutHelper => offset(facts.klass.layout_helper),
        Fact::IntegerCacheTop => facts.integer_cache_top,
        Fact::TlabTop => offset(facts.threads.tlab_top),
        Fact::AddressBits => facts.threads.address_bits.cast_signed(),
        Fact::TlabStart => offset(facts.threads.tlab_start),
        Fact::TlabEnd => offset(facts.threads.tlab_end),
        Fact::Allocated => offset(facts.threads.allocated_bytes),
        Fact::Alignment => i64::from(layout.alignment),
        Fact::Base1 => base(0),
        Fact::Base2 => base(1),
        Fact::Base4 => base(2),
        Fact::Base8 => base(3),
        Fact::BaseReference => base(4),
        Fact::ReferenceShift => i64::from(layout.reference.trailing_zeros()),
        Fact::SeenClasses => of_tables(|tables| tables.seen.address()),
        Fact::SeenClassesMask => offset(SeenClasses::MASK),
        Fact::Epoch => of_tables(|tables| tables.epoch.as_ptr() as usize),
        Fact::CalledSites => of_tables(|tables| tables.called.address()),
        Fact::Totals
        | Fact::CounterBytes
        | Fact::SiteBytes
        | Fact::CallRecords
        | Fact::CallRecordsBytes
        | Fact::WaitingThreads => totals.map_or(0, |totals| totals.constant(fact)),
    }
}
