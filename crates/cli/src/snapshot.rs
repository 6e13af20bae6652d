//! `ducktrack snapshot PID|DIR`: a moment of a recording, as its counts, a mark or a heap dump.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::control::{self, ControlArgs};
use crate::dump;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack snapshot 4711
      the counts, until now
  ducktrack snapshot 4711 --mark warm
      a name for this moment: ducktrack report DIR --from warm
  ducktrack snapshot 4711 --dump
      the live heap of a traced program, into heap-4711.hprof here
  ducktrack snapshot ducktrack-4711 --dump -o now.hprof

For a dump the JVM makes a full collection and then writes all live objects with
all that is in them; only its user may read the file.

The program must belong to you, or you must be root.")]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    control: ControlArgs,
    /// Name this moment: analyses can begin and end there
    #[arg(long, value_name = "NAME")]
    mark: Option<String>,
    /// Let the JVM write a heap dump instead of the counts
    #[arg(long, conflicts_with_all = ["mark", "json"])]
    dump: bool,
    /// With --dump: the file to write; it must not exist. Else heap-PID.hprof here
    #[arg(short, long, value_name = "FILE", requires = "dump")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: SnapshotArgs) -> Result<ExitCode> {
    match &args.mark {
        _ if args.dump => dump::write(args.control.target(), args.output),
        Some(name) => control::mark(&args.control, name),
        None => control::snapshot(&args.control),
    }
}
