//! The entries that a rewritten class adds to the dictionary of the trace.

use ducktrack_classfile::{CodeOffset, MemberRef};

use crate::allocation_kind::ElementSize;
use crate::site_facts::{BytecodeFacts, CalledMethodName};
use ducktrack_probe_vocabulary::{AllocationKind, Unit};
use serde::{Deserialize, Serialize};

/// Hands out the numbers that end up in code and trace. The same site gets the same number in every version of its method.
pub trait Numbers {
    /// The number of a site, from 1 on; `None` when there are no more.
    fn site(&mut self, key: SiteKey) -> Option<u32>;
    /// The first of `count` sites with consecutive numbers: the levels of the site whose level 0 is `key`.
    fn levels(&mut self, key: SiteKey, count: u8) -> Option<u32>;
    /// The first of `count` new counters with consecutive numbers; `None` when there is no room in the counter block.
    fn counters(&mut self, count: u32) -> Option<u32>;
    /// The number of a call site of a tracked method, from 1 on.
    fn call_site(&mut self, key: SiteKey) -> Option<u32>;
    /// The number, from 1 on, of a field as code of this class names it; where it is in objects is found when the code runs.
    fn field(&mut self, field: &MemberRef<'_>) -> Option<u32>;
    /// A number for records of calls of a method, by its index in the class file.
    fn method(&mut self, method: u16) -> Option<u32>;
    /// Whether an earlier recording of this process has taken other numbers for its probes of the same classes.
    fn are_of_later_run(&self) -> bool {
        false
    }
}

/// A site within its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteKey {
    /// Index of the method in the class file.
    pub method: u16,
    /// The instruction.
    pub offset: CodeOffset,
    /// Level of a many-dimensional array, 0 outermost.
    pub level: u8,
}

/// An allocation site that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSite {
    /// Its number.
    pub id: u32,
    /// Where it is.
    pub key: SiteKey,
    /// Source line, where the class says.
    pub line: Option<u16>,
    /// The way of allocating.
    pub kind: AllocationKind,
    /// The allocated type, as a descriptor in modified UTF-8.
    pub ty: Option<Box<[u8]>>,
    /// The size of its objects.
    pub size: SizeRule,
    /// Facts that its bytecode has.
    pub facts: BytecodeFacts,
}

/// A call of a JDK method that makes objects, whose executions are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCall {
    /// Its number, among those of sites.
    pub id: u32,
    /// Where it is.
    pub key: SiteKey,
    /// Source line, where the class says.
    pub line: Option<u16>,
    /// The method called.
    pub target: CalledMethodName,
    /// Loops of the method around the call.
    pub loops: u8,
    /// The last argument is a constant of the code.
    pub has_constant_argument: bool,
}

/// How the bytes of a site's objects are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizeRule {
    /// Every object has the size of the site's class.
    OfClass,
    /// Every object is an array of this many elements.
    OfArray(ElementSize, u32),
    /// Every object holds the parameters of this descriptor as fields.
    OfCaptured(Box<[u8]>),
    /// Counters or keys add up the bytes.
    Summed,
}

/// A word of the counter block and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCounter {
    /// Its number.
    pub id: u32,
    /// Index of the method in the class file.
    pub method: u16,
    /// How the word grows.
    pub role: Role,
    /// The amounts to add to the accounts of sites, per unit.
    pub terms: Vec<Term>,
}

/// A call that leaves the application, and where its allocations are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCause {
    /// The number of the call site.
    pub call_site: u32,
    /// The first of four counters: objects and bytes inclusive, objects and bytes charged.
    pub first: u32,
}

/// The number of a method in records of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedMethod {
    /// Index in the class file.
    pub index: u16,
    /// In the records.
    pub number: u32,
}

/// The number of a static field in records of updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedField {
    /// In the records.
    pub number: u32,
    /// The class that the code names, in modified UTF-8.
    pub class: Box<[u8]>,
    /// Its name.
    pub name: Box<[u8]>,
    /// Its type.
    pub descriptor: Box<[u8]>,
}

/// How a counter's word grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// By one.
    Increment,
    /// By an amount.
    Amount,
}

/// One account that a counter adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The site's number.
    pub site: u32,
    /// How much per unit of the counter.
    pub factor: i32,
    /// Which account of the site.
    pub unit: Unit,
}

impl Term {
    /// One of a unit of a site.
    pub(crate) fn one(site: u32, unit: Unit) -> Self {
        Self {
            site,
            factor: 1,
            unit,
        }
    }
}

/// Class and name of a method, modified UTF-8.
pub type CallTarget = (Box<[u8]>, Box<[u8]>);

/// A call of a tracked method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCallSite {
    /// Its number.
    pub id: u32,
    /// Where it is.
    pub key: SiteKey,
    /// Source line, where the class says.
    pub line: Option<u16>,
    /// Class and name of the method called, modified UTF-8.
    pub target: CallTarget,
}
