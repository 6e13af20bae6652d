//! The references whose removal frees what holds the objects of a finding.

use ducktrack_holders::{DumpError, Holdings, RemovablePair};

use crate::finding::Finding;
use crate::findings::Findings;
use crate::held::Holders;
use crate::softly_held::SoftlyHeld;

/// A finding, and the references that a trial of `impact` would set to null.
#[derive(Clone, Debug)]
pub struct Removal<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// From objects of one type to those of another. `None`: no reference on the way may be removed.
    pub pair: Option<RemovablePair>,
}

impl Findings<'_> {
    /// What a trial may remove of the first `most` findings. `unused_for`: collections without a use after which it removes.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the names of fields.
    pub fn removals(
        &self,
        holdings: &Holdings,
        most: usize,
        unused_for: u32,
    ) -> Result<Vec<Removal<'_>>, DumpError> {
        let soft = SoftlyHeld::of(holdings, self.evidence.survivors);
        let holders = Holders {
            model: self.evidence.model,
            holdings,
            soft: &soft,
            rows: &self.rows,
        };
        let mut all = Vec::new();
        for finding in self.findings.iter().take(most) {
            // The path to a finding is that of its first row with one; its objects are those of that row.
            let path = match finding.held_by() {
                Some(held) => Some(held.path.clone()),
                None => {
                    let driver = finding.rows.first().and_then(|row| self.rows.get(*row));
                    driver
                        .map(|row| holders.path_to((row.row, row.part)))
                        .transpose()?
                        .flatten()
                }
            };
            all.push(Removal {
                finding,
                pair: path.and_then(|path| holdings.removable_pair(&path, unused_for)),
            });
        }
        Ok(all)
    }
}
