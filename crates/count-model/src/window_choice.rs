//! A report of a part of a run: what was counted between marks.
//!
//! Values at the mark that ends a window, less those at the mark that begins it; all windows of one choice are added up.

use ducktrack_trace_format::ThreadId;

use crate::context_row::add_growth;
use crate::snapshot_state::{SnapshotState, ThreadState};

/// Which part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowChoice {
    /// From each mark of this name to the next mark, whatever it is called.
    Named(String),
    /// From the first mark of a name (`None`: from the start) to the first mark of another after it (`None`: to the end).
    Between {
        /// Begins it.
        from: Option<String>,
        /// Ends it.
        until: Option<String>,
    },
}

/// The windows found for a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenWindows {
    /// The window that was asked for.
    pub choice: WindowChoice,
    /// How many windows.
    pub windows: u64,
    /// How long they were together, milliseconds.
    pub millis: u64,
    /// The mark that was to end the window is not there: it reaches to the end of the run.
    pub is_open: bool,
}

/// Values at a moment.
#[derive(Clone, Debug, Default)]
struct Base {
    state: SnapshotState,
    unix_millis: u64,
}

/// Follows the marks of a run.
#[derive(Clone, Debug)]
pub(crate) struct WindowCut {
    /// Where the window that is open began.
    base: Option<Base>,
    sums: SnapshotState,
    found: ChosenWindows,
    is_over: bool,
}

impl WindowCut {
    pub(crate) fn new(choice: WindowChoice, start_unix_millis: u64) -> Self {
        let from_start = matches!(choice, WindowChoice::Between { from: None, .. });
        Self {
            base: from_start.then(|| Base {
                unix_millis: start_unix_millis,
                ..Base::default()
            }),
            sums: SnapshotState::default(),
            found: ChosenWindows {
                choice,
                windows: 0,
                millis: 0,
                is_open: false,
            },
            is_over: false,
        }
    }

    /// One window that begins with these values and reaches to the end.
    pub(crate) fn from_here(state: &SnapshotState) -> Self {
        let choice = WindowChoice::Between {
            from: None,
            until: None,
        };
        let mut cut = Self::new(choice, 0);
        cut.base = Some(Base {
            state: state.clone(),
            unix_millis: moment(state),
        });
        cut
    }

    /// Later records are in a window.
    pub(crate) fn is_open(&self) -> bool {
        self.base.is_some()
    }

    /// When the run began.
    pub(crate) fn set_start(&mut self, unix_millis: u64) {
        if let Some(base) = &mut self.base
            && base.state.snapshots.is_empty()
        {
            base.unix_millis = unix_millis;
        }
    }

    /// A mark is set: these are the values there.
    pub(crate) fn mark(&mut self, name: &str, state: &SnapshotState) {
        let (begins, ends) = match &self.found.choice {
            WindowChoice::Named(wanted) => (wanted == name, true),
            WindowChoice::Between { from, until } => (
                !self.is_over && from.as_deref() == Some(name),
                until.as_deref() == Some(name),
            ),
        };
        if ends && self.base.is_some() {
            self.close(state);
        }
        if begins && self.base.is_none() {
            self.base = Some(Base {
                state: state.clone(),
                unix_millis: moment(state),
            });
        }
    }

    /// The run is over: the state becomes that of the windows alone.
    pub(crate) fn finish(mut self, state: &mut SnapshotState) -> ChosenWindows {
        if self.base.is_some() {
            self.found.is_open = match &self.found.choice {
                WindowChoice::Named(_) => false,
                WindowChoice::Between { until, .. } => until.is_some(),
            };
            self.close(state);
        }
        state.threads = self.sums.threads;
        state.shared = self.sums.shared;
        state.executions = self.sums.executions;
        state.vm_allocated_bytes = self.sums.vm_allocated_bytes;
        state.before_ready_bytes = None;
        self.found
    }

    fn close(&mut self, state: &SnapshotState) {
        let Some(base) = self.base.take() else {
            return;
        };
        self.is_over = true;
        self.found.windows += 1;
        self.found.millis += moment(state).saturating_sub(base.unix_millis);
        for (thread, now) in &state.threads {
            let then = base.state.threads.get(thread);
            self.add_thread(*thread, now, then);
        }
        for (id, value) in &state.shared {
            let then = base.state.shared.get(id).copied().unwrap_or(0);
            *self.sums.shared.entry(*id).or_default() += value.saturating_sub(then);
        }
        add_growth(
            &mut self.sums.executions,
            &state.executions,
            &base.state.executions,
        );
        if let Some(now) = state.vm_allocated_bytes {
            let then = base.state.vm_allocated_bytes.unwrap_or(0);
            *self.sums.vm_allocated_bytes.get_or_insert(0) += now.saturating_sub(then);
        }
    }

    fn add_thread(&mut self, thread: ThreadId, now: &ThreadState, then: Option<&ThreadState>) {
        let sums = self.sums.threads.entry(thread).or_default();
        if let Some(bytes) = now.vm_allocated_bytes {
            let then = then.and_then(|then| then.vm_allocated_bytes).unwrap_or(0);
            *sums.vm_allocated_bytes.get_or_insert(0) += bytes.saturating_sub(then);
        }
        for (id, value) in &now.counters {
            let then = then.and_then(|then| then.counters.get(id)).copied();
            let grown = value.saturating_sub(then.unwrap_or(0));
            let sum = sums.counters.entry(*id).or_default();
            *sum = sum.saturating_add(grown);
        }
        for (key, (count, bytes)) in &now.keyed {
            let (count_then, bytes_then) = then
                .and_then(|then| then.keyed.get(key))
                .copied()
                .unwrap_or_default();
            let sum = sums.keyed.entry(key.clone()).or_default();
            sum.0 = sum.0.saturating_add(count.saturating_sub(count_then));
            sum.1 = sum.1.saturating_add(bytes.saturating_sub(bytes_then));
        }
    }
}

/// When the last snapshot was taken.
fn moment(state: &SnapshotState) -> u64 {
    state.snapshots.last().map_or(0, |last| last.unix_millis)
}
