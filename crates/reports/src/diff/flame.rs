//! Two runs as one picture of whole stacks: what grew, what shrank, what is new, and what vanished.
//!
//! ```text
//! strings  every text; nodes name them by position
//! nodes    [parent or -1, name, bytes before, bytes after, objects before, objects after], the root first
//! ```

use std::collections::HashMap;

use askama::Template;
use ducktrack_count_model::Tally;
use ducktrack_profile::{CallTree, Direction, Frame, NodeLabel, Profile, Unit};
use serde_json::{Value, json};

use crate::error::ReportError;
use crate::html::inside_script;
use crate::quantity::{bytes, grouped_signed, objects, share};
use crate::stack_names::{frame_name, type_name};
use crate::texts::Texts;
use crate::view::View;

/// Nodes below this part of the larger run in both are left out.
const LEAST_SHARE: f64 = 0.0002;

/// The page. Both views need stacks.
///
/// # Errors
/// When a run has no stacks; and where a value has no JSON form, which none has.
pub fn diff_html(before: &View, after: &View) -> Result<String, ReportError> {
    for view in [before, after] {
        if view.stacks.samples == 0 {
            return Err(ReportError::NoStacks(view.trace.clone()));
        }
    }
    let mut merged = Merged::default();
    merged.add(&before.stacks, 0);
    merged.add(&after.stacks, 1);
    let data = serde_json::to_string(&merged.data()).map_err(ReportError::NoJsonForm)?;
    let page = Page {
        title: format!("{} against {}", after.trace, before.trace),
        facts: facts(before, after),
        css: include_str!("../../templates/diff/page.css"),
        js: concat!(
            include_str!("../../templates/embedded.js"),
            include_str!("../../templates/names.js"),
            include_str!("../../templates/diff/page.js")
        ),
        data: inside_script(&data),
    };
    page.render().map_err(ReportError::Page)
}

#[derive(Template)]
#[template(path = "diff/page.html")]
struct Page {
    title: String,
    facts: Vec<String>,
    css: &'static str,
    js: &'static str,
    data: String,
}

fn facts(before: &View, after: &View) -> Vec<String> {
    let total = |view: &View| view.stacks.total;
    let of_bytes = total(after).bytes.saturating_sub(total(before).bytes);
    let of_objects = total(after).count.saturating_sub(total(before).count);
    let with = |view: &View| share(view.stacks.with_stacks.bytes, view.stacks.total.bytes);
    vec![
        format!(
            "before {} in {}",
            bytes(total(before).bytes),
            objects(total(before).count)
        ),
        format!(
            "after {} in {}",
            bytes(total(after).bytes),
            objects(total(after).count)
        ),
        format!(
            "{} B in {} obj",
            grouped_signed(of_bytes),
            grouped_signed(of_objects)
        ),
        format!(
            "with stacks: {} and {} of the bytes; places are exact, callers are estimates",
            with(before),
            with(after)
        ),
    ]
}

/// The same in both runs, whatever else reads alike in one of them.
fn key(frame: &Frame) -> String {
    match frame {
        Frame::Method {
            class,
            method,
            descriptor,
            line,
            ..
        } => format!("{class}.{method}{descriptor}:{line:?}"),
        Frame::NoStack | Frame::Deeper => frame_name(frame),
    }
}

/// Both trees as one, by the names of their frames.
struct Merged {
    nodes: Vec<Node>,
    known: HashMap<(usize, String), usize>,
}

struct Node {
    parent: Option<usize>,
    name: String,
    values: [Tally; 2],
}

impl Default for Merged {
    fn default() -> Self {
        let root = Node {
            parent: None,
            name: "all".to_owned(),
            values: Default::default(),
        };
        Self {
            nodes: vec![root],
            known: HashMap::new(),
        }
    }
}

impl Merged {
    fn add(&mut self, profile: &Profile, side: usize) {
        let tree = CallTree::new(profile, Direction::TopDown, Unit::Bytes);
        // Positions of the tree's nodes here; a parent stands before its children.
        let mut places = vec![0; tree.nodes.len()];
        for (at, node) in tree.nodes.iter().enumerate() {
            let place = match &node.label {
                NodeLabel::Root => 0,
                NodeLabel::Frame(frame) => {
                    let frame = profile.frame(*frame);
                    self.child(places[node.parent], key(frame), frame_name(frame))
                }
                NodeLabel::Type(ty) => {
                    let name = type_name(ty.as_deref());
                    self.child(places[node.parent], name.clone(), name)
                }
            };
            places[at] = place;
            self.nodes[place].values[side] += node.tally;
        }
    }

    fn child(&mut self, parent: usize, key: String, name: String) -> usize {
        let nodes = &mut self.nodes;
        *self.known.entry((parent, key)).or_insert_with(|| {
            nodes.push(Node {
                parent: Some(parent),
                name,
                values: Default::default(),
            });
            nodes.len() - 1
        })
    }

    /// The nodes of the page: small ones are left out, and all that is below them.
    fn data(&self) -> Value {
        let least = self.nodes[0]
            .values
            .map(|tally| tally.bytes)
            .into_iter()
            .max();
        let least = (least.unwrap_or(0) as f64 * LEAST_SHARE) as i64;
        let mut place: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let (mut rows, mut texts) = (Vec::new(), Texts::default());
        for (at, node) in self.nodes.iter().enumerate() {
            let parent = match node.parent {
                None => json!(-1),
                Some(parent) => match place[parent] {
                    Some(parent) => json!(parent),
                    None => continue,
                },
            };
            let [before, after] = node.values;
            if before.bytes.max(after.bytes) < least {
                continue;
            }
            place[at] = Some(rows.len());
            let name = texts.number(&node.name);
            rows.push(json!([
                parent,
                name,
                before.bytes.max(0),
                after.bytes.max(0),
                before.count.max(0),
                after.count.max(0)
            ]));
        }
        json!({"strings": texts.all, "nodes": rows})
    }
}
