//! Whole-program measurements of the agent and its peers, on the programs of `java-harness`.
//!
//! A measurement is a *plan* of forks (new JVMs), paired and interleaved: in every round each workload runs once with every
//! tool, in an order that rotates from round to round, so that slow drifts of the machine affect all tools equally. The
//! first iterations of a fork are warm-up and are dropped. A tool's cost is the ratio of its fork to the bare fork of the
//! same round; the median over rounds is shown with its spread.
//!
//! ```text
//! plan -> fork (JVM + memory watch) -> measurement -> comparison -> JSON, Markdown
//!                                                       -> the tool's own output -> known truth
//! ```
//!
//! The command is `scripts/bench`; `plans/` has what is no fork of the suite beside another:
//! pauses, threads of the agent, services, memory, instructions. `plans/forks.py` is what these share.

#![forbid(unsafe_code)]

mod command_json;
mod comparison;
mod fork;
mod harness_lines;
mod increments;
mod installation;
mod known_truth;
mod markdown;
mod measurement;
mod pauses;
mod plan;
mod process_watch;
mod statistics;
mod tool;
mod tool_output;
mod trace_figures;
mod warm_up;
mod way;
mod workload;

pub use comparison::{Comparison, Ratio};
pub use fork::{ForkSettings, Program, run_fork};
pub use increments::{WorkloadIncrements, increments_table, measure_increments};
pub use installation::Installation;
pub use known_truth::{Judgement, Truth, measure_known_truth};
pub use markdown::{comparison_tables, judgement_table};
pub use measurement::{Iteration, Measurement, Metric, Outcome};
pub use plan::{Plan, Progress, run_plan};
pub use statistics::{Spread, geometric_mean, median};
pub use tool::{Tool, default_tools, known_tools, select_tools};
pub use tool_output::ToolEntry;
pub use trace_figures::{TraceCost, TracedFork, measure_trace_cost, trace_table};
pub use warm_up::{WARM_UP_WORKLOADS, WarmUp, measure_warm_up, warm_up_table};
pub use workload::{Workload, list_workloads, select_workloads};
