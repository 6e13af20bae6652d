//! The text of `ducktrack top`: the table of `--once`, and the heap.

use ducktrack_reports::{LiveCollectionDoc, LiveDoc, LiveHeapDoc, LiveRowDoc, fitted};

use super::columns::{RowOrder, short_bytes, short_number};
use super::grouping::By;

/// Letters before the name in a row.
const FIGURES: usize = 4 * 13 + 1;

/// Where there are no rows of calls.
pub(crate) const NO_CALLS: &str = "No calls of the application: record with app=auto (ducktrack run --app auto -- java ...), without a trace";

/// Where there is no live heap.
pub(crate) const NO_HEAP: &str = "No live heap: record with mode=trace (ducktrack run --mode trace -- java ...), and wait for a collection";

/// The document for people; names become shorter to fit into this width.
pub(crate) fn text(document: &LiveDoc, by: By, width: usize) -> String {
    let mut out = format!(
        "ducktrack top: pid {} ({}), {:.1} s between two looks\n",
        document.pid, document.state, document.seconds
    );
    for line in heap_lines(document.heap.as_ref()) {
        out += &format!("  {line}\n");
    }
    let line = |cells: [String; 4], name: &str| {
        let cells = cells.map(|cell| format!("{cell:>12} ")).concat();
        format!("{cells} {name}\n")
    };
    let row = |row: &LiveRowDoc| {
        let name = fitted(&row.name, width.saturating_sub(FIGURES).max(8));
        let per = |column: RowOrder| match column {
            RowOrder::BytesRate | RowOrder::ObjectsRate => "/s",
            RowOrder::Bytes | RowOrder::Objects => "",
        };
        let figure = |column: RowOrder| column.figure(row) + per(column);
        line(RowOrder::ALL.map(figure), &name)
    };
    let titles = RowOrder::ALL.map(|column| column.title(by).to_owned());
    out += &format!("\n{}", line(titles, document.by));
    out += &row(&document.total);
    for each in &document.rows {
        out += &row(each);
    }
    if by == By::Calls && document.rows.is_empty() {
        out += &format!("\n{NO_CALLS}\n");
    }
    if by == By::Heap {
        out += &format!("\n{}\n", heap_rows_line(document.heap.as_ref()));
    }
    out += &format!("\nNext:\n  ducktrack report {}\n", document.trace);
    out
}

/// Says which objects the rows of the live heap count.
pub(crate) fn heap_rows_line(heap: Option<&LiveHeapDoc>) -> String {
    match heap {
        None => NO_HEAP.to_owned(),
        Some(heap) => match heap.rows_of_collection {
            Some(number) => format!(
                "Objects not known dead after collection {number}; rates: how they become more or fewer"
            ),
            None => {
                "The live heap is not known (the trace is being read, or has no moves of objects)"
                    .to_owned()
            }
        },
    }
}

/// The text about the heap of a traced run.
pub(crate) fn heap_lines(heap: Option<&LiveHeapDoc>) -> Vec<String> {
    let Some(heap) = heap else {
        return Vec::new();
    };
    let last = &heap.last;
    let amount = |one: &LiveCollectionDoc| match (one.live_objects, one.live_bytes) {
        (Some(objects), Some(bytes)) => format!(
            "{}, {} objects not known dead",
            short_bytes(bytes as f64),
            short_number(objects as f64)
        ),
        _ => format!("{} used", short_bytes(one.used_bytes as f64)),
    };
    let old_space = match &heap.last_full {
        Some(full) if full.number == last.number => "by this one".to_owned(),
        Some(full) => format!(
            "by collection {}, {:.0} s ago: {}",
            full.number,
            full.seconds_ago,
            match full.live_bytes {
                Some(live) => format!("{} live", short_bytes(live as f64)),
                None => format!("{} used", short_bytes(full.used_bytes as f64)),
            }
        ),
        None => "not lately".to_owned(),
    };
    vec![
        format!(
            "heap: {} after collection {} ({}, {:.1} ms, {:.0} s ago)",
            amount(last),
            last.number,
            last.kind,
            last.pause_millis,
            last.seconds_ago,
        ),
        format!(
            "{:.1} pauses/s, {:.1} % of the time; all of the old space was looked at {old_space}",
            heap.collections_per_second,
            heap.pause_share * 100.0
        ),
    ]
}
