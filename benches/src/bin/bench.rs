//! Measures ducktrack and its peers on real programs. Started by `scripts/bench`, which builds everything first.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use ducktrack_benches::{
    Comparison, Installation, Measurement, Plan, Progress, Tool, WARM_UP_WORKLOADS, Workload,
    comparison_tables, default_tools, increments_table, judgement_table, known_tools,
    list_workloads, measure_increments, measure_known_truth, measure_trace_cost, measure_warm_up,
    run_plan, select_tools, select_workloads, trace_table, warm_up_table,
};
use serde::Serialize;

/// Paired, interleaved forks of real programs with ducktrack and its peers; ratios to the bare JVM with their spread.
///
/// Writes results.json and results.md into the output folder.
#[derive(Parser)]
#[command(name = "scripts/bench")]
struct Arguments {
    /// Three forks of few iterations instead of five: for a first look.
    #[arg(long, global = true)]
    quick: bool,
    /// Workloads by name, separated by commas; default: the suite without its nightly part.
    #[arg(
        long,
        global = true,
        overrides_with = "workloads",
        value_delimiter = ',',
        value_name = "NAME,…"
    )]
    workloads: Vec<String>,
    /// Tools by name, separated by commas: `ducktrack` is all its modes, `all` every tool.
    #[arg(
        long,
        global = true,
        overrides_with = "tools",
        value_delimiter = ',',
        value_name = "NAME,…"
    )]
    tools: Vec<String>,
    /// Adds a tool of your own: JVM options under a name.
    #[arg(long, global = true, value_name = "NAME=JVM-OPTIONS")]
    tool: Vec<String>,
    /// The JDK to measure on.
    #[arg(long, global = true, default_value_t = 17, value_name = "N")]
    jdk: u32,
    /// Where the result goes.
    #[arg(
        long,
        global = true,
        default_value = "bench-results",
        value_name = "DIR"
    )]
    output: PathBuf,
    /// Forks per tool and workload; default: 5, 3 in quick.
    #[arg(long, global = true, overrides_with = "forks", value_name = "N")]
    forks: Option<usize>,
    /// Iterations per fork that warm up; default: 5, 2 in quick.
    #[arg(long, global = true, overrides_with = "warm_up", value_name = "N")]
    warm_up: Option<usize>,
    /// How long each fork of the suite warms up, at least; default: 25 seconds, 0 in quick. Everything else warms up by iterations only,
    /// because its tools must do the same work.
    #[arg(
        long,
        global = true,
        overrides_with = "warm_up_seconds",
        value_name = "SECONDS"
    )]
    warm_up_seconds: Option<u64>,
    /// Iterations per fork that are measured; default: 5, 3 in quick.
    #[arg(long, global = true, overrides_with = "measured", value_name = "N")]
    measured: Option<usize>,
    /// Lists workloads and tools, and does nothing else.
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    command: Option<What>,
}

/// Runs only one part.
#[derive(Subcommand)]
enum What {
    /// Ratios over the suite, without the program with known counts.
    Suite,
    /// Cost and error of every tool on the program with known counts.
    Known,
    /// Counter increments executed: one per site, paths, paths after re-instrumentation.
    Increments,
    /// CPU of whole processes that run for about ten seconds: what counting costs while a program warms up.
    WarmUp,
    /// The figures that tracing must reach: overhead, pauses, bytes per event, compression, rotation, information quality.
    Trace,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let installation = Installation::from_environment(arguments.jdk, arguments.output.clone())?;
    if arguments.list {
        return list(&installation);
    }
    std::fs::create_dir_all(&installation.output)
        .with_context(|| format!("{}", installation.output.display()))?;
    let bench = Bench::new(arguments, installation)?;
    match bench.arguments.command {
        None => bench.everything(),
        Some(What::Suite) => bench.suite(),
        Some(What::Known) => bench.known(),
        Some(What::Increments) => bench.increments(),
        Some(What::WarmUp) => bench.warm_up(),
        Some(What::Trace) => bench.trace(),
    }
}

