//! Numbers for who rewrites classes without an agent: to draw them, to verify them, to measure how long it takes.

use ducktrack_classfile::MemberRef;

use crate::planned::{Numbers, SiteKey};

/// Gives every site and call the next number from 1 on, and every counter from
/// 0 on. Nothing is remembered: the same site gets another number each time.
#[derive(Clone, Debug, Default)]
pub struct ConsecutiveNumbers {
    sites: u32,
    counters: u32,
    fields: u32,
    methods: u32,
}

impl Numbers for ConsecutiveNumbers {
    fn site(&mut self, key: SiteKey) -> Option<u32> {
        self.levels(key, 1)
    }

    fn levels(&mut self, _: SiteKey, count: u8) -> Option<u32> {
        let first = self.sites.checked_add(1)?;
        self.sites = self.sites.checked_add(count.into())?;
        Some(first)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        let first = self.counters;
        self.counters = first.checked_add(count)?;
        Some(first)
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        self.site(key)
    }

    fn field(&mut self, _: &MemberRef<'_>) -> Option<u32> {
        self.fields = self.fields.checked_add(1)?;
        Some(self.fields)
    }

    fn method(&mut self, _: u16) -> Option<u32> {
        self.methods = self.methods.checked_add(1)?;
        Some(self.methods)
    }
}
