//! What is in the heap of the naive machine.

use std::collections::BTreeMap;

use ducktrack_live_heap::Amount;

use super::{Object, descriptor, thread_name};

/// A heap by everything it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedHeap {
    /// By type.
    pub types: BTreeMap<Option<String>, Amount>,
    /// Place in [`SITES`](super::SITES).
    pub sites: BTreeMap<Option<usize>, Amount>,
    /// By site and call, places in both tables.
    pub callers: BTreeMap<(usize, Option<usize>), Amount>,
    /// By site, and in it by age.
    pub ages: BTreeMap<Option<usize>, Vec<u64>>,
    /// By the thread that made them.
    pub threads: BTreeMap<Option<String>, Amount>,
    /// No collection has looked at them.
    pub new: Amount,
}

impl ExpectedHeap {
    /// After a collection, or (`with_new`) at the end.
    pub fn of(objects: &[Object], epoch: u32, with_new: bool) -> Self {
        let mut heap = Self::default();
        for object in objects {
            let is_new = with_new && object.is_new(epoch);
            if !is_new && !object.is_in_heap(epoch) {
                continue;
            }
            let one = Amount {
                count: 1,
                bytes: object.bytes,
            };
            *heap
                .types
                .entry(Some(descriptor(object.class)))
                .or_default() += one;
            let site = object.told_site();
            *heap.sites.entry(site).or_default() += one;
            if let Some(site) = site {
                let call = (object.caller as usize).checked_sub(1);
                *heap.callers.entry((site, call)).or_default() += one;
            }
            let thread = site.map(|_| thread_name(object.thread));
            *heap.threads.entry(thread).or_default() += one;
            if is_new {
                heap.new += one;
            }
            let age = if is_new {
                0
            } else {
                (epoch - object.birth).min(31) as usize
            };
            let ages = heap.ages.entry(site).or_default();
            if ages.len() <= age {
                ages.resize(age + 1, 0);
            }
            ages[age] += 1;
        }
        heap
    }
}
