//! Where the VM is between two pauses and inside of one.

/// What happened without an event of the VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnannouncedStep {
    Began,
    Ended,
}

/// The phases of a pause. All changes are here.
///
/// ```text
///               start
///   Between ─────────────────────────► Announced ────┐
///    │   ▲                                           │
///    │   │ look: no pause after all                  │ finish: Between
///    ▼   │                                           │
///   Beginning ───────────────────────► Unannounced ──┘
///               start
/// ```
///
/// A start inside of a pause means that the end of that pause was missed: the phase is `Announced` then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum PausePhase {
    /// The program runs.
    #[default]
    Between,
    /// The VM has begun a pause without an event, and the agent has been told to start one.
    Beginning,
    /// Between the VM's own events.
    Announced,
    /// In a pause without events.
    Unannounced,
}

impl PausePhase {
    pub(super) fn start(&mut self) {
        *self = match self {
            Self::Beginning => Self::Unannounced,
            Self::Between | Self::Announced | Self::Unannounced => Self::Announced,
        };
    }

    /// `is_pausing`: whether the VM is in a pause that it has not announced. Tells what the caller must do now.
    pub(super) fn look_between(&mut self, is_pausing: bool) -> Option<UnannouncedStep> {
        *self = if is_pausing {
            Self::Beginning
        } else {
            Self::Between
        };
        is_pausing.then_some(UnannouncedStep::Began)
    }

    pub(super) fn finish(&mut self) {
        *self = Self::Between;
    }

    pub(super) fn is_inside(self) -> bool {
        matches!(self, Self::Announced | Self::Unannounced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_without_events_is_told_once_it_is_seen() {
        let mut phase = PausePhase::default();
        assert_eq!(phase.look_between(false), None);
        assert_eq!(phase.look_between(true), Some(UnannouncedStep::Began));
        assert!(!phase.is_inside());
        phase.start();
        assert_eq!(phase, PausePhase::Unannounced);
        phase.finish();
        assert_eq!(phase, PausePhase::Between);
    }

    #[test]
    fn a_start_after_a_missed_end_is_announced() {
        let mut phase = PausePhase::Unannounced;
        phase.start();
        assert_eq!(phase, PausePhase::Announced);
    }

    #[test]
    fn a_pause_that_was_none_is_forgotten() {
        let mut phase = PausePhase::Beginning;
        assert_eq!(phase.look_between(false), None);
        phase.start();
        assert_eq!(phase, PausePhase::Announced);
    }
}
