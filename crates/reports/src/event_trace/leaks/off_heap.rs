//! Memory outside of the heap that becomes more, beside the candidates.

use ducktrack_count_model::OffHeapKind;
use ducktrack_findings::{Findings, OffHeapFinding, OffHeapOwner, OffHeapUnknown, OffHeapVerdict};
use ducktrack_holders::{NamedField, NamedRoot};
use ducktrack_leaks::{NotKnown, Verdict};
use serde::{Deserialize, Serialize};

use super::interval::{IntervalDoc, interval};
use super::names::field_name;
use super::words::{MemoryOwnerDoc, MemoryUnknownDoc, UnknownDoc, VerdictDoc, unknown};
use crate::amount_doc::{AmountDoc, amount};
use crate::event_trace::amounts::ratio;
use crate::event_trace::holder_docs::root_doc;
use crate::off_heap::{OffHeapFrameDoc, frame_doc};

/// Memory of a kind that one line makes, and that becomes more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OffHeapLeakDoc {
    /// `direct-buffer`, `segment`, `unsafe`, `mapped-file`, `thread-stack`, `inflater`, `deflater`.
    pub kind: String,
    /// `leaks`, `fills`, `not known`.
    pub verdict: VerdictDoc,
    /// Why it is not known; else null.
    pub reason: Option<OffHeapUnknownDoc>,
    /// It leaks, and enough to double within the horizon what is alive in the heap and outside of it.
    pub alarm: bool,
    /// The class of the topmost frame that is not the JDK's; null: not known.
    pub class: Option<String>,
    /// Its method.
    pub method: Option<String>,
    /// Its line.
    pub line: Option<u16>,
    /// The place as one text.
    pub made: String,
    /// Made and not released.
    pub live: AmountDoc,
    /// Made while it was recorded.
    pub made_in_all: AmountDoc,
    /// Bytes kept per megabyte (2^20 bytes) that the program allocates in the heap; 0: not known.
    pub bytes_per_mb: IntervalDoc,
    /// Bytes more per second in which the program works.
    pub bytes_per_second: f64,
    /// The probability that the rate is above zero; null: not judged.
    pub sure: Option<f64>,
    /// What became of the objects that would release it: `held`, `dropped`, `not known`.
    pub owner: MemoryOwnerDoc,
    /// The field or root that holds them; null: without a dump, or without a path.
    pub held_by: Option<String>,
    /// Verdict and owner as one sentence.
    pub sentence: String,
    /// What a person would do next about it.
    pub to_do: String,
}

/// Why it is not known: of memory (`no object`, `shared`, `undated`), or of the objects that are made with it, as of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum OffHeapUnknownDoc {
    /// Of memory.
    Memory(MemoryUnknownDoc),
    /// Of objects.
    Objects(UnknownDoc),
}

/// Those of a run.
pub(super) fn off_heap(findings: &Findings<'_>) -> Vec<OffHeapLeakDoc> {
    let all = findings.off_heap.iter();
    all.map(|finding| doc(finding, findings)).collect()
}

fn doc(finding: &OffHeapFinding, findings: &Findings<'_>) -> OffHeapLeakDoc {
    let maker = finding.maker.as_ref().map(frame_doc);
    OffHeapLeakDoc {
        kind: finding.kind.name().to_owned(),
        verdict: verdict(finding.verdict).into(),
        reason: reason(finding.verdict),
        alarm: finding.is_alarm,
        class: maker.as_ref().map(|maker| maker.class.clone()),
        method: maker.as_ref().map(|maker| maker.method.clone()),
        line: maker.as_ref().and_then(|maker| maker.line),
        made: made(finding),
        live: amount(finding.live),
        made_in_all: amount(finding.made),
        bytes_per_mb: interval(finding.rate),
        bytes_per_second: ratio(finding.bytes_per_second(&findings.forecast)),
        sure: finding.judged.map(|judged| ratio(judged.sure)),
        owner: match finding.owner {
            OffHeapOwner::Held(_) => MemoryOwnerDoc::Held,
            OffHeapOwner::Dropped => MemoryOwnerDoc::Dropped,
            OffHeapOwner::NotKnown => MemoryOwnerDoc::NotKnown,
        },
        held_by: held_by(finding),
        sentence: sentence(finding),
        to_do: to_do(finding),
    }
}

/// The line as one text.
pub(super) fn made(finding: &OffHeapFinding) -> String {
    let maker = finding.maker.as_ref().map(frame_doc);
    let place = maker.as_ref().map(OffHeapFrameDoc::place);
    place.unwrap_or_else(|| "(not known)".to_owned())
}

fn verdict(verdict: OffHeapVerdict) -> Verdict {
    match verdict {
        OffHeapVerdict::Leaks => Verdict::Leaks,
        OffHeapVerdict::Fills => Verdict::Fills,
        OffHeapVerdict::NotKnown(OffHeapUnknown::Objects(why)) => Verdict::NotKnown(why),
        OffHeapVerdict::NotKnown(_) => Verdict::NotKnown(NotKnown::Unseen),
    }
}

