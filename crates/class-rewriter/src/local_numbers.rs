//! Numbers within one class, until the class gets its own.
//!
//! A class is planned with numbers from 0 on, in the order in which they are asked for. What the numbers stand
//! for is kept as a list of requests, and the same requests give the real numbers, now or in a later run:
//!
//! ```text
//! requests     site (method 3, offset 7)   2 counters   call site (method 3, offset 20)
//! local        0                           1, 2         3
//! real         4711                        90, 91       16
//! ```

use ducktrack_classfile::MemberRef;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::planned::{Numbers, SiteKey};
use crate::refusal::Reason;

/// A request for one or more numbers; it has the next local ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// A site.
    Site(SiteKey),
    /// The levels of an array, outermost first.
    Levels(SiteKey, u8),
    /// Counters with consecutive numbers.
    Counters(u32),
    /// A call of a tracked method.
    CallSite(SiteKey),
}

/// Gives local numbers. Fields and methods have their real numbers at once: classes with such numbers are not kept between runs.
pub(crate) struct LocalNumbers<'n> {
    real: &'n mut dyn Numbers,
    requests: Vec<Request>,
    next: u32,
    sites: FxHashMap<SiteKey, u32>,
    call_sites: FxHashMap<SiteKey, u32>,
}

impl<'n> LocalNumbers<'n> {
    pub(crate) fn new(real: &'n mut dyn Numbers) -> Self {
        Self {
            real,
            requests: Vec::new(),
            next: 0,
            sites: FxHashMap::default(),
            call_sites: FxHashMap::default(),
        }
    }

    pub(crate) fn into_requests(self) -> Vec<Request> {
        self.requests
    }

    fn add(&mut self, request: Request, count: u32) -> Option<u32> {
        let first = self.next;
        self.next = first.checked_add(count)?;
        self.requests.push(request);
        Some(first)
    }
}

impl Numbers for LocalNumbers<'_> {
    fn site(&mut self, key: SiteKey) -> Option<u32> {
        if let Some(known) = self.sites.get(&key) {
            return Some(*known);
        }
        let number = self.add(Request::Site(key), 1)?;
        self.sites.insert(key, number);
        Some(number)
    }

    fn levels(&mut self, key: SiteKey, count: u8) -> Option<u32> {
        if let Some(known) = self.sites.get(&key) {
            return Some(*known);
        }
        let first = self.add(Request::Levels(key, count), count.into())?;
        for (level, number) in (0..count).zip(first..) {
            self.sites.insert(SiteKey { level, ..key }, number);
        }
        Some(first)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        self.add(Request::Counters(count), count)
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        if let Some(known) = self.call_sites.get(&key) {
            return Some(*known);
        }
        let number = self.add(Request::CallSite(key), 1)?;
        self.call_sites.insert(key, number);
        Some(number)
    }

    fn field(&mut self, field: &MemberRef<'_>) -> Option<u32> {
        self.real.field(field)
    }

    fn method(&mut self, method: u16) -> Option<u32> {
        self.real.method(method)
    }

    fn are_of_later_run(&self) -> bool {
        self.real.are_of_later_run()
    }
}

/// The real numbers, by local number.
pub(crate) struct RealNumbers(Vec<u32>);

impl RealNumbers {
    /// # Errors
    /// If there are no more numbers of a kind.
    pub(crate) fn of(requests: &[Request], numbers: &mut dyn Numbers) -> Result<Self, Reason> {
        let counters = requests.iter().map(|request| match request {
            Request::Counters(count) => *count,
            _ => 0,
        });
        let counters = counters.fold(0, u32::saturating_add);
        let mut counter = match counters {
            0 => 0,
            count => numbers.counters(count).ok_or(Reason::CountersExhausted)?,
        };
        let mut real = Vec::with_capacity(requests.len());
        for request in requests {
            let (first, count) = match *request {
                Request::Site(key) => (numbers.site(key), 1),
                Request::Levels(key, count) => (numbers.levels(key, count), count.into()),
                Request::CallSite(key) => (numbers.call_site(key), 1),
                Request::Counters(count) => {
                    counter += count;
                    (Some(counter - count), count)
                }
            };
            let first = first.ok_or(Reason::SitesExhausted)?;
            real.extend((first..).take(count as usize));
        }
        Ok(Self(real))
    }

    /// # Errors
    /// If the template, which may come from a file, has no such number.
    pub(crate) fn get(&self, local: u32) -> Result<u32, Reason> {
        let real = self.0.get(local as usize);
        real.copied().ok_or(Reason::BadTemplate)
    }

    /// Replaces a local number.
    pub(crate) fn put(&self, number: &mut u32) -> Result<(), Reason> {
        *number = self.get(*number)?;
        Ok(())
    }
}