fn list(installation: &Installation) -> Result<()> {
    println!("workloads:");
    for workload in list_workloads(installation)? {
        let nightly = if workload.nightly {
            " (only when named)"
        } else {
            ""
        };
        println!("  {:16} {}{nightly}", workload.name, workload.about);
    }
    println!("tools:");
    let default = default_tools();
    for tool in known_tools() {
        let extra = if default.contains(&tool) {
            ""
        } else {
            " (on known counts, else only when named)"
        };
        println!("  {:30} {}{extra}", tool.name, tool.about);
    }
    Ok(())
}

struct Bench {
    arguments: Arguments,
    installation: Installation,
    plan: Plan,
}

/// The environment of the measurement: the head of every result.
#[derive(Serialize)]
struct Setting {
    jdk: u32,
    java_home: String,
    cpus: usize,
    cpu: String,
    forks: usize,
    warm_up: usize,
    warm_up_seconds: u64,
    measured: usize,
}

impl Bench {
    fn new(arguments: Arguments, installation: Installation) -> Result<Bench> {
        let workloads = match arguments.command {
            Some(What::Known) => Vec::new(),
            Some(What::WarmUp) if arguments.workloads.is_empty() => {
                let named = WARM_UP_WORKLOADS.map(str::to_owned);
                select_workloads(list_workloads(&installation)?, &named)?
            }
            _ => select_workloads(list_workloads(&installation)?, &arguments.workloads)?,
        };
        let (forks, warm_up, seconds, measured) = if arguments.quick {
            (3, 2, 0, 3)
        } else {
            (5, 5, 25, 5)
        };
        let warm_up_seconds = match arguments.command {
            None | Some(What::Suite) => arguments.warm_up_seconds.unwrap_or(seconds),
            _ => 0,
        };
        let plan = Plan {
            tools: select_tools(&arguments.tools, &arguments.tool, default_tools())?,
            workloads,
            rounds: arguments.forks.unwrap_or(forks),
            warm_up: arguments.warm_up.unwrap_or(warm_up),
            warm_up_seconds,
            measured: arguments.measured.unwrap_or(measured),
            jvm_options: Vec::new(),
            limit: Duration::from_secs(900),
        };
        Ok(Bench {
            arguments,
            installation,
            plan,
        })
    }

    /// The exact rivals are measured on known counts even if the suite leaves them out.
    fn known_tools(&self) -> Result<Vec<Tool>> {
        select_tools(&self.arguments.tools, &self.arguments.tool, known_tools())
    }

    fn everything(&self) -> Result<()> {
        let judgements = self.judgements()?;
        let comparison = self.comparison()?;
        let mut text = self.head("Cost of allocation trackers");
        text += &comparison_tables(&comparison);
        text += "\n";
        text += &judgement_table(&judgements);
        self.write(
            "results",
            &text,
            &(self.setting(), &comparison, &judgements),
        )
    }

    fn suite(&self) -> Result<()> {
        let comparison = self.comparison()?;
        let text = self.head("Cost of allocation trackers") + &comparison_tables(&comparison);
        self.write("results", &text, &(self.setting(), &comparison))
    }

    fn known(&self) -> Result<()> {
        let judgements = self.judgements()?;
        let text = self.head("Known counts") + &judgement_table(&judgements);
        self.write("known", &text, &(self.setting(), &judgements))
    }

    fn increments(&self) -> Result<()> {
        let settings = |workload: &Workload| self.plan.fixed_settings(workload);
        let rows =
            measure_increments(&self.installation, &self.plan.workloads, settings, &mut say)?;
        let text = self.head("Counter increments executed") + &increments_table(&rows);
        self.write("increments", &text, &(self.setting(), &rows))
    }

