//! The findings of a recording, with the heap dump in its folder if there is one: the same for all who ask.

use std::path::Path;

use anyhow::{Error, Result};
use ducktrack_analyses::{JudgedSpan, Question};
use ducktrack_count_model::CountModel;
use ducktrack_findings::{Evidence, Findings, leak_question};
use ducktrack_holders::DumpError;

use crate::dump_loading::{DumpTrace, PartialDump};
use crate::run_dump::RunDump;
use crate::trace_report::load_events;

/// What is judged.
#[derive(Clone)]
pub(crate) struct LeakJudge {
    pub(crate) span: JudgedSpan,
    pub(crate) dump: RunDump,
    pub(crate) partial: PartialDump,
    /// The largest heap, in bytes, if it is not that of the run.
    pub(crate) max_heap: Option<u64>,
}

impl LeakJudge {
    /// Of the whole recording, with the newest dump in its folder.
    pub(crate) fn of(folder: &Path) -> Self {
        Self {
            span: JudgedSpan::default(),
            dump: RunDump::of(None, folder),
            partial: PartialDump::default(),
            max_heap: None,
        }
    }

    /// Reads trace and dump, and gives the findings to `tell`, with the answer to
    /// another question and the reason why a dump that nobody asked for cannot be read.
    pub(crate) fn judge<Q: Question, T>(
        &self,
        folder: &Path,
        question: Q,
        check: impl FnOnce(&CountModel) -> Result<()>,
        tell: impl FnOnce(&Findings<'_>, &Q::Answer, Option<Error>) -> Result<T, DumpError>,
    ) -> Result<T> {
        let question = (question, leak_question(&self.span));
        let Some(dump) = self.dump.path() else {
            let (model, (other, answers)) = load_events(folder, question)?;
            check(&model.count)?;
            let evidence = Evidence {
                max_heap: self.max_heap,
                ..Evidence::of_trace(&model, &answers)
            };
            return Ok(tell(&Findings::of(evidence)?, &other, None)?);
        };
        let mut trace = DumpTrace::load(folder, dump, self.partial, question)?;
        check(&trace.model.count)?;
        let (holdings, why) = match (trace.holdings(), &self.dump) {
            (Ok(holdings), _) => (Some(holdings), None),
            // It was not asked for, and the trace has an answer without it.
            (Err(why), RunDump::Found(_)) => (None, Some(why)),
            (Err(why), _) => return Err(why),
        };
        let (other, answers) = &trace.answer;
        let evidence = Evidence {
            max_heap: self.max_heap,
            holdings: holdings.as_ref(),
            ..Evidence::of_trace(&trace.model, answers)
        };
        let told = Findings::of(evidence).and_then(|findings| tell(&findings, other, why));
        told.map_err(|error| trace.fault(error))
    }
}
