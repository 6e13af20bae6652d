//! `ducktrack diff A B`

mod budgets;
mod source_roots;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ducktrack_profile::Profile;
use ducktrack_reports::{
    ComparedRun, ContextsReport, DiffOptions, Document, Filter, Gate, Per, ReviewForm, View,
    compare, contexts_report, diff_html, document, read_json, view,
};

pub(crate) use source_roots::SourceRoots;

use crate::nothing;
use crate::output::{self, Format, Output, Reviews};
use crate::per;
use crate::selection::Order;
use crate::target::recording;
use crate::window_args::WindowArgs;

/// The exit code of a broken gate.
const BROKEN: u8 = 1;
/// The exit code of gates of which none is broken and one cannot be judged.
const CANNOT_TELL: u8 = 2;

#[derive(Args)]
#[command(after_help = "Gates:
  count>+5%              more than 5 % more objects than in A
  bytes>+1M              more than 1,000,000 bytes more than in A
  count[com.acme]>+0     any growth in a package and in the calls that it makes
  bytes[com.acme]>64Mi   a budget: B alone
  count[context:GET /orders]>+0 per execution
                         any growth of a request (run with --contexts http)

A gate on a package needs two runs recorded with --app. Without it, the numbers
are estimates from sampled stacks, and small changes cannot be judged.

Exit codes: 0 all gates hold, 1 a gate is broken, 2 a gate cannot be judged, or
bad input.

Examples:
  ducktrack diff ducktrack-1 ducktrack-2 --only com.acme
  ducktrack diff ducktrack-1 ducktrack-2 --format html -o diff.html
      flame graph of both
  ducktrack diff ducktrack-1 ducktrack-2 --from warm
      without the start, up to the mark `warm`
  ducktrack diff ducktrack-1 ducktrack-2 --per request
      the bytes of one request more or less: divided by the marks `request`
  ducktrack diff ducktrack-1 ducktrack-2 --per 'GET /orders*'
      the same of contexts (run --contexts http); --per tests: of each test
  ducktrack report ducktrack-1 --format json -o baseline.json
  ducktrack diff baseline.json ducktrack-2 --format markdown
  ducktrack diff baseline.json ducktrack-2 --fail-on 'count>+0.5%'")]
pub(crate) struct DiffArgs {
    /// The first run: a trace directory or the process that writes it, or a JSON report
    #[arg(value_name = "A", value_parser = recording)]
    before: PathBuf,
    /// The second run, in the same way
    #[arg(value_name = "B", value_parser = recording)]
    after: PathBuf,
    /// Fail with exit code 1 when this holds (may be repeated)
    #[arg(long, value_name = "GATE")]
    fail_on: Vec<String>,
    /// Budgets of packages and sites, as more gates: ducktrack.toml, which tests and benchmarks obey too
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,
    /// Where sources are, for the lines of a review [default: src/main/java and other usual ones]
    #[arg(long, value_name = "FOLDER")]
    sources: Vec<PathBuf>,
    /// Only this package or class, and what it is to blame for (may be repeated)
    #[arg(long, value_name = "PACKAGE")]
    only: Vec<String>,
    /// Only what was made in this context: 'GET /orders', 'sql:select *' (may be repeated)
    #[arg(long = "context", value_name = "NAME")]
    contexts: Vec<String>,
    /// Only from each mark of this name to the next mark, or in contexts of this name or kind (requests, tests), and divided by how often
    /// it happened: bytes of one request
    #[arg(long, value_name = "MARK|TEST|CONTEXT", conflicts_with_all = ["window", "from", "until"])]
    per: Option<String>,
    #[command(flatten)]
    windows: WindowArgs,
    /// Show this many changed sites (text: 20; JSON: all)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Order of the changes
    #[arg(long, value_enum, default_value_t)]
    sort: Order,
    #[command(flatten)]
    output: Output<Reviews>,
}

