//! The judged part of a run.

use ducktrack_count_model::CountModel;

/// A moment that a part of a run begins or ends at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanBound {
    /// Microseconds since the start of the run.
    After(u64),
    /// When this name was marked (the first time).
    Mark(String),
}

/// From where to where a run is judged. The default is all of it, up to the start of its shutdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedSpan {
    /// From here on.
    pub from: Option<SpanBound>,
    /// Up to here.
    pub until: Option<SpanBound>,
}

impl JudgedSpan {
    /// Both ends, microseconds since 1970. A mark that the run does not have is none.
    pub fn micros(&self, count: &CountModel) -> (u64, u64) {
        let start = count.run.start_unix_millis.saturating_mul(1_000);
        let moment = |bound: &SpanBound| match bound {
            SpanBound::After(micros) => Some(start.saturating_add(*micros)),
            SpanBound::Mark(name) => {
                let marks = count.marks();
                let of_name = marks.iter().find(|(known, _)| known == name);
                of_name.map(|(_, micros)| *micros)
            }
        };
        let from = self.from.as_ref().and_then(moment);
        let until = self.until.as_ref().and_then(moment);
        (
            from.unwrap_or(0),
            until.or(count.shutdown_micros).unwrap_or(u64::MAX),
        )
    }
}