fn reason(verdict: OffHeapVerdict) -> Option<OffHeapUnknownDoc> {
    let OffHeapVerdict::NotKnown(why) = verdict else {
        return None;
    };
    Some(match why {
        OffHeapUnknown::NoObject => OffHeapUnknownDoc::Memory(MemoryUnknownDoc::NoObject),
        OffHeapUnknown::Shared => OffHeapUnknownDoc::Memory(MemoryUnknownDoc::Shared),
        OffHeapUnknown::Undated => OffHeapUnknownDoc::Memory(MemoryUnknownDoc::Undated),
        OffHeapUnknown::Objects(why) => OffHeapUnknownDoc::Objects(unknown(why)),
    })
}

fn field(finding: &OffHeapFinding) -> Option<&NamedField> {
    match &finding.owner {
        OffHeapOwner::Held(Some(held)) => held.field.as_ref(),
        OffHeapOwner::Held(None) | OffHeapOwner::Dropped | OffHeapOwner::NotKnown => None,
    }
}

fn held_by(finding: &OffHeapFinding) -> Option<String> {
    let OffHeapOwner::Held(Some(held)) = &finding.owner else {
        return None;
    };
    let root = |root: &NamedRoot| root_doc(root).name;
    let field = field(finding).map(field_name);
    Some(field.unwrap_or_else(|| root(&held.path.root)))
}

/// The objects that release memory of a kind.
fn owners(kind: OffHeapKind) -> &'static str {
    match kind {
        OffHeapKind::Direct | OffHeapKind::Mapped => "its buffers",
        OffHeapKind::Segment => "the arenas of its segments",
        OffHeapKind::Unsafe => "what owns it",
        OffHeapKind::Thread => "its threads",
        OffHeapKind::Inflater => "its inflaters",
        OffHeapKind::Deflater => "its deflaters",
    }
}

fn sentence(finding: &OffHeapFinding) -> String {
    let owners = owners(finding.kind);
    if let OffHeapVerdict::NotKnown(why) = finding.verdict {
        return format!("whether it leaks is not known, because {}", because(why));
    }
    let becomes = match finding.verdict {
        OffHeapVerdict::Fills => "becomes more, ever more slowly: a bound may come",
        _ if finding.is_alarm => "leaks",
        _ => "becomes more, too slowly for an alarm after this run",
    };
    match (&finding.owner, held_by(finding)) {
        (OffHeapOwner::Held(_), _) if finding.kind == OffHeapKind::Thread => {
            format!("{becomes}; its threads have not ended")
        }
        (OffHeapOwner::Held(_), Some(held)) => format!("{becomes}; {owners} are held by {held}"),
        (OffHeapOwner::Held(_), None) => {
            format!("{becomes}; {owners} are held: a heap dump shows by what")
        }
        (OffHeapOwner::Dropped, _) => {
            format!("{becomes}; {owners} were dropped without close, and no collection releases it")
        }
        (OffHeapOwner::NotKnown, _) => becomes.to_owned(),
    }
}

fn because(why: OffHeapUnknown) -> &'static str {
    match why {
        OffHeapUnknown::NoObject => {
            "the recording follows no Java object that is made with it, and counts have no times"
        }
        OffHeapUnknown::Shared => {
            "the objects that own it have no caller in the recording, and other lines make such memory"
        }
        OffHeapUnknown::Undated => {
            "its owners were dropped without close, some of the memory was released, and the recording does not have when"
        }
        OffHeapUnknown::Objects(why) => match why {
            NotKnown::Unseen => "no collection has looked at the old space, where its owners are",
            NotKnown::FewLooks => "too few collections have looked at its owners",
            NotKnown::OldestGone => {
                "its oldest owners are gone, and no collection shows at what age"
            }
            NotKnown::DeathsUndated => {
                "as many of its owners have died as are kept, and no collection tells when"
            }
            NotKnown::Late => "its owners began to be kept late in the run",
            NotKnown::WeakTable => "its owners are entries of a table with weak keys",
            NotKnown::Starting => "the program was still starting",
            NotKnown::FewCollections => "there were too few collections",
        },
    }
}

fn to_do(finding: &OffHeapFinding) -> String {
    let place = made(finding);
    if let OffHeapVerdict::NotKnown(_) = finding.verdict {
        return match finding.owner {
            OffHeapOwner::Dropped => format!("close the arena from which {place} allocates"),
            OffHeapOwner::Held(_) | OffHeapOwner::NotKnown => {
                "compare two moments of the program: ducktrack top --by off-heap shows whether it goes on".to_owned()
            }
        };
    }
    let field = field(finding).map(field_name);
    let from = field.map_or_else(String::new, |field| format!(" from {field}"));
    match (finding.kind, &finding.owner) {
        (OffHeapKind::Segment, _) => format!(
            "close the arena from which {place} allocates when its segments are no longer needed (try with resources)"
        ),
        (OffHeapKind::Thread, _) => {
            format!("let the threads end that {place} starts, or start them in a pool with a bound")
        }
        (OffHeapKind::Inflater | OffHeapKind::Deflater, _) => {
            format!("call end() and remove it{from} when it is no longer needed")
        }
        (OffHeapKind::Direct | OffHeapKind::Mapped | OffHeapKind::Unsafe, _) => format!(
            "remove{from} the buffers that are no longer needed, or use a pool with a bound: a collection releases their memory once nothing holds them"
        ),
    }
}