pub(crate) fn run(args: DiffArgs) -> Result<ExitCode> {
    let mut gates = args
        .fail_on
        .iter()
        .map(|text| gate(text))
        .collect::<Result<Vec<_>>>()?;
    if let Some(file) = &args.budgets {
        gates.extend(budgets::gates(file)?);
    }
    let chosen = Chosen {
        per: args.per.as_deref(),
        windows: &args.windows,
    };
    let options = DiffOptions {
        only: args.only,
        contexts: args.contexts,
        sort: args.sort.into(),
        top: args.top,
    };
    let before = side(&args.before, chosen, &options)?;
    let after = side(&args.after, chosen, &options)?;
    let names = [&args.before, &args.after].map(|path| path.display().to_string());
    let mut comparison = compare(
        before.named(&names[0]),
        after.named(&names[1]),
        &options,
        &gates,
    );
    comparison.per = divisor(args.per.clone(), [&before, &after])?;
    let most = before.document.sites.len().max(after.document.sites.len());
    if comparison.changes.is_empty() && comparison.unchanged == 0 && most > 0 {
        nothing::say(&options.filter(), most);
    }
    if args.output.format() == Format::Html {
        let [before, after] =
            [&args.before, &args.after].map(|path| stacks_of(path, &options, chosen));
        comparison.stacks = Some(Box::new([before?, after?]));
    }
    let code = match (comparison.is_broken(), comparison.passed()) {
        (true, _) => ExitCode::from(BROKEN),
        (false, false) => ExitCode::from(CANNOT_TELL),
        (false, true) => ExitCode::SUCCESS,
    };
    let printed = match review_form(args.output.format()) {
        Some(form) => {
            let roots = SourceRoots::new(args.sources);
            let text = comparison.review(form, &|file| roots.find(file))?;
            args.output.print_text(&text)
        }
        None => args.output.print(&comparison),
    };
    match printed {
        // The verdict counts, also when the reader stops early.
        Err(error) if output::is_broken_pipe(&error) => Ok(code),
        other => other.map(|()| code),
    }
}

pub(crate) fn review_form(format: Format) -> Option<ReviewForm> {
    match format {
        Format::Markdown => Some(ReviewForm::Markdown),
        Format::Junit => Some(ReviewForm::Junit),
        Format::Sarif => Some(ReviewForm::Sarif),
        Format::Github => Some(ReviewForm::Github),
        _ => None,
    }
}

/// The page that compares two traces.
pub(crate) fn page(before: &Path, after: &Path) -> Result<String> {
    let options = DiffOptions::default();
    let windows = WindowArgs::default();
    let whole = Chosen {
        per: None,
        windows: &windows,
    };
    let [before, after] = [before, after].map(|path| stacks_of(path, &options, whole));
    let (before, after) = (before?, after?);
    Ok(diff_html(&before, &after)?)
}

fn gate(text: &str) -> Result<Gate> {
    text.parse()
        .map_err(|error| anyhow!("--fail-on '{text}': {error}"))
}

/// The whole stacks of a trace; a JSON report has too few of them.
fn stacks_of(path: &Path, options: &DiffOptions, chosen: Chosen<'_>) -> Result<View> {
    if path.is_file() && starts_like_json(path)? {
        bail!(
            "{} is a JSON report, which does not have whole stacks: --format html needs two trace directories",
            path.display()
        );
    }
    let filter = options.filter();
    let part = per::load(path, chosen.per, chosen.windows)?;
    Ok(view(&part.model, &path.display().to_string(), &filter))
}

/// How often it happened in both runs.
fn divisor(name: Option<String>, runs: [&Run; 2]) -> Result<Option<Per>> {
    let Some(name) = name else {
        return Ok(None);
    };
    let [Some(before), Some(after)] = runs.map(|run| run.times) else {
        bail!("--per needs two recordings: a JSON report has neither marks nor executions");
    };
    Ok(Some(Per {
        name,
        before,
        after,
    }))
}

/// The part of both runs that is compared.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    per: Option<&'a str>,
    windows: &'a WindowArgs,
}

/// A run as it was read.
struct Run {
    document: Document,
    /// How often it happened by which a recording is divided.
    times: Option<u64>,
    contexts: Option<ContextsReport>,
    stacks: Option<Profile>,
}

impl Run {
    fn named<'a>(&'a self, name: &'a str) -> ComparedRun<'a> {
        ComparedRun {
            name,
            document: &self.document,
            contexts: self.contexts.as_ref(),
            stacks: self.stacks.as_ref(),
        }
    }
}

/// A directory is a trace, a file is a JSON report or a single trace file.
fn side(path: &Path, chosen: Chosen<'_>, options: &DiffOptions) -> Result<Run> {
    if path.is_file() && starts_like_json(path)? {
        // It was made of one part of its run.
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(Run {
            document: read_json(&text).with_context(|| path.display().to_string())?,
            times: None,
            contexts: None,
            stacks: None,
        });
    }
    let part = per::load(path, chosen.per, chosen.windows)?;
    let filter = Filter {
        contexts: options.contexts.clone(),
        ..Filter::default()
    };
    let name = path.display().to_string();
    let view = view(&part.model, &name, &filter);
    Ok(Run {
        times: part.times,
        document: document(&view),
        contexts: Some(contexts_report(&part.model, &name, None, &options.filter())),
        stacks: Some(view.stacks),
    })
}

fn starts_like_json(path: &Path) -> Result<bool> {
    use std::io::Read;
    let mut first = [0; 1];
    let read = fs::File::open(path)
        .and_then(|mut file| file.read(&mut first))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(first.get(..read) == Some(b"{")
        || path
            .extension()
            .is_some_and(|extension| extension == "json"))
}
