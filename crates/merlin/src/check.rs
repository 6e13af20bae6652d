//! The validator: the history in a stream must be possible.

use rustc_hash::FxHashSet;

use crate::death::contradictions::Contradictions;
use crate::death::merlin::Merlin;
use crate::death::run_totals::RunTotals;
use crate::names::Names;
use crate::stream::block_reader::BlockRecords;
use crate::stream::record::{MethodId, Record, SiteId, Time, TypeId};

/// Findings that are kept with their place; the rest is counted.
const KEPT: usize = 50;

/// Something that cannot be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFinding {
    /// Where the block begins in the stream.
    pub block: u64,
    /// Records of the block before it.
    pub record: u64,
    /// The stream's time.
    pub time: Time,
    /// What.
    pub fault: String,
}

/// The findings of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckResult {
    /// Records read.
    pub records: u64,
    /// Blocks read.
    pub blocks: u64,
    /// The first findings.
    pub findings: Vec<CheckFinding>,
    /// All findings.
    pub faults: u64,
    /// Numbers of types, sites and methods that records use and no definition names. No fault: names are optional.
    pub unnamed: u64,
    /// The totals of the records that were read.
    pub totals: RunTotals,
    /// The names.
    pub names: Names,
}

/// Checks records in order.
#[derive(Debug, Default)]
pub struct Checker {
    merlin: Merlin,
    result: CheckResult,
    end_time: Time,
    uses: UsedNumbers,
}

#[derive(Debug, Default)]
struct UsedNumbers {
    types: FxHashSet<TypeId>,
    sites: FxHashSet<SiteId>,
    methods: FxHashSet<MethodId>,
}

impl Checker {
    /// Takes the next block.
    pub fn block(&mut self, block: &BlockRecords) {
        self.result.blocks += 1;
        if block.time != self.end_time {
            let fault = format!(
                "the block begins at time {}, the records before it end at {}: blocks are missing or doubled",
                block.time, self.end_time
            );
            self.found(block.at, 0, fault);
        }
        self.end_time = block.end_time;
        self.merlin.set_thread(block.thread);
        let mut fates = Vec::new();
        for (at, record) in block.records.iter().enumerate() {
            let before = self.merlin.contradictions();
            self.merlin.apply(record, &mut fates);
            fates.clear();
            let after = self.merlin.contradictions();
            if before != after {
                self.contradiction(block.at, at as u64, &before, &after, record);
            }
            self.note(record);
            self.result.records += 1;
        }
    }

    /// The end of the stream. `records` is the number in its end block.
    #[must_use]
    pub fn finish(mut self, records: Option<u64>) -> CheckResult {
        if let Some(records) = records
            && records != self.result.records
        {
            let read = self.result.records;
            let fault = format!("the end block counts {records} records, but {read} were read");
            self.found(0, 0, fault);
        }
        let names = &self.result.names;
        let types = self.uses.types.iter().filter(|ty| names.ty(**ty).is_none());
        let sites = self.uses.sites.iter();
        let sites = sites.filter(|site| names.site(**site).is_none());
        let methods = self.uses.methods.iter();
        let methods = methods.filter(|method| names.method(**method).is_none());
        self.result.unnamed = (types.count() + sites.count() + methods.count()) as u64;
        self.result.totals = self.merlin.finish(&mut Vec::new());
        self.result
    }

    fn note(&mut self, record: &Record) {
        match record {
            Record::Allocation(allocation) => {
                self.uses.types.insert(allocation.ty);
                self.uses.sites.insert(allocation.site);
            }
            Record::Entry { method, .. }
            | Record::Exit { method, .. }
            | Record::ExceptionalExit { method, .. } => {
                self.uses.methods.insert(*method);
            }
            Record::Definition(definition) => self.result.names.define(definition),
            _ => {}
        }
    }

    fn contradiction(
        &mut self,
        block: u64,
        record: u64,
        before: &Contradictions,
        after: &Contradictions,
        cause: &Record,
    ) {
        for ((what, before), (_, after)) in before.named().into_iter().zip(after.named()) {
            if after > before {
                self.result.faults += after - before - 1;
                self.found(block, record, format!("{what}: {cause:?}"));
            }
        }
    }

    fn found(&mut self, block: u64, record: u64, fault: String) {
        self.result.faults += 1;
        if self.result.findings.len() < KEPT {
            self.result.findings.push(CheckFinding {
                block,
                record,
                time: self.merlin.now().time,
                fault,
            });
        }
    }
}
