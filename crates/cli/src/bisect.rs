//! `ducktrack bisect`: the commit that allocates more, by `git bisect run`.
//!
//! Counts of executed allocations repeat, so one run judges a commit. The first good commit is recorded once; each commit that git chooses
//! is built, run, and compared with it by the gates of `ducktrack diff`:
//!
//! ```text
//! build fails, run fails, gate cannot be judged -> 125: git skips the commit
//! gates hold                                    ->   0: good
//! a gate is broken                              ->   1: bad
//! ```

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::library;

/// The exit code of a search that ends without a commit.
const NOT_FOUND: u8 = 1;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack bisect --good v1.4 --build 'mvn -q package' \\
      --fail-on 'count>+0.5%' -- java -jar target/app.jar
  ducktrack bisect --good v1.4 --bad v1.5 --build 'make jar' --from warm \\
      --fail-on 'bytes[com.acme]>+0' -- ./bench.sh
      without the start of the program, up to its mark `warm`

The work tree must have no changes. Commits that do not build, or whose run
fails, are skipped. --bad is believed, not run.

Exit codes: 0 a commit was found, 1 none, 2 bad input.")]
pub(crate) struct BisectArgs {
    /// A commit that allocates what it should
    #[arg(long, value_name = "REV")]
    good: String,
    /// A later commit that allocates more
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    bad: String,
    /// Builds a commit, in a shell
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,
    /// A commit is bad when this holds, as for `ducktrack diff` (may be repeated)
    #[arg(long, value_name = "GATE", required = true)]
    fail_on: Vec<String>,
    /// Only from the first mark of this name on: without the program's start
    #[arg(long, value_name = "MARK")]
    from: Option<String>,
    /// The agent's library
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// Options of the agent, as for `ducktrack run`
    #[arg(long, value_name = "KEY=VALUE,...")]
    options: Option<String>,
    /// The command that runs the program, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &BisectArgs) -> Result<ExitCode> {
    let start = starting_point()?;
    let [good, bad] = [&args.good, &args.bad].map(|name| commit(name));
    let (good, bad) = (good?, bad?);
    let folder = tempfile::tempdir().context("cannot make a folder for recordings")?;
    let steps = Steps::new(args, folder.path())?;
    let found = steps.search(&good, &bad);
    git(&["bisect", "reset", &start])?;
    match found? {
        Some(commit) => {
            print!(
                "{}",
                git(&[
                    "log",
                    "-1",
                    "--format=first bad commit: %h %s%n  %an, %ad",
                    &commit
                ])?
            );
            if commit == bad {
                println!("  it is the commit of --bad, which was not run");
            }
            steps.print_last_break();
            Ok(ExitCode::SUCCESS)
        }
        None => {
            eprintln!(
                "ducktrack: no commit was found: those that are left were skipped, because they do not build or run"
            );
            Ok(ExitCode::from(NOT_FOUND))
        }
    }
}

/// The branch or commit that is checked out.
fn starting_point() -> Result<String> {
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    if !changes.is_empty() {
        bail!("the work tree has changes; commit or stash them, then bisect");
    }
    let branch = git(&["rev-parse", "--abbrev-ref", "HEAD"])?;
    match branch.trim() {
        "HEAD" => commit("HEAD"),
        branch => Ok(branch.to_owned()),
    }
}

fn commit(name: &str) -> Result<String> {
    let object = format!("{name}^{{commit}}");
    let found = git(&["rev-parse", "--verify", "--quiet", &object]);
    let found = found.with_context(|| format!("git knows no commit `{name}`"))?;
    Ok(found.trim().to_owned())
}

