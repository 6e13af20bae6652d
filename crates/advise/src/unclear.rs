//! Sampled sites have objects whose stacks do not tell who asked for them.
//!
//! A site of the JDK may have one sample, of one of the JVM's own threads, and
//! 20,000 arrays of another size that the program asked for: no sample says so.

use std::collections::BTreeMap;

use ducktrack_count_model::{SiteIndex, Tally};
use ducktrack_profile::{Profile, ProfileRow, Unit};

/// The sampled strata, by their indices.
#[derive(Default)]
pub(crate) struct Unclear<'p> {
    strata: BTreeMap<usize, Sampled<'p>>,
}

struct Sampled<'p> {
    site: SiteIndex,
    /// The rows whose stacks have no line of the program.
    without_owner: Vec<&'p ProfileRow>,
}

impl<'p> Unclear<'p> {
    /// Notes a sampled row.
    pub(crate) fn add(&mut self, (site, row): (SiteIndex, &'p ProfileRow), is_without_owner: bool) {
        let stratum = self.strata.entry(row.stratum).or_insert(Sampled {
            site,
            without_owner: Vec::new(),
        });
        if is_without_owner {
            stratum.without_owner.push(row);
        }
    }

    /// The most objects and bytes of each site that any line may have asked for: those of sizes without a sample
    /// or, if that is more, by how much the rows without a line of the program may be less than they seem.
    pub(crate) fn amounts(self, profile: &Profile) -> Vec<(SiteIndex, Tally)> {
        let amount = |(index, stratum): (usize, Sampled<'_>)| {
            let unseen = profile.strata.get(index)?.unseen();
            let rows = stratum.without_owner;
            let seems: Tally = rows.iter().map(|row| row.tally).sum();
            let least = |unit| profile.interval(rows.iter().copied(), unit).low.floor() as i64;
            let most = Tally {
                count: unseen.count.max(seems.count - least(Unit::Objects)),
                bytes: unseen.bytes.max(seems.bytes - least(Unit::Bytes)),
            };
            (most.count > 0).then_some((stratum.site, most))
        };
        self.strata.into_iter().filter_map(amount).collect()
    }
}
