//! The first answer: one screen that says which run it was, how much it
//! allocated, which calls or places that comes from, and where to go on.
//!
//! ```text
//! ducktrack: com.acme.Main --orders
//!   run           OpenJDK 17.0.15, G1, 12.0 s, pid 4711
//!   allocated     24.9 MB in 1,060,119 objects at 371 sites
//!   completeness  at most 99.94 % of what the JVM has allocated by its own count
//!
//! CALLS of com.acme.* that cause most (2 of 22)
//!     share      caused   inclusive  call
//!    61.9 %     15.4 MB     16.0 MB  com.acme.Orders.line(Orders.java:21)
//!                                      calls java.text.SimpleDateFormat.<init>: byte[] 40 %, char[] 21 %
//! ```

use std::collections::{BTreeMap, HashMap};

use ducktrack_count_model::Tally;
use ducktrack_profile::{Frame, Interval, Unit};

use crate::caused::of_what;
use crate::chosen_windows::description;
use crate::class_name::readable_class;
use crate::completeness::Basis;
use crate::event_trace::text_parts::wrapped;
use crate::filter::Sort;
use crate::fitted_names::fitted;
use crate::grouping::by_type;
use crate::project::project_of_command;
use crate::quantity::{counted, grouped, precise_share, share, short_bytes};
use crate::stack_names::type_name;
use crate::text::next_command;
use crate::view::{CauseView, Caused, Location, View};
use crate::view_stacks::scope_estimate;

/// Rows of the table of calls, or of places.
const ROWS: usize = 10;
/// Types in the table of types.
const TYPES: usize = 6;
/// Rows of the table of windows.
const WINDOWS: usize = 6;
/// Types named of a call.
const TYPES_OF_CALL: usize = 3;
/// The narrowest screen.
const LEAST_WIDTH: usize = 80;
/// Letters before the values of facts.
const FACTS: usize = 17;
/// Letters before the names of a table.
const NUMBERS: usize = 36;

/// How a screen looks.
#[derive(Clone, Copy, Debug)]
pub struct ScreenOptions {
    /// Letters of a line; 80 at least.
    pub width: usize,
    /// Escape sequences for bold and dim letters.
    pub colour: bool,
    /// Levels of the tables: 1 has the calls alone, 2 what is made below them, too.
    pub depth: usize,
}

impl Default for ScreenOptions {
    fn default() -> Self {
        Self {
            width: 100,
            colour: false,
            depth: 2,
        }
    }
}

/// The screen.
pub fn screen(view: &View, options: ScreenOptions) -> String {
    let mut screen = Screen {
        view,
        options: ScreenOptions {
            width: options.width.max(LEAST_WIDTH),
            ..options
        },
        out: String::new(),
    };
    screen.head();
    screen.trouble();
    match &view.caused {
        Some(caused) => screen.calls(caused),
        None => screen.places(),
    }
    screen.windows();
    screen.types();
    screen.next();
    screen.out
}

struct Screen<'a> {
    view: &'a View,
    options: ScreenOptions,
    out: String,
}

