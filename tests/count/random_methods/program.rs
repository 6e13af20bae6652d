//! The generated classes as a program that can be run.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use ducktrack_tests::compiled;
use tempfile::TempDir;

use crate::group;
use crate::ledger::Ledger;

/// How much is generated and called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) groups: usize,
    /// Methods of each group.
    pub(crate) methods: usize,
    /// All methods are called in turn, so often.
    pub(crate) rounds: usize,
    /// Calls of each method per round.
    pub(crate) calls: usize,
}

/// How often methods call themselves, at most, in a call from outside.
const DEPTH: usize = 4000;

/// How methods are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Fast,
    /// A round takes this many milliseconds at least.
    Paced(usize),
    /// They call themselves until the stack ends, right from the start or after a while.
    Deep {
        cold: bool,
    },
}

/// Class files in a folder.
pub(crate) struct Program {
    folder: TempDir,
    pub(crate) ledger: Ledger,
    extent: Extent,
}

impl Program {
    /// Generates and compiles.
    pub(crate) fn generate(seed: u64, extent: Extent) -> Result<Self> {
        let folder = compiled(&["RandomMethods"], 11);
        let mut ledger = Ledger::default();
        let mut list = String::new();
        for number in 0..extent.groups {
            let classes = group::generate(number, extent.methods, seed, &mut ledger)?;
            let first = classes.first().context("a group is a class")?;
            list += &format!("{} {}\n", first.name, extent.methods);
            for class in classes {
                std::fs::write(
                    folder.path().join(format!("{}.class", class.name)),
                    class.bytes,
                )?;
            }
        }
        std::fs::write(folder.path().join("groups"), list)?;
        ensure!(!ledger.sites.is_empty(), "nothing was generated");
        Ok(Self {
            folder,
            ledger,
            extent,
        })
    }

    /// The words after the options of the VM.
    pub(crate) fn command_line(&self, manner: Manner) -> Vec<String> {
        let folder = self.folder.path().display();
        let words = [
            "-cp",
            &folder.to_string(),
            "RandomMethods",
            &format!("{folder}/groups"),
        ]
        .map(str::to_owned);
        let Extent { rounds, calls, .. } = self.extent;
        let (rounds, calls, pace, depth, warm) = match manner {
            Manner::Fast => (rounds, calls, 0, 0, 0),
            Manner::Paced(pace) => (rounds, calls, pace, 0, 0),
            Manner::Deep { cold: true } => (1, 4, 0, DEPTH, 1),
            Manner::Deep { cold: false } => (1, 4, 0, DEPTH, calls),
        };
        let numbers = [self.ledger.cells(), rounds, calls, pace, depth, warm]
            .map(|number| number.to_string());
        words.into_iter().chain(numbers).collect()
    }

    /// Keeps the classes for a look at them.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
