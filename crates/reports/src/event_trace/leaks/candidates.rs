//! Findings as rows of the document.

use ducktrack_findings::{Companion, Finding, Findings, HeldBy, Holder, Outside, Uses};
use ducktrack_leaks::Amount;

use super::document::{CandidateDoc, CohortDoc, FollowerDoc, LeakWindowDoc};
use super::interval::interval;
use super::names::Names;
use super::to_do::to_do;
use super::words::reason;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::heap::since_start;
use crate::event_trace::holder_docs::{HolderDocs, HolderPathDoc};
use crate::event_trace::path_fold::standing_out;

/// A path ends in something that no dump has.
const OUTSIDE: &str = "something that a heap dump does not have: a ClassValue (an instance field of java.lang.Class), a frame of an unmounted virtual thread \
    (before JDK 22), or native memory";
const NOT_THERE: &str =
    "the dump has none of them: they had died when it was written, or came later";
const DEAD: &str = "nothing: those of them that the dump has are dead in it (the JVM made no collection for it), so it does not show who held them";

/// Makes rows of one run.
pub(super) struct CandidateDocs<'a> {
    pub(super) names: Names<'a>,
    pub(super) docs: Option<&'a HolderDocs<'a>>,
    pub(super) findings: &'a Findings<'a>,
    pub(super) windows: &'a [LeakWindowDoc],
}

impl CandidateDocs<'_> {
    pub(super) fn all(&self) -> Vec<CandidateDoc> {
        let findings = self.findings.findings.iter();
        findings.map(|finding| self.candidate(finding)).collect()
    }

    fn candidate(&self, finding: &Finding) -> CandidateDoc {
        let (names, forecast, judged) = (self.names, &self.findings.forecast, &finding.judged);
        let at = names.location(&finding.maker);
        let held = finding.held_by();
        let path = held
            .zip(self.docs)
            .map(|(held, docs)| docs.path(&held.path));
        let uses = finding.uses.as_ref();
        let holder_made = finding.holder_made.as_ref();
        let added_by = finding.added_by.as_ref();
        CandidateDoc {
            verdict: finding.verdict.into(),
            reason: reason(finding.verdict),
            slows: finding.slows(),
            alarm: finding.alarm.is_some(),
            alarm_by: finding.alarm.map(Into::into),
            matters: finding.matters,
            source: path.as_ref().and_then(source),
            target: names.target(&finding.maker),
            made: at.as_ref().map(ToString::to_string),
            line: at.as_ref().and_then(|at| at.line),
            method: at.as_ref().map(|at| at.method.clone()),
            class: at.map(|at| at.class),
            caller: names.caller(&finding.maker).map(ToString::to_string),
            holder_made: holder_made.and_then(|made| names.holder_made(made)),
            loaders: finding.maker.loaders,
            objects: signed(judged.live.objects),
            bytes: signed(judged.live.bytes),
            kept_bytes: signed(finding.kept.bytes),
            // The dump may have fewer of them than the trace; what objects retain is never less than they are.
            retained: held.map(|held| signed(held.path.held.retained.max(judged.live.bytes))),
            share: interval(judged.share),
            objects_per_mb: interval(judged.objects_per_mb),
            bytes_per_mb: interval(finding.rate),
            bytes_per_second: ratio(finding.bytes_per_second(forecast)),
            seconds_until_full: finding.seconds_until_full(forecast).map(ratio),
            seconds_until_doubled: finding.seconds_until_doubled(forecast).map(ratio),
            sure: ratio(judged.sure),
            bends: ratio(judged.bends),
            judged_by: judged.measure.into(),
            cohorts: judged.cohorts.0 as u32,
            of_cohorts: judged.cohorts.1 as u32,
            since_micros: self.since_start(finding.since),
            level: judged.level.map(ratio),
            level_of_all: finding.level(),
            in_use: finding.is_in_use(),
            released: judged.released,
            softly: finding.is_soft(),
            stays: finding.stays.iter().map(cohort).collect(),
            curve: finding.curve.clone(),
            in_windows: self.in_windows(&finding.curve),
            with: finding
                .with
                .iter()
                .map(|with| self.follower(with))
                .collect(),
            staleness: uses.map_or_else(Vec::new, |uses| uses.last.levels.clone()),
            unused_for: uses.and_then(|uses| uses.unused_for),
            unused_since_micros: uses.and_then(|uses| self.unused_since(uses)),
            shown: path
                .as_ref()
                .map_or_else(Vec::new, |path| self.shown(finding, path)),
            added_by: added_by.and_then(|added| names.added_by(added)),
            held_outside: held_outside(&finding.holder).map(str::to_owned),
            structure: path.as_ref().and_then(|path| path.structure.clone()),
            root: path.as_ref().map(|path| path.root.clone()),
            path: path.map_or_else(Vec::new, |path| path.steps),
            to_do: to_do(names, &finding.advice),
        }
    }

    fn since_start(&self, unix_micros: u64) -> u64 {
        since_start(self.names.model, unix_micros).unwrap_or(0)
    }

    fn unused_since(&self, uses: &Uses) -> Option<u64> {
        since_start(self.names.model, uses.unused_since?)
    }

    fn follower(&self, with: &Companion) -> FollowerDoc {
        FollowerDoc {
            target: self.names.target(&with.maker),
            made: self.names.made(&with.maker),
            each: with.each,
            kept_bytes: signed(with.kept_bytes),
        }
    }

    /// The steps that stand out; those of the project that makes the objects come first.
    fn shown(&self, finding: &Finding, path: &HolderPathDoc) -> Vec<usize> {
        let class = self.names.location(&finding.maker).map(|at| at.class);
        let caller = self.names.caller(&finding.maker);
        let caller = caller.map(|caller| caller.location.class.clone());
        let near = [class, Some(self.names.target(&finding.maker)), caller];
        let near: Vec<&str> = near.iter().flatten().map(String::as_str).collect();
        standing_out(path, &near)
    }

    /// Bytes kept of what was made in each window, to a cell of the clock.
    fn in_windows(&self, curve: &[u64]) -> Vec<u64> {
        let cell_ends = &self.findings.evidence.survivors.cell_ends;
        let at = |micros: u64| {
            let ended = cell_ends.iter();
            let ended = ended.filter(|end| self.since_start(**end) <= micros);
            let before = ended.count().checked_sub(1);
            let kept = before.and_then(|cell| curve.get(cell));
            kept.copied().unwrap_or(0)
        };
        let windows = self.windows.iter();
        windows
            .map(|window| at(window.until_micros).saturating_sub(at(window.from_micros)))
            .collect()
    }
}

/// The type that refers to the last step.
fn source(path: &HolderPathDoc) -> Option<String> {
    let before = path.steps.len().checked_sub(2)?;
    path.steps.get(before).map(|step| step.ty.clone())
}

fn held_outside(holder: &Holder) -> Option<&'static str> {
    match holder {
        Holder::NotAsked => None,
        Holder::Outside(Outside::NotThere) => Some(NOT_THERE),
        Holder::Outside(Outside::Dead) => Some(DEAD),
        Holder::Path(held) => (!HeldBy::is_in_dump(held)).then_some(OUTSIDE),
    }
}

fn cohort((kept, born): &(Amount, Amount)) -> CohortDoc {
    CohortDoc {
        born: born.objects.max(kept.objects),
        kept: kept.objects,
    }
}