/// What git prints.
fn git(arguments: &[&str]) -> Result<String> {
    let run = Command::new("git")
        .args(arguments)
        .stderr(Stdio::piped())
        .output()
        .context("cannot run git")?;
    if !run.status.success() {
        let error = String::from_utf8_lossy(&run.stderr);
        bail!(
            "git {}: {}",
            arguments.join(" "),
            error.lines().next().unwrap_or("failed")
        );
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// The scripts that judge a commit.
struct Steps {
    /// Builds and records a commit, into the folder given.
    record: PathBuf,
    /// Records a commit and compares it.
    judge: PathBuf,
    baseline: PathBuf,
    /// The comparison of the last bad commit.
    broken: PathBuf,
}

impl Steps {
    fn new(args: &BisectArgs, folder: &Path) -> Result<Self> {
        let steps = Self {
            record: folder.join("record.sh"),
            judge: folder.join("judge.sh"),
            baseline: folder.join("good"),
            broken: folder.join("broken.txt"),
        };
        let own = env::current_exe().context("cannot find this program")?;
        let own = word(own.as_os_str())?;
        for (path, script) in [
            (&steps.record, steps.record_script(args, &own)?),
            (&steps.judge, steps.judge_script(args, &own, folder)?),
        ] {
            fs::write(path, script).context("cannot write the scripts of the search")?;
        }
        Ok(steps)
    }

    fn record_script(&self, args: &BisectArgs, own: &str) -> Result<String> {
        let library = library::find(args.library.as_deref())?;
        let library = word(library.as_os_str())?;
        let build = args.build.as_deref().unwrap_or("true");
        let mut run = format!("{own} run --library {library} --output \"$1\" --summary=off");
        if let Some(options) = &args.options {
            run.push_str(&format!(" --options {}", quoted(options)));
        }
        run.push_str(" --");
        for part in &args.command {
            run.push(' ');
            run.push_str(&word(part)?);
        }
        Ok(format!(
            "( {build}\n) || exit 125\nrm -rf \"$1\"\n{run} || exit 125\n"
        ))
    }

    fn judge_script(&self, args: &BisectArgs, own: &str, folder: &Path) -> Result<String> {
        let path = |path: &Path| word(path.as_os_str());
        let (record, baseline, broken) = (
            path(&self.record)?,
            path(&self.baseline)?,
            path(&self.broken)?,
        );
        let (recording, text) = (
            path(&folder.join("commit"))?,
            path(&folder.join("diff.txt"))?,
        );
        let gates: String = args
            .fail_on
            .iter()
            .map(|gate| format!(" --fail-on {}", quoted(gate)))
            .collect();
        let from = args.from.as_ref();
        let from = from.map_or_else(String::new, |mark| format!(" --from {}", quoted(mark)));
        Ok(format!(
            "sh {record} {recording} || exit 125\n{own} diff {baseline} {recording}{gates}{from} > {text}\ncode=$?\n[ $code = 1 ] && cp {text} {broken}\n[ $code -le 1 ] || code=125\nexit $code\n"
        ))
    }

    /// The first bad commit; `None` if only skipped commits are left.
    fn search(&self, good: &str, bad: &str) -> Result<Option<String>> {
        git(&["checkout", "-q", good])?;
        let recorded = Command::new("sh")
            .arg(&self.record)
            .arg(&self.baseline)
            .stdout(Stdio::null())
            .status()
            .context("cannot run sh")?;
        if !recorded.success() {
            bail!("the good commit {good} does not build, or its run fails");
        }
        git(&["bisect", "start", bad, good])?;
        let judged = Command::new("git")
            .args(["bisect", "run", "sh"])
            .arg(&self.judge)
            .stdout(Stdio::null())
            .status()
            .context("cannot run git bisect")?;
        match judged.success() {
            true => commit("refs/bisect/bad").map(Some),
            false => Ok(None),
        }
    }

    fn print_last_break(&self) {
        if let Ok(text) = fs::read_to_string(&self.broken) {
            println!("\n{text}");
        }
    }
}

/// One word of a shell.
fn word(text: &std::ffi::OsStr) -> Result<String> {
    let text = text.to_str();
    let text = text.context("a path or argument is not UTF-8")?;
    Ok(quoted(text))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
