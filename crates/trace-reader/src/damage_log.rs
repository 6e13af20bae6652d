//! Collects findings about damage; a file full of damage must not fill the memory.

use ducktrack_trace_format::{BlockKind, Damage};

/// How many findings are kept individually.
const MOST: usize = 100;

/// The findings about one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct DamageLog {
    findings: Vec<Damage>,
    further: u64,
    unknown_blocks: Option<(u64, BlockKind, u64)>,
    unknown_records: Option<(u64, u64)>,
    bad_records: Option<(u64, u64)>,
}

impl DamageLog {
    pub(crate) fn add(&mut self, damage: Damage) {
        if self.findings.len() < MOST {
            self.findings.push(damage);
        } else {
            self.further += 1;
        }
    }

    /// Adds what was found later.
    pub(crate) fn absorb(&mut self, other: Self) {
        other
            .findings
            .into_iter()
            .for_each(|damage| self.add(damage));
        self.further += other.further;
        if let Some((count, at)) = other.bad_records {
            let known = self.bad_records.get_or_insert((0, at));
            *known = (known.0 + count, known.1.min(at));
        }
    }

    /// Number of findings that are about missing blocks.
    pub(crate) fn len(&self) -> u64 {
        self.findings.len() as u64 + self.further
    }

    pub(crate) fn unknown_block(&mut self, kind: BlockKind, at: u64) {
        self.unknown_blocks.get_or_insert((0, kind, at)).0 += 1;
    }

    pub(crate) fn unknown_record(&mut self, at: u64) {
        self.unknown_records.get_or_insert((0, at)).0 += 1;
    }

    pub(crate) fn bad_record(&mut self, at: u64) {
        self.bad_records.get_or_insert((0, at)).0 += 1;
    }

    /// All findings, in file order where they have one.
    pub(crate) fn findings(&self) -> Vec<Damage> {
        let mut all = self.findings.clone();
        all.extend(
            self.unknown_blocks
                .map(|(count, kind, at)| Damage::UnknownBlocks {
                    count,
                    first_kind: kind.0,
                    at,
                }),
        );
        all.extend(
            self.unknown_records
                .map(|(count, at)| Damage::UnknownRecords { count, at }),
        );
        all.extend(
            self.bad_records
                .map(|(count, at)| Damage::BadRecords { count, at }),
        );
        all.sort_by_key(Damage::at);
        all.extend((self.further > 0).then_some(Damage::Further {
            count: self.further,
        }));
        all
    }
}
