//! `report --tree`: whole stacks as a tree for a terminal. Frames in the middle
//! of a chain of calls are left out, unless they are of the program's own code.
//!
//! ```text
//!           bytes    share  95 of 100 times   tree
//!   624,000,000 B   69.6 %  68.9 to 70.2 %    Shares.main:16
//!   624,000,000 B   69.6 %  68.9 to 70.2 %      Shares.a:5
//! ```

mod chains;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use ducktrack_profile::{CallTree, Direction, NodeLabel, Profile, Unit};

pub(crate) use self::chains::OwnCode;
use self::chains::chain;
use crate::filter::Sort;
use crate::quantity::{bytes, grouped, objects, share};
use crate::stack_names::{frame_name, type_name};
use crate::view::View;
use crate::view_stacks::shown_stacks;

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
    let profile = &*shown_stacks(view);
    let unit = unit_of(view.filter.sort);
    let direction = match options.inverted {
        true => Direction::BottomUp,
        false => Direction::TopDown,
    };
    let tree = CallTree::new(profile, direction, unit);
    let mut out = head(view, profile, unit, direction);
    let lines = Lines {
        tree: &tree,
        profile,
        own: OwnCode::of(view),
        unit,
        most_depth: options.depth.unwrap_or(usize::MAX),
        most: view.filter.top.unwrap_or(LINES),
    };
    let hidden = lines.print(&mut out);
    out.push_str(&foot(view, hidden, options));
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

/// Makes the lines of the largest branches, wherever in the tree they are.
struct Lines<'a> {
    tree: &'a CallTree<'a>,
    profile: &'a Profile,
    own: OwnCode,
    unit: Unit,
    most_depth: usize,
    most: usize,
}

/// The lines of a chain of calls: nodes, each with its indent and the number of frames left out before it.
type ChainLines = Vec<(usize, usize, usize)>;

impl Lines<'_> {
    /// Prints the tree, and returns how many branches are not shown.
    fn print(&self, out: &mut String) -> usize {
        let (chosen, hidden) = self.chosen();
        // Depth first, with a stack of its own: stacks may be deep.
        let mut waiting: Vec<usize> = self.tree.node(0).children.iter().rev().copied().collect();
        while let Some(first) = waiting.pop() {
            let Some(lines) = chosen.get(&first) else {
                continue;
            };
            for (at, indent, left_out) in lines {
                *out += &self.line(*at, *indent, *left_out);
                out.push('\n');
            }
            if let Some((last, _, _)) = lines.last() {
                waiting.extend(self.tree.node(*last).children.iter().rev());
            }
        }
        hidden
    }

    /// By their first nodes, the chains that have lines: the largest, since one that leads nowhere else must not use up all lines.
    fn chosen(&self) -> (BTreeMap<usize, ChainLines>, usize) {
        let (mut chosen, mut hidden, mut left) = (BTreeMap::new(), 0, self.most);
        let mut waiting: BinaryHeap<(i64, Reverse<usize>, usize)> = BinaryHeap::new();
        let entry = |at: usize, indent| (self.value(at), Reverse(at), indent);
        let roots = self.tree.node(0).children.iter();
        waiting.extend(roots.map(|at| entry(*at, 0)));
        while let Some((_, Reverse(first), indent)) = waiting.pop() {
            if left == 0 || !self.is_large(first) || indent >= self.most_depth {
                hidden += 1;
                continue;
            }
            let mut lines = self.chain_lines(first, indent);
            lines.truncate(left);
            left -= lines.len();
            if let Some((last, indent, _)) = lines.last() {
                let children = self.tree.node(*last).children.iter();
                waiting.extend(children.map(|at| entry(*at, indent + 1)));
            }
            chosen.insert(first, lines);
        }
        (chosen, hidden)
    }

    fn value(&self, at: usize) -> i64 {
        self.unit.of(self.tree.node(at).tally)
    }

    fn is_large(&self, at: usize) -> bool {
        self.value(at) as f64 >= self.value(0) as f64 * LEAST_SHARE
    }

    /// From this node down to where its chain of calls ends.
    fn chain_lines(&self, first: usize, indent: usize) -> ChainLines {
        let is_large = |at: usize| self.is_large(at);
        let nodes = chain(self.tree, self.profile, &self.own, (first, is_large));
        let lines = nodes.into_iter().enumerate();
        let lines = lines.map(|(place, (at, left_out))| (at, indent + place, left_out));
        lines
            .take_while(|(_, indent, _)| *indent < self.most_depth)
            .collect()
    }

    fn line(&self, at: usize, depth: usize, left_out: usize) -> String {
        let node = self.tree.node(at);
        let value = self.value(at);
        let total = self.value(0).max(1);
        let amount = match self.unit {
            Unit::Bytes => bytes(value),
            Unit::Objects => objects(value),
        };
        let interval = match self.tree.is_exact(at) {
            true => "exact".to_owned(),
            false => {
                let interval = self.tree.interval(at);
                let percent = |value: f64| 100.0 * (value / total as f64).min(1.0);
                format!(
                    "{:.1} to {:.1} %",
                    percent(interval.low),
                    percent(interval.high)
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
        let part = share(value, self.value(0));
        format!("{amount:>18}  {part:>7}  {interval:<18}  {indent}{label}")
    }
}
