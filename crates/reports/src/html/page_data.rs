//! The table's data for the script, small: every text once, rows as arrays of numbers.
//!
//! ```text
//! strings  every text; rows name them by position
//! callers  [class, method, descriptor, bci, line or -1, file or -1, target]
//! stacks   null, or frames: texts; own: frames of the program's own code; nodes: [caller or -1, frame];
//!          rows: [node, type, thread or -1, objects, bytes]
//! sites    [class, method, descriptor, bci, line or -1, file or -1, type or -1, kind, objects, bytes,
//!           heap objects or null, heap bytes or null,
//!           [[type, caller or -1, objects, bytes] ...], [[thread, objects, bytes] ...], [[low, high, arrays] ...]]
//! ```

use std::collections::HashMap;

use ducktrack_profile::Profile;
use serde_json::{Value, json};

use crate::class_name::printable;
use crate::error::ReportError;
use crate::stack_names::{frame_name, type_name};
use crate::text::table::AmountTable;
use crate::texts::Texts;
use crate::tree::OwnCode;
use crate::view::{CallerId, Location, SiteRow, View};
use crate::view_stacks::shown_stacks;

pub(super) fn page_data(view: &View) -> Result<String, ReportError> {
    let mut texts = Texts::default();
    let sites = view.top_sites(usize::MAX);
    let (callers, numbers) = callers(view, sites, &mut texts);
    let sites: Vec<Value> = sites
        .iter()
        .map(|site| row(site, &numbers, &mut texts))
        .collect();
    let stacks = stacks(&shown_stacks(view), &OwnCode::of(view), &mut texts);
    let data = json!({
        "stacks": stacks,
        "strings": texts.all,
        "callers": callers,
        "sites": sites,
        "table": AmountTable::new(&view.selected, "").on_page(),
        "count": view.selected.executed.count,
        "bytes": view.selected.executed.bytes,
        "sort": view.filter.sort.name(),
    });
    let text = serde_json::to_string(&data).map_err(ReportError::NoJsonForm)?;
    Ok(inside_script(&text))
}

/// JSON that no text in it can leave: in a JSON string these characters may as well be written as escapes.
pub(crate) fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

impl Texts {
    fn place(&mut self, at: &Location) -> Vec<Value> {
        vec![
            json!(self.number(&at.class)),
            json!(self.number(&at.method)),
            json!(self.number(&at.descriptor)),
            json!(at.bci),
            at.line.map_or(json!(-1), |line| json!(line)),
            self.optional(at.source_file.as_deref()),
        ]
    }

    fn optional(&mut self, text: Option<&str>) -> Value {
        text.map_or(json!(-1), |text| json!(self.number(text)))
    }
}

/// Whole stacks; null where none were sampled.
fn stacks(profile: &Profile, own: &OwnCode, texts: &mut Texts) -> Value {
    if profile.samples == 0 {
        return Value::Null;
    }
    let frames: Vec<usize> = profile
        .frames
        .iter()
        .map(|frame| texts.number(&frame_name(frame)))
        .collect();
    let nodes: Vec<Value> = profile
        .stacks
        .iter()
        .map(|node| {
            let caller = node.parent.map_or(json!(-1), |parent| json!(parent.get()));
            json!([caller, node.frame.get()])
        })
        .collect();
    let rows: Vec<Value> = profile
        .rows
        .iter()
        .filter(|row| row.tally.count > 0 || row.tally.bytes > 0)
        .map(|row| {
            let thread = row.thread.as_deref().map(printable);
            json!([
                row.stack.get(),
                texts.number(&type_name(row.ty.as_deref())),
                texts.optional(thread.as_deref()),
                row.tally.count.max(0),
                row.tally.bytes.max(0)
            ])
        })
        .collect();
    let own_frames = profile.frames.iter().enumerate();
    let own_frames = own_frames.filter(|(_, frame)| own.has(frame));
    let own_frames: Vec<usize> = own_frames.map(|(at, _)| at).collect();
    json!({"frames": frames, "own": own_frames, "nodes": nodes, "rows": rows})
}

/// The callers that the shown sites refer to, and their positions.
fn callers(
    view: &View,
    sites: &[SiteRow],
    texts: &mut Texts,
) -> (Vec<Value>, HashMap<CallerId, usize>) {
    let mut rows = Vec::new();
    let mut numbers = HashMap::new();
    for id in sites
        .iter()
        .flat_map(|site| &site.cells)
        .filter_map(|cell| cell.caller)
    {
        if numbers.contains_key(&id) {
            continue;
        }
        if let Some(caller) = view.caller(id) {
            numbers.insert(id, rows.len());
            let mut row = texts.place(&caller.location);
            row.push(json!(texts.number(&caller.target)));
            rows.push(Value::Array(row));
        }
    }
    (rows, numbers)
}

fn row(site: &SiteRow, callers: &HashMap<CallerId, usize>, texts: &mut Texts) -> Value {
    let mut row = texts.place(&site.location);
    row.push(texts.optional(site.ty.as_deref()));
    row.push(json!(texts.number(site.kind)));
    row.extend([json!(site.executed.count), json!(site.executed.bytes)]);
    row.push(
        site.materialized
            .map_or(Value::Null, |heap| json!(heap.count)),
    );
    row.push(
        site.materialized
            .map_or(Value::Null, |heap| json!(heap.bytes)),
    );
    row.push(
        site.cells
            .iter()
            .map(|cell| {
                let caller = cell
                    .caller
                    .and_then(|id| callers.get(&id))
                    .map_or(json!(-1), |at| json!(at));
                json!([
                    texts.number(&cell.ty),
                    caller,
                    cell.executed.count,
                    cell.executed.bytes
                ])
            })
            .collect(),
    );
    row.push(
        site.threads
            .iter()
            .map(|part| {
                json!([
                    texts.number(&part.name),
                    part.executed.count,
                    part.executed.bytes
                ])
            })
            .collect(),
    );
    row.push(
        site.lengths
            .iter()
            .map(|bucket| {
                let (low, high) = bucket.range();
                json!([low, high, bucket.count])
            })
            .collect(),
    );
    Value::Array(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_the_script_element() {
        let text = serde_json::to_string(&json!({"a": "</script><!-- & -->"})).expect("json");
        let safe = inside_script(&text);
        assert!(!safe.contains(['<', '>', '&']));
        let back: Value = serde_json::from_str(&safe).expect("still JSON");
        assert_eq!(back["a"], "</script><!-- & -->");
    }
}