impl Screen<'_> {
    fn head(&mut self) {
        let view = self.view;
        let command = match view.run.command.as_str() {
            "" => "(command not known)",
            command => command,
        };
        self.title(&format!("ducktrack: {command}"));
        self.fact("run", &self.run());
        for sentence in &view.ending.sentences {
            self.fact("", sentence);
        }
        if let Some(chosen) = &view.chosen_windows {
            self.fact("window", &description(chosen, view.totals.executed));
        }
        if view.filter.is_partial() {
            self.fact("only", &view.filter.description());
        }
        let allocated = |tally: Tally, sites: usize| {
            format!(
                "{} in {} at {}",
                rounded(tally.bytes),
                counted(tally.count, "object"),
                counted(sites as u64, "site")
            )
        };
        if view.filter.is_partial() {
            self.fact(
                "of the run",
                &allocated(view.totals.executed, view.totals.sites),
            );
        }
        self.fact(
            "allocated",
            &allocated(view.selected.executed, view.selected.sites),
        );
        self.fact("completeness", &self.completeness());
        if let Some(application) = self.application() {
            self.fact("application", &application);
        }
    }

    fn run(&self) -> String {
        let run = &self.view.run;
        let java = format!("{} {}", run.vm_name, run.vm_version);
        let seconds = self.view.duration_millis();
        let seconds = seconds.map(|millis| format!("{:.1} s", millis as f64 / 1000.0));
        let mode = run.mode.has_events().then(|| format!("mode {}", run.mode));
        let attached = run
            .attached
            .then(|| "attached: what was before is missing".to_owned());
        [
            Some(java.trim().to_owned()),
            Some(run.collector.clone()),
            seconds,
            Some(format!("pid {}", run.pid)),
            mode,
            attached,
        ]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
    }

    fn completeness(&self) -> String {
        let completeness = &self.view.completeness;
        match (completeness.explained_bytes(), completeness.vm_bytes) {
            (Some(explained), Some(vm)) => {
                let at_most = match completeness.basis() {
                    Basis::Executed => "at most ",
                    Basis::Materialized => "",
                };
                let removed = completeness.eliminated_bytes().filter(|bytes| *bytes > 0);
                let at_least = match completeness.basis() {
                    Basis::Executed => "at least ",
                    Basis::Materialized => "",
                };
                let removed = removed.map_or_else(String::new, |bytes| {
                    format!("; the JIT removed {at_least}{}", rounded(bytes))
                });
                let rest = completeness.rest_bytes().filter(|rest| *rest > 0);
                let rest = rest.filter(|_| completeness.ran_out);
                let rest = rest.map_or_else(String::new, |rest| {
                    format!("; {} were {}", rounded(rest), completeness.rest_is())
                });
                format!(
                    "{at_most}{} of {} by the JVM's own count{removed}{rest}",
                    precise_share(explained, vm),
                    rounded(vm)
                )
            }
            _ => "not known: the JVM's own count is not in the trace".to_owned(),
        }
    }

    /// The application's share: exact with the totals of its calls, else what sampled stacks tell.
    fn application(&self) -> Option<String> {
        match &self.view.caused {
            Some(caused) => Some(self.exact_application(caused)),
            None if self.view.filter.is_partial() => None,
            None => self.estimated_application(),
        }
    }

    fn estimated_application(&self) -> Option<String> {
        let project = project_of_command(&self.view.run.command)?;
        let stacks = &self.view.stacks;
        let (estimate, Interval { low, high }) = scope_estimate(stacks, &project, Unit::Bytes)?;
        let percent = |bytes: f64| 100.0 * bytes / (stacks.total.bytes.max(1)) as f64;
        Some(format!(
            "{project} and its calls: about {:.0} % of the bytes [{:.0}; {:.0}], by sampled stacks",
            percent(estimate as f64),
            percent(low),
            percent(high)
        ))
    }

    fn exact_application(&self, caused: &Caused) -> String {
        let whole = self.view.totals.executed.bytes;
        let who = of_what(self.view, caused);
        let parts = format!(
            "{who} allocates {} itself and causes {}",
            share(caused.own.bytes, whole),
            share(caused.charged.bytes, whole),
        );
        match self.view.filter.is_partial() {
            true => parts,
            false => format!(
                "{parts}; {} outside of its calls",
                share(caused.no_call.bytes, whole)
            ),
        }
    }

    fn trouble(&mut self) {
        let view = self.view;
        if view.damage.is_empty() && view.losses.is_empty() && view.notes.is_empty() {
            return;
        }
        if !(view.damage.is_empty() && view.losses.is_empty()) {
            self.section("DAMAGE AND LOSSES");
            let losses = view.losses.iter().map(String::as_str);
            let found = view.damage.iter().map(|found| found.text.as_str());
            for text in found.chain(losses) {
                self.out.push_str(&format!("  {text}\n"));
            }
        }
        if !view.notes.is_empty() {
            self.section("NOTES");
            for note in &view.notes {
                self.out.push_str(&format!("  {note}\n"));
            }
        }
    }

    fn calls(&mut self, caused: &Caused) {
        let rows = self.view.filter.top.unwrap_or(ROWS).min(caused.calls.len());
        let shown = caused.calls.get(..rows).unwrap_or_default();
        let who = of_what(self.view, caused);
        self.section(&format!(
            "CALLS of {who} that cause most ({rows} of {}): each object once, at the innermost call",
            grouped(caused.calls.len() as u64)
        ));
        if shown.is_empty() {
            self.out
                .push_str("  none of its calls causes an allocation\n");
            return;
        }
        self.line("share", "caused", "inclusive", "call");
        let below = match self.options.depth {
            0 | 1 => Vec::new(),
            _ => self.types_below(shown),
        };
        for (at, call) in shown.iter().enumerate() {
            let whole = self.view.totals.executed;
            self.line(
                &self.share(call.charged, whole),
                &self.amount(call.charged),
                &self.amount(call.inclusive),
                &call.caller.location.to_string(),
            );
            if self.options.depth > 1 {
                let types = below.get(at).map(Vec::as_slice).unwrap_or_default();
                self.below_call(&call.caller.target, types);
            }
        }
    }

    /// The types made below each call, by sampled stacks: `byte[] 40 %`, `char[] 21 %`.
    fn types_below(&self, calls: &[CauseView]) -> Vec<Vec<String>> {
        let stacks = &self.view.stacks;
        let place = |location: &Location| {
            (
                location.class.clone(),
                location.method.clone(),
                location.line,
            )
        };
        let calls_at: HashMap<_, usize> = calls
            .iter()
            .enumerate()
            .map(|(at, call)| (place(&call.caller.location), at))
            .collect();
        let call_of: Vec<Option<usize>> = stacks
            .frames
            .iter()
            .map(|frame| match frame {
                Frame::Method {
                    class,
                    method,
                    line,
                    ..
                } => {
                    let key = (readable_class(class), method.to_string(), *line);
                    calls_at.get(&key).copied()
                }
                _ => None,
            })
            .collect();
        let mut types: Vec<BTreeMap<String, i64>> = vec![BTreeMap::new(); calls.len()];
        let sampled = stacks.rows.iter().filter(|row| stacks.has_stack(row));
        for row in sampled {
            let mut frames = stacks.frames_of(row.stack).skip(1);
            let found = frames.find_map(|frame| call_of.get(frame.get()).copied().flatten());
            if let Some(of_call) = found.and_then(|at| types.get_mut(at)) {
                *of_call.entry(type_name(row.ty.as_deref())).or_default() += row.tally.bytes;
            }
        }
        types.into_iter().map(named_shares).collect()
    }

    fn places(&mut self) {
        let sites = self.view.top_sites(ROWS);
        let sort = self.view.filter.sort.name();
        self.section(&format!(
            "SITES that allocate most ({} of {}, by {sort})",
            sites.len(),
            grouped(self.view.sites.len() as u64)
        ));
        if sites.is_empty() {
            self.out.push_str("  nothing was allocated here\n");
            return;
        }
        self.line("share", "bytes", "objects", "site");
        for site in sites {
            let whole = self.view.selected.executed;
            let types = by_type(&site.cells);
            let ty = types.first().map_or("", |(ty, _)| ty);
            self.line(
                &self.share(site.executed, whole),
                &rounded(site.executed.bytes),
                &grouped(site.executed.count),
                &format!("{}  {ty}", site.location),
            );
            let caller = site
                .cells
                .iter()
                .find_map(|cell| self.view.caller(cell.caller?));
            if let Some(caller) = caller.filter(|_| self.options.depth > 1) {
                self.below(&format!("<- {caller}"));
            }
        }
    }

    /// Windows of one name are one row: what one of them makes on average.
    fn windows(&mut self) {
        let mut sums: BTreeMap<&str, (i64, Tally)> = BTreeMap::new();
        for window in &self.view.windows {
            let name = window.name.as_deref().unwrap_or("(before the first mark)");
            let (times, sum) = sums.entry(name).or_default();
            *times += 1;
            *sum += window.made;
        }
        if sums.is_empty() {
            return;
        }
        let mut rows: Vec<(&str, (i64, Tally))> = sums.into_iter().collect();
        rows.sort_by_key(|(_, (_, sum))| std::cmp::Reverse(sum.bytes));
        let shown = WINDOWS.min(rows.len());
        self.section(&format!(
            "WINDOWS between marks ({shown} of {}), each on average",
            rows.len()
        ));
        self.line("times", "bytes", "objects", "mark");
        for (name, (times, sum)) in rows.into_iter().take(shown) {
            let (bytes, objects) = (sum.bytes / times, sum.count / times);
            self.line(&grouped(times), &rounded(bytes), &grouped(objects), name);
        }
    }

    fn types(&mut self) {
        let mut sums: BTreeMap<&str, Tally> = BTreeMap::new();
        for site in &self.view.sites {
            for (ty, tally) in by_type(&site.cells) {
                *sums.entry(ty).or_default() += tally;
            }
        }
        let mut types: Vec<(&str, Tally)> = sums.into_iter().collect();
        let size = |tally: &Tally| match self.view.filter.sort {
            Sort::Bytes => (tally.bytes, tally.count),
            Sort::Count => (tally.count, tally.bytes),
        };
        types.sort_by(|a, b| size(&b.1).cmp(&size(&a.1)).then_with(|| a.0.cmp(b.0)));
        if types.is_empty() {
            return;
        }
        let shown = TYPES.min(types.len());
        self.section(&format!(
            "TYPES ({shown} of {})",
            grouped(types.len() as u64)
        ));
        self.line("share", "bytes", "objects", "type");
        for (ty, tally) in types.into_iter().take(shown) {
            self.line(
                &self.share(tally, self.view.selected.executed),
                &rounded(tally.bytes),
                &grouped(tally.count),
                ty,
            );
        }
    }

    fn next(&mut self) {
        let trace = next_command::shell_word(&self.view.trace);
        self.section("MORE with");
        let mut lines = Vec::new();
        let is_plain = self.view.caused.is_none() && !self.view.filter.is_partial();
        if is_plain && !self.view.run.mode.has_events() {
            lines.push((
                "ducktrack run --app auto -- java ...".to_owned(),
                "what each call of your code causes",
            ));
        }
        if let Some(package) = next_command::own_package(self.view).filter(|_| is_plain) {
            lines.push((
                format!(
                    "ducktrack report {trace} --only {}",
                    next_command::shell_word(&package)
                ),
                "what this package allocates",
            ));
        }
        lines.push((
            format!("ducktrack report {trace} --full"),
            "types, places and callers in full",
        ));
        lines.push((
            format!("ducktrack report {trace} --tree"),
            "whole call stacks",
        ));
        lines.push((
            format!("ducktrack report {trace} --format html -o report.html"),
            "table and flame graph",
        ));
        if self.view.run.mode.has_events() {
            lines.push((
                format!("ducktrack heap {trace}"),
                "what is alive at the end",
            ));
        }
        let width = lines
            .iter()
            .map(|(line, _)| line.chars().count())
            .max()
            .unwrap_or(0);
        for (line, meaning) in lines {
            let line = match width + meaning.len() + 4 > self.options.width {
                true => format!("  {line}"),
                false => format!("  {line:<width$}  {}", self.dim(meaning)),
            };
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    /// Bytes or objects, whichever rows are sorted by.
    fn amount(&self, tally: Tally) -> String {
        match self.view.filter.sort {
            Sort::Bytes => rounded(tally.bytes),
            Sort::Count => grouped(tally.count),
        }
    }

    fn share(&self, part: Tally, whole: Tally) -> String {
        match self.view.filter.sort {
            Sort::Bytes => share(part.bytes, whole.bytes),
            Sort::Count => share(part.count, whole.count),
        }
    }

    fn title(&mut self, text: &str) {
        let text = fitted(text, self.options.width);
        let bold = self.styled("1", &text);
        self.out.push_str(&bold);
        self.out.push('\n');
    }

    /// A heading that is too long goes on below.
    fn section(&mut self, text: &str) {
        self.out.push('\n');
        for line in wrapped(text, self.options.width) {
            self.title(&line);
        }
    }

    /// A sentence that is too long goes on below.
    fn fact(&mut self, name: &str, value: &str) {
        let width = self.options.width - FACTS;
        for (at, line) in wrapped(value, width).into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let line = format!("  {name:<13}  {}", fitted(&line, width));
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    fn line(&mut self, share: &str, first: &str, second: &str, name: &str) {
        let name = fitted(name, self.options.width - NUMBERS);
        self.out
            .push_str(&format!("  {share:>7}  {first:>10}  {second:>12} {name}\n"));
    }

    fn below(&mut self, text: &str) {
        let text = fitted(text, self.options.width - NUMBERS - 2);
        let text = self.dim(&text);
        self.out.push_str(&format!("{:NUMBERS$}  {text}\n", ""));
    }

    /// The target of a call, and the types that fit.
    fn below_call(&mut self, target: &str, types: &[String]) {
        let room = self.options.width - NUMBERS - 2;
        let mut text = format!("calls {target}");
        for (at, ty) in types.iter().enumerate() {
            let separator = if at == 0 { ": " } else { ", " };
            let longer = format!("{text}{separator}{ty}");
            if longer.chars().count() > room {
                break;
            }
            text = longer;
        }
        self.below(&text);
    }

    fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        match self.options.colour {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

fn named_shares(types: BTreeMap<String, i64>) -> Vec<String> {
    let whole: i64 = types.values().sum();
    let mut types: Vec<(String, i64)> = types.into_iter().collect();
    types.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let shown = types.iter().take(TYPES_OF_CALL);
    shown
        .map(|(ty, bytes)| format!("{ty} {}", share(*bytes, whole)))
        .collect()
}

fn rounded(value: i64) -> String {
    u64::try_from(value).map_or_else(|_| crate::quantity::bytes(value), short_bytes)
}
