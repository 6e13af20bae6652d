//! A traced run before the trials: it names candidates and their costs.

use std::path::PathBuf;

use anyhow::{Context, Result};
use ducktrack_analyses::JudgedSpan;
use ducktrack_findings::{LeakAnswers, leak_question};

use super::trial::Program;
use crate::dump_loading::{DumpTrace, PartialDump};

/// Its files.
pub(super) struct FirstRun {
    pub(super) trace: PathBuf,
    dump: PathBuf,
}

impl FirstRun {
    /// Runs the program.
    pub(super) fn new(program: &Program) -> Result<Self> {
        eprintln!("ducktrack: a first run, traced");
        let trace = program.traced()?;
        let dump = trace.join("heap.hprof");
        Ok(Self { trace, dump })
    }

    /// The names of trace and dump.
    pub(super) fn names(&self) -> (String, String) {
        (
            self.trace.display().to_string(),
            self.dump.display().to_string(),
        )
    }

    /// Trace and dump, with what leaks are found by.
    pub(super) fn load(&self) -> Result<DumpTrace<LeakAnswers>> {
        let question = leak_question(&JudgedSpan::default());
        DumpTrace::load(&self.trace, &self.dump, PartialDump::default(), question).context(
            "the first run cannot be read; name the pair with --pair SOURCE->TARGET, without --predict",
        )
    }
}
