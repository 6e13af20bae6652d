//! `report --tree`: whole stacks as a tree for a terminal. Frames in the middle of a chain of calls are left out, unless they are of the program's own code.
//!
//! ```text
//!           bytes    share  95 of 100 times   tree
//!   624,000,000 B   69.6 %  68.9 to 70.2 %    Shares.main:16
//!   624,000,000 B   69.6 %  68.9 to 70.2 %      Shares.a:5
//! ```

mod chains;

use ducktrack_profile::{CallTree, Direction, NodeLabel, Profile, Unit};

use self::chains::{OwnCode, chain};
use crate::filter::Sort;
use crate::quantity::{bytes, grouped, objects, share};
use crate::stack_names::{frame_name, type_name};
use crate::view::View;

/// Nodes below this part of everything are left out.
const LEAST_SHARE: f64 = 0.005;
const LEAST_SHARE_TEXT: &str = "0.5 %";
/// Lines that are printed by default.
const LINES: usize = 60;
/// A single chain of calls is indented up to here.
const DEEPEST_INDENT: usize = 40;

/// How a tree is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeOptions {
    /// Types at the root, callers below what they cause.
    pub inverted: bool,
    /// Steps from the root; all where it is not given.
    pub depth: Option<usize>,
}

/// The tree as text.
pub fn tree(view: &View, options: TreeOptions) -> String {
    let profile = &view.stacks;
    let unit = unit_of(view.filter.sort);
    let direction = match options.inverted {
        true => Direction::BottomUp,
        false => Direction::TopDown,
    };
    let tree = CallTree::new(profile, direction, unit);
    let mut out = head(view, profile, unit, direction);
    let mut lines = Lines {
        tree: &tree,
        profile,
        own: OwnCode::of(view),
        unit,
        most_depth: options.depth.unwrap_or(usize::MAX),
        left: view.filter.top.unwrap_or(LINES),
        out: Vec::new(),
        hidden: 0,
    };
    lines.print();
    for line in &lines.out {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&foot(view, lines.hidden, options));
    out
}

pub(crate) fn unit_of(sort: Sort) -> Unit {
    match sort {
        Sort::Bytes => Unit::Bytes,
        Sort::Count => Unit::Objects,
    }
}

fn head(view: &View, profile: &Profile, unit: Unit, direction: Direction) -> String {
    let what = match unit {
        Unit::Bytes => "bytes",
        Unit::Objects => "objects",
    };
    let order = match direction {
        Direction::TopDown => "callers contain what they call; types are the leaves",
        Direction::BottomUp => "types contain the places that make them, places their callers",
    };
    let mut out = format!("ducktrack tree: {}\n", view.run.command);
    out.push_str(&format!(
        "  executed       {} in {}\n",
        bytes(profile.total.bytes),
        objects(profile.total.count)
    ));
    out.push_str(&format!(
        "  with stacks    {} of the {what}, by {} samples{}\n",
        share(unit.of(profile.with_stacks), unit.of(profile.total)),
        grouped(profile.samples),
        lacking(profile)
    ));
    if view.filter.is_partial() {
        out.push_str(&format!("  only           {}\n", view.filter.description()));
    }
    out.push_str(
        "  exact          places and types; what went through a caller is an estimate with its interval\n",
    );
    out.push_str(&format!("\nTREE of {what}: {order}\n"));
    out.push_str(&format!(
        "{:>18}  {:>7}  {:<18}  stack\n",
        what, "share", "95 of 100 times"
    ));
    out
}

fn lacking(profile: &Profile) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (profile.unmatched, "at no counted place"),
        (profile.skipped, "dropped"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", grouped(count)));
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    }
}

fn foot(view: &View, hidden: usize, options: TreeOptions) -> String {
    let mut out = String::new();
    if hidden > 0 {
        out.push_str(&format!(
            "  ... {hidden} branches of less than {}, or beyond the lines and depth shown (--top N, --depth N)\n",
            LEAST_SHARE_TEXT
        ));
    }
    if view.stacks.samples == 0 {
        out.push_str("No stacks were sampled in this run (stacks=off, or see the notes of `ducktrack report`): sites have no callers here.\n");
    }
    let next = match options.inverted {
        true => format!(
            "ducktrack report {} --format html -o report.html   # flame graph",
            view.trace
        ),
        false => format!(
            "ducktrack report {} --tree --invert   # from types to their callers",
            view.trace
        ),
    };
    out.push_str(&format!("\nNext: {next}\n"));
    out
}

/// Lines under construction, the largest branches first.
struct Lines<'a> {
    tree: &'a CallTree<'a>,
    profile: &'a Profile,
    own: OwnCode,
    unit: Unit,
    most_depth: usize,
    left: usize,
    out: Vec<String>,
    hidden: usize,
}

impl Lines<'_> {
    /// Depth first, with a stack of its own: stacks may be deep.
    fn print(&mut self) {
        let root = self.tree.node(0);
        let mut waiting: Vec<(usize, usize)> =
            root.children.iter().rev().map(|at| (*at, 0)).collect();
        while let Some((first, indent)) = waiting.pop() {
            if self.left == 0 || !self.is_large(first) || indent >= self.most_depth {
                self.hidden += 1;
                continue;
            }
            let (last, indent) = self.print_chain(first, indent);
            let children = self.tree.node(last).children.iter().rev();
            waiting.extend(children.map(|at| (*at, indent)));
        }
    }

    fn is_large(&self, at: usize) -> bool {
        let value = |at: usize| self.unit.of(self.tree.node(at).tally) as f64;
        value(at) >= value(0) * LEAST_SHARE
    }

    /// Lines from this node down to where its chain of calls ends. Returns that node, and the indent of what is below it.
    fn print_chain(&mut self, first: usize, indent: usize) -> (usize, usize) {
        let mut below = (first, indent + 1);
        let is_large = |at: usize| self.is_large(at);
        for (at, left_out) in chain(self.tree, self.profile, &self.own, (first, is_large)) {
            if self.left == 0 || below.1 > self.most_depth {
                self.hidden += 1;
                return below;
            }
            self.left -= 1;
            let depth = if at == first { indent } else { below.1 };
            self.out.push(self.line(at, depth, left_out));
            below = (at, depth + 1);
        }
        below
    }

    fn line(&self, at: usize, depth: usize, left_out: usize) -> String {
        let node = self.tree.node(at);
        let value = self.unit.of(node.tally);
        let total = self.unit.of(self.tree.node(0).tally).max(1) as f64;
        let amount = match self.unit {
            Unit::Bytes => bytes(value),
            Unit::Objects => objects(value),
        };
        let interval = match self.tree.is_exact(at) {
            true => "exact".to_owned(),
            false => {
                let interval = self.tree.interval(at);
                format!(
                    "{:.1} to {:.1} %",
                    100.0 * interval.low / total,
                    100.0 * interval.high / total
                )
            }
        };
        let label = match &node.label {
            NodeLabel::Root => String::new(),
            NodeLabel::Frame(frame) => frame_name(self.profile.frame(*frame)),
            NodeLabel::Type(ty) => type_name(ty.as_deref()),
        };
        let mut indent = "  ".repeat(depth.min(DEEPEST_INDENT));
        if left_out > 0 {
            indent += &format!("({left_out} frames) ");
        }
        let part = share(value, self.unit.of(self.tree.node(0).tally));
        format!("{amount:>18}  {part:>7}  {interval:<18}  {indent}{label}")
    }
}
