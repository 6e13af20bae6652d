//! One row per candidate and per line that makes memory outside of the heap; with `--sites` one per line of source.

use super::document::{CandidateDoc, LeaksReport, SiteVerdictDoc};
use super::off_heap::OffHeapLeakDoc;
use crate::table::{Table, Unit};

#[derive(Clone, Copy)]
pub(super) enum Line<'a> {
    Candidate(&'a CandidateDoc),
    /// Its kind is the target.
    OffHeap(&'a OffHeapLeakDoc),
}

impl<'a> Line<'a> {
    fn candidate(self) -> Option<&'a CandidateDoc> {
        match self {
            Line::Candidate(row) => Some(row),
            Line::OffHeap(_) => None,
        }
    }

    fn of<V>(
        self,
        candidate: fn(&'a CandidateDoc) -> V,
        off_heap: fn(&'a OffHeapLeakDoc) -> V,
    ) -> V {
        match self {
            Line::Candidate(row) => candidate(row),
            Line::OffHeap(row) => off_heap(row),
        }
    }
}

pub(super) fn csv(report: &LeaksReport) -> String {
    match report.sites.is_empty() {
        true => {
            let off_heap = report.off_heap.iter().map(Line::OffHeap);
            let candidates = report.candidates.iter().map(Line::Candidate);
            candidates_table().csv(candidates.chain(off_heap))
        }
        false => sites_table().csv(&report.sites),
    }
}

#[rustfmt::skip]
pub(super) fn candidates_table<'a>() -> Table<'a, Line<'a>> {
    Table::<Line<'a>>::new()
        .column("verdict", "verdict", Unit::Text, |row| row.of(|one| one.verdict, |one| one.verdict).name())
        .in_csv("alarm", |row| row.of(|one| one.alarm, |one| one.alarm))
        .in_csv("target", |row| row.of(|one| &one.target, |one| &one.kind).clone())
        .in_csv("class", |row| row.of(|one| &one.class, |one| &one.class).clone())
        .in_csv("method", |row| row.of(|one| &one.method, |one| &one.method).clone())
        .in_csv("line", |row| row.of(|one| one.line, |one| one.line))
        .in_csv("caller", |row| row.candidate()?.caller.clone())
        .in_csv("loaders", |row| Some(row.candidate()?.loaders))
        .column("objects", "objects", Unit::Count, |row| row.of(|one| i128::from(one.objects), |one| i128::from(one.live.count)))
        .in_csv("bytes", |row| row.of(|one| one.bytes, |one| one.live.bytes))
        .column("kept_bytes", "kept", Unit::Bytes, |row| Some(row.candidate()?.kept_bytes))
        .in_csv("retained", |row| row.candidate()?.retained)
        .column("bytes_per_mb", "per MB", Unit::ShortBytes, |row| row.of(|one| one.bytes_per_mb, |one| one.bytes_per_mb).value)
        .in_csv("bytes_per_mb_low", |row| row.of(|one| one.bytes_per_mb, |one| one.bytes_per_mb).low)
        .in_csv("bytes_per_mb_high", |row| row.of(|one| one.bytes_per_mb, |one| one.bytes_per_mb).high)
        .in_csv("share_that_stays", |row| Some(row.candidate()?.share.value))
        .in_csv("sure", |row| row.of(|one| Some(one.sure), |one| one.sure))
        .in_csv("bends", |row| Some(row.candidate()?.bends))
        .in_csv("root", |row| row.of(|one| Some(&one.root.as_ref()?.name), |one| one.held_by.as_ref()).cloned())
        .in_text("target", Unit::Text, |row| row.of(|one| &one.target, |one| &one.kind).clone())
        .in_text("made at", Unit::Text, |row| row.candidate()?.made.clone())
}

#[rustfmt::skip]
pub(super) fn sites_table() -> Table<'static, SiteVerdictDoc> {
    Table::<SiteVerdictDoc>::new()
        .column("verdict", "verdict", Unit::Text, |row| row.verdict.name())
        .in_csv("type", |row| row.ty.clone())
        .in_csv("class", |row| row.class.clone())
        .in_csv("method", |row| row.method.clone())
        .in_csv("line", |row| row.line)
        .in_csv("caller", |row| row.caller.clone())
        .in_csv("loaders", |row| row.loaders)
        .column("objects", "live", Unit::Count, |row| row.objects)
        .in_csv("bytes", |row| row.bytes)
        .column("kept_bytes", "kept", Unit::Bytes, |row| row.kept_bytes)
        .column("bytes_per_mb", "per MB", Unit::ShortBytes, |row| row.bytes_per_mb.value)
        .column("bytes_per_mb_low", "at least", Unit::ShortBytes, |row| row.bytes_per_mb.low)
        .in_csv("bytes_per_mb_high", |row| row.bytes_per_mb.high)
        .column("share_that_stays", "stays", Unit::Share, |row| row.share.value)
        .column("sure", "sure", Unit::Share, |row| row.sure)
        .in_text("type", Unit::Text, |row| row.ty.clone())
        .in_text("made at", Unit::Text, |row| row.made.clone())
}
