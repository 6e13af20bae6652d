//! How the allocations of one method are counted, so that a person can check it.
//!
//! An allocation is *measured* where it stands (its length, its box, its class, its caller), or
//! counted by a counter; many have both. Counters stand at sites or on paths. Paths are used where
//! they are expected to save increments and nothing speaks against them: [`WhyPerSite`] says what did.

use std::fmt;

use ducktrack_classfile::CodeOffset;
use ducktrack_code_edit::Place;

/// The counters of one version of a method and where they stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodCounting {
    /// Index of the method in the class file.
    pub method: u16,
    /// Why no path has a counter. `None`: paths have counters, except for the allocations in `beside_paths`.
    pub per_site: Option<WhyPerSite>,
    /// Allocations with a counter of their own in a method whose paths have counters.
    pub beside_paths: Vec<(CodeOffset, WhyPerSite)>,
    /// Counters on the normal (not exceptional) paths: number and place.
    pub probes: Vec<(u32, Place)>,
    /// The stubs that settle paths when an exception leaves them.
    pub stubs: Vec<Stub>,
}

impl MethodCounting {
    /// The numbers of its counters.
    pub(crate) fn counter_numbers(&mut self) -> impl Iterator<Item = &mut u32> {
        let probes = self.probes.iter_mut().map(|(counter, _)| counter);
        probes.chain(self.stubs.iter_mut().map(|stub| &mut stub.counter))
    }
}

/// Code that counts what is owed when an exception leaves a path in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Number of its counter.
    pub counter: u32,
    /// The handler it goes on to; `None`: it throws on.
    pub handler: Option<CodeOffset>,
    /// How many instructions and probes it protects.
    pub protects: usize,
}

/// Why allocations have a counter each, instead of one that they share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyPerSite {
    /// The option `counters=site`.
    Asked,
    /// The method runs once.
    ClassInitializer,
    /// The method opens or closes a context in the middle.
    SwitchesContexts,
    /// There is nothing to share.
    FewerThanTwo,
    /// More allocations than this.
    MoreThan(usize),
    /// The control flow has subroutines.
    Subroutines,
    /// A constructor branches before it has called another constructor: no handler may be added there.
    ConstructorBranches,
    /// The allocation stands before a constructor has called another constructor.
    ConstructorHead,
    /// Something would be owed before a constructor has called another constructor.
    ConstructorOwes,
    /// The block has more allocations than this: stubs would be longer than counters.
    CrowdedBlock(usize),
    /// Paths are expected to execute as many increments.
    NothingSaved,
    /// Not hot as far as is known, and so not planned: paths need stubs for exceptions and can save too little for them.
    LittleToSave {
        /// An upper bound, expected per entry.
        saved_at_most: f64,
        /// The least saving of paths.
        least: f64,
    },
    /// Exceptions can leave paths in the middle, and paths save less increments per entry than the stubs for them are worth.
    StubsCostMore {
        /// How many stubs there would be.
        stubs: usize,
        /// Expected.
        saved_per_entry: f64,
        /// The least saving of paths.
        least: f64,
    },
    /// More stubs than this.
    TooManyStubs {
        /// How many there would be.
        stubs: usize,
        /// How many there may be.
        most: usize,
    },
    /// A counter has no place in the code.
    NoPlace,
}

impl fmt::Display for WhyPerSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("asked for by counters=site"),
            Self::ClassInitializer => f.write_str("a class initializer runs once"),
            Self::SwitchesContexts => {
                f.write_str("the method opens or closes a context in the middle of its paths")
            }
            Self::FewerThanTwo => f.write_str("fewer than two allocations: nothing to share"),
            Self::MoreThan(most) => write!(f, "more than {most} allocations"),
            Self::Subroutines => f.write_str("the code uses subroutines (jsr)"),
            Self::ConstructorBranches => {
                f.write_str("the constructor branches before it calls another constructor")
            }
            Self::ConstructorHead => {
                f.write_str("before the constructor has called another constructor")
            }
            Self::ConstructorOwes => f.write_str(
                "something would be owed before the constructor has called another constructor",
            ),
            Self::CrowdedBlock(most) => {
                write!(f, "in a block with more than {most} allocations")
            }
            Self::NothingSaved => f.write_str("paths would execute as many increments"),
            Self::LittleToSave {
                saved_at_most,
                least,
            } => write!(
                f,
                "for exceptions, paths would need stubs, and they save at most {saved_at_most:.2} increments per call; \
                 stubs are worth it from {least:.2} on, or once the method is hot"
            ),
            Self::StubsCostMore {
                stubs,
                saved_per_entry,
                least,
            } => write!(
                f,
                "for exceptions, paths would need stubs ({stubs}), and they save {saved_per_entry:.2} increments per call; \
                 stubs are worth it from {least:.2} on"
            ),
            Self::TooManyStubs { stubs, most } => write!(
                f,
                "for exceptions, paths would need {stubs} stubs, more than {most}"
            ),
            Self::NoPlace => f.write_str("a counter on a path has no place in the code"),
        }
    }
}