    fn warm_up(&self) -> Result<()> {
        let rows = measure_warm_up(
            &self.installation,
            &self.plan.workloads,
            self.plan.rounds,
            &mut say,
        )?;
        let text = format!(
            "# CPU of whole processes of about ten seconds\n\nJDK {}, {} rounds; CPU of the whole process over that of the bare JVM in the same round, \
             medians.\n\n",
            self.installation.jdk, self.plan.rounds
        ) + &warm_up_table(&rows);
        self.write("warm-up", &text, &(self.setting(), &rows))
    }

    fn trace(&self) -> Result<()> {
        let cost = measure_trace_cost(&self.installation, &self.plan, &mut say)?;
        let text = self.head("Cost of tracing")
            + &trace_table(&cost)
            + "\n"
            + &comparison_tables(&cost.comparison);
        self.write("trace", &text, &(self.setting(), &cost))
    }

    fn judgements(&self) -> Result<Vec<ducktrack_benches::Judgement>> {
        let settings = self.plan.fixed_settings(&Workload {
            name: "known".to_owned(),
            about: String::new(),
            nightly: false,
            iterations: self.plan.measured + self.plan.warm_up,
        });
        measure_known_truth(
            &self.installation,
            &self.known_tools()?,
            &settings,
            self.plan.rounds,
            &mut say,
        )
    }

    fn comparison(&self) -> Result<Comparison> {
        let mut report = |step: Progress<'_>| {
            let rest = match step.done {
                0 => String::new(),
                done => format!(", {:.0} min left", left(step.elapsed, done, step.all)),
            };
            say(&format!(
                "fork {} of {}: {} with {}{rest}",
                step.done + 1,
                step.all,
                step.workload,
                step.tool
            ));
            if !step.whole_rounds.is_empty() {
                self.write_so_far(step.whole_rounds);
            }
        };
        Ok(Comparison::new(run_plan(
            &self.installation,
            &self.plan,
            &mut report,
        )?))
    }

    /// A long run that is stopped leaves the table of its whole rounds.
    fn write_so_far(&self, measurements: &[Measurement]) {
        let comparison = Comparison::new(measurements.to_vec());
        let text = self.head(&format!("Whole rounds so far: {}", comparison.rounds))
            + &comparison_tables(&comparison);
        let written = write(&self.installation.output.join("so-far.md"), &text);
        if let Err(error) = written {
            say(&format!("{error:#}"));
        }
    }

    fn write(&self, name: &str, text: &str, result: &impl Serialize) -> Result<()> {
        let folder = &self.installation.output;
        let json = serde_json::to_string_pretty(result)? + "\n";
        write(&folder.join(format!("{name}.json")), &json)?;
        write(&folder.join(format!("{name}.md")), text)?;
        println!("{text}");
        println!("written to {}", folder.display());
        Ok(())
    }

    fn setting(&self) -> Setting {
        Setting {
            jdk: self.installation.jdk,
            java_home: self.installation.java_home.display().to_string(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            cpu: cpu_name(),
            forks: self.plan.rounds,
            warm_up: self.plan.warm_up,
            warm_up_seconds: self.plan.warm_up_seconds,
            measured: self.plan.measured,
        }
    }

    fn head(&self, title: &str) -> String {
        let setting = self.setting();
        format!(
            "# {title}\n\nJDK {}, {} CPUs ({}), {} forks, {} iterations (and {} s) of warm-up + {} measured each (the long workloads half as many), \
             -Xms1g -Xmx1g -XX:+UseG1GC.\n\n",
            setting.jdk,
            setting.cpus,
            setting.cpu,
            setting.forks,
            setting.warm_up,
            setting.warm_up_seconds,
            setting.measured,
        )
    }
}

fn left(elapsed: Duration, done: usize, all: usize) -> f64 {
    elapsed.as_secs_f64() / done as f64 * (all - done) as f64 / 60.0
}

fn cpu_name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.trim().to_owned(),
    )
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("{}", path.display()))
}

fn say(text: &str) {
    eprintln!("{text}");
}
