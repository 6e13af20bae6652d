//! What a verdict rests on.

use ducktrack_analyses::{
    JudgedSpan, Staleness, StalenessAt, Survivors, SurvivorsBuilder, TraceModel,
};
use ducktrack_heap_replay::Moment;
use ducktrack_holders::Holdings;
use ducktrack_leaks::Forecast;

/// The survivors of each piece of the run and, where uses were recorded, for how long live objects have not been used.
pub type LeakAnswers = (Survivors, Option<Staleness>);

/// The question whose answer is [`LeakAnswers`].
pub fn leak_question(span: &JudgedSpan) -> (SurvivorsBuilder, StalenessAt) {
    (
        SurvivorsBuilder::new(span.clone()),
        StalenessAt::new(Moment::End),
    )
}

/// A recording that has been read.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Names and counts.
    pub model: &'a TraceModel,
    /// Births and survivors.
    pub survivors: &'a Survivors,
    /// Last uses; `None`: not recorded.
    pub staleness: Option<&'a Staleness>,
    /// The heap dump; `None`: the trace alone, which knows no paths.
    pub holdings: Option<&'a Holdings>,
    /// The largest heap, in bytes, if it is not that of the run.
    pub max_heap: Option<u64>,
}

impl<'a> Evidence<'a> {
    /// The evidence of a trace alone.
    pub fn of_trace(model: &'a TraceModel, (survivors, staleness): &'a LeakAnswers) -> Self {
        Self {
            model,
            survivors,
            staleness: staleness.as_ref(),
            holdings: None,
            max_heap: None,
        }
    }

    /// The largest heap, in bytes; `None`: not known.
    pub fn most_bytes(&self) -> Option<u64> {
        let limits = self.model.count.heap_limits;
        self.max_heap.or(limits.map(|limits| limits.max_bytes))
    }

    pub(crate) fn forecast(&self) -> Forecast {
        let most = self.most_bytes().unwrap_or(0);
        Forecast::of(&self.survivors.clock, self.survivors.live.bytes, most)
    }
}
