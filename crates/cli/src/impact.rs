//! `ducktrack impact -- java ...`: runs a program again and again, with and without the objects of leak candidates.

mod candidates;
mod first_run;
mod pair;
mod prediction;
mod switch;
mod trial;
mod wait;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_reports::{ImpactCandidate, ImpactRequest, RemovalMoment, TrialRun, impact_report};

use crate::library;
use crate::output::{Keys, Output};
use crate::progress::Progress;
use candidates::Found;
use ducktrack_analyses::Estimate;
use first_run::FirstRun;
pub(crate) use pair::Pair;
use switch::Switch;
use trial::{Change, Program, TrialWork};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack impact -- java -Xmx64m -jar app.jar
      finds candidates, then 5 trials of each and of none
  ducktrack impact --candidates 1 --trials 10 -- java -jar app.jar
  ducktrack impact --pair 'acme.Cache->acme.Session' -- java -jar app.jar
  ducktrack impact --at oom --trials 10 -- java -Xmx25m -jar app.jar
      as the paper does
  ducktrack impact --until-line 'benchmark done' -- java -jar server.jar
  ducktrack impact --switch acme.Buffers=-Dacme.reuse=true -- java -jar app.jar
      what an option saves, and was that foreseen?

Every trial must do the same work: a fixed number of iterations or requests.
What the program prints is not shown. Set a reference to null, and a program may
fail: never run this where its results matter.")]
pub(crate) struct ImpactArgs {
    /// Try this many candidates, highest leak score first
    #[arg(long, value_name = "N", default_value_t = 3)]
    candidates: usize,
    /// Trials of each kind
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    trials: u32,
    /// When references are removed: as soon as their objects are stale, or not before the memory is full
    #[arg(long, value_enum, default_value_t)]
    at: At,
    /// An object is stale when it was not used for this many collections; else for longer than the first run used such objects, at most 8
    #[arg(long, value_name = "COLLECTIONS", value_parser = clap::value_parser!(u32).range(1..))]
    after: Option<u32>,
    /// Try these instead of looking for candidates: SOURCE->TARGET as ducktrack leaks has them (may be repeated)
    #[arg(long = "pair", value_name = "SOURCE->TARGET")]
    pairs: Vec<Pair>,
    /// Also try this JVM option, which switches off the allocation of a package, class or method (com.acme.Cache.put): SITES=OPTION (may be
    /// repeated)
    #[arg(long = "switch", value_name = "SITES=OPTION")]
    switches: Vec<Switch>,
    /// Trace a first run, and compare what it predicts with what is measured (always done where candidates are looked for)
    #[arg(long)]
    predict: bool,
    /// A trial ends when the program prints a line with this text: for programs that do not end
    #[arg(long, value_name = "TEXT")]
    until_line: Option<String>,
    /// Keep traces and dump in this new directory; else they are deleted
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    output: Output<Keys>,
    /// The agent's library
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// The program, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum At {
    #[default]
    Stale,
    Oom,
}

impl From<At> for RemovalMoment {
    fn from(at: At) -> Self {
        match at {
            At::Stale => Self::Stale,
            At::Oom => Self::Oom,
        }
    }
}

pub(crate) fn run(args: ImpactArgs) -> Result<ExitCode> {
    let folder = Folder::new(args.keep.as_ref())?;
    let program = Program {
        library: library::find(args.library.as_deref())?,
        command: args.command,
        until_line: args.until_line,
        folder: folder.path.clone(),
    };
    let is_given = !(args.pairs.is_empty() && args.switches.is_empty());
    let first = match args.predict || !is_given {
        true => Some(FirstRun::new(&program)?),
        false => None,
    };
    let found = match first.as_ref().filter(|_| !is_given) {
        Some(first) => candidates::find(first, args.candidates, args.after)?,
        None => Found::given(args.pairs, first.as_ref(), args.after)?,
    };
    let after = found.after;
    let pairs = found.pairs.into_iter().map(Change::Removal);
    let changes: Vec<Change> = pairs
        .chain(args.switches.into_iter().map(Change::Switch))
        .collect();
    let predicted = match &first {
        Some(first) => prediction::shares(first, &changes, after, args.trials)?,
        None => vec![None; changes.len()],
    };
    let plan = Plan {
        trials: args.trials,
        work: TrialWork::new(args.at.into(), after, &changes),
    };
    let (base, candidates) = plan.carry_out(&program, &changes, &predicted)?;
    let request = ImpactRequest {
        command: program.name(),
        at: args.at.into(),
        after,
        found_in: found.found_in.filter(|_| args.keep.is_some()),
        left_out: found.left_out,
    };
    args.output
        .print(&impact_report(&request, &base, &candidates))?;
    Ok(ExitCode::SUCCESS)
}

/// Which trials there are.
struct Plan {
    trials: u32,
    work: TrialWork,
}

impl Plan {
    /// One of each kind in turn, and each round begins with another kind: changes on the machine meanwhile affect all kinds.
    fn carry_out(
        &self,
        program: &Program,
        changes: &[Change],
        predicted: &[Option<Estimate>],
    ) -> Result<(Vec<TrialRun>, Vec<ImpactCandidate>)> {
        let kinds = changes.len() + 1;
        let mut runs: Vec<Vec<TrialRun>> = vec![Vec::new(); kinds];
        let all = u64::from(self.trials) * kinds as u64;
        let progress = Progress::of_trials(all);
        for round in 0..self.trials as usize {
            for place in 0..kinds {
                let kind = (round + place) % kinds;
                let change = kind.checked_sub(1).and_then(|at| changes.get(at));
                progress.at((round * kinds + place) as u64);
                let run = program.trial(&self.work, change)?;
                runs[kind].push(run);
            }
        }
        progress.done();
        let mut runs = runs.into_iter();
        let base = runs.next().unwrap_or_default();
        if base.iter().all(|run| run.trial.is_none()) {
            bail!("{}", program.without_result());
        }
        let candidates = changes.iter().zip(predicted).zip(runs);
        let candidates = candidates.map(|((change, predicted), runs)| ImpactCandidate {
            change: change.document(),
            score: change.score(),
            predicted: *predicted,
            runs,
        });
        Ok((base, candidates.collect()))
    }
}

/// Where traces go.
struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    fn new(keep: Option<&PathBuf>) -> Result<Self> {
        let path = match keep {
            Some(path) => {
                std::path::absolute(path).context("the working directory cannot be told")?
            }
            None => std::env::temp_dir().join(format!("ducktrack-impact-{}", std::process::id())),
        };
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&path)
            .with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(Self {
            path,
            is_kept: keep.is_some(),
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Files that cannot be deleted stay in the system's temporary directory.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
