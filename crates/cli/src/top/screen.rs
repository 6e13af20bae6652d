//! The screen of `ducktrack top`: head, table, keys.

use ducktrack_reports::fitted;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Table};

use super::columns::{RowOrder, short_bytes, short_number};
use super::grouping::By;
use super::live_run::LiveRun;
use super::live_table::{LiveTable, SPARKS, ShownRow};
use super::live_text::{NO_CALLS, heap_lines, heap_rows_line};

/// Bars of a spark line, lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Widths of the four columns of figures.
const FIGURES: u16 = 10;
/// From this width on there is room for spark lines.
const WIDE: u16 = 90;

/// The choices of the user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    pub(crate) paused: bool,
    /// The first row that is shown.
    pub(crate) first: usize,
    /// The filter is being typed.
    pub(crate) typing: bool,
}

pub(crate) fn draw(frame: &mut Frame<'_>, live: &LiveRun, table: &LiveTable, choices: &Choices) {
    let heap = heap_lines(live.heap().as_ref());
    let [head, tabs, body, keys] = Layout::vertical([
        Constraint::Length(2 + heap.len() as u16),
        Constraint::Length(1),
        Constraint::Min(2),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let (count, rows) = table.shown(choices.first, usize::from(body.height.saturating_sub(1)));
    frame.render_widget(head_lines(live, table, choices, heap), head);
    frame.render_widget(tab_line(live, table, count), tabs);
    frame.render_widget(rows_table(table, &rows, body), body);
    frame.render_widget(key_line(table, choices), keys);
}

fn head_lines(
    live: &LiveRun,
    table: &LiveTable,
    choices: &Choices,
    heap: Vec<String>,
) -> Paragraph<'static> {
    let whole = table.whole();
    let state = match (choices.paused, live.state) {
        (true, _) => "paused",
        (false, state) => state.name(),
    };
    let rows_of = live.heap().and_then(|heap| heap.rows_of_collection);
    let since = match (table.by, table.has_mark(), rows_of) {
        (By::Heap, true, _) => "more than at the mark".to_owned(),
        (By::Heap, false, Some(number)) => format!("after collection {number}"),
        (_, true, _) => "since the mark".to_owned(),
        _ => "since the start".to_owned(),
    };
    let private = match live.private_threads {
        0 => String::new(),
        count => format!("   {count} threads in private memory are not here"),
    };
    let of = match table.by {
        By::Calls => " in calls of the application",
        By::Heap => " not known dead",
        By::OffHeap => " outside of the heap, not released",
        _ => "",
    };
    let mut lines = vec![
        Line::from(vec![
            Span::styled("ducktrack top", Style::new().add_modifier(Modifier::BOLD)),
            Span::raw(format!(
                "  pid {} {state}  {}",
                live.pid,
                live.directory().display()
            )),
        ]),
        Line::from(format!(
            "{}/s  {}/s objects   {} in {} objects{of} {since}{private}",
            short_bytes(whole.bytes_per_second),
            short_number(whole.objects_per_second),
            short_bytes(whole.bytes as f64),
            short_number(whole.objects as f64),
        )),
    ];
    lines.extend(heap.into_iter().map(Line::from));
    Paragraph::new(lines)
}

fn tab_line(live: &LiveRun, table: &LiveTable, count: usize) -> Paragraph<'static> {
    let mut spans = Vec::new();
    for (number, by) in (1..).zip(By::ALL) {
        let style = match by == table.by {
            true => Style::new().add_modifier(Modifier::REVERSED),
            false => Style::new(),
        };
        spans.push(Span::styled(format!(" {number} {} ", by.word()), style));
    }
    let filter = match table.filter.as_str() {
        "" => String::new(),
        text => format!(", filter: {text}"),
    };
    spans.push(Span::raw(match (table.by, count) {
        (By::Calls, 0) if table.filter.is_empty() => format!("   {NO_CALLS}"),
        (By::Heap, 0) if table.filter.is_empty() => {
            format!("   {}", heap_rows_line(live.heap().as_ref()))
        }
        _ => format!(
            "   {count} rows by {}{filter}",
            table.order.title(By::Sites)
        ),
    }));
    Paragraph::new(Line::from(spans))
}

fn rows_table<'a>(table: &LiveTable, rows: &'a [ShownRow], area: Rect) -> Table<'a> {
    let is_wide = area.width >= WIDE;
    let figures = 4 * (FIGURES + 1);
    let sparks = if is_wide { SPARKS as u16 + 1 } else { 0 };
    let names = area.width.saturating_sub(figures + sparks).max(8);
    let mut widths = vec![Constraint::Length(FIGURES); RowOrder::ALL.len()];
    if is_wide {
        widths.push(Constraint::Length(SPARKS as u16));
    }
    widths.push(Constraint::Length(names));
    let lines = rows
        .iter()
        .map(|row| line(row, is_wide, usize::from(names)));
    Table::new(lines, widths)
        .header(header(table, is_wide))
        .column_spacing(1)
}

fn header(table: &LiveTable, is_wide: bool) -> Row<'static> {
    let column = |order: RowOrder| {
        let style = match order == table.order {
            true => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            false => Style::new().add_modifier(Modifier::BOLD),
        };
        right(order.title(table.by).to_owned()).style(style)
    };
    let mut cells = RowOrder::ALL.map(column).to_vec();
    if is_wide {
        cells.push(Cell::from("bytes/s before"));
    }
    cells.push(Cell::from(table.by.word()));
    Row::new(cells)
}

fn line(row: &ShownRow, is_wide: bool, width: usize) -> Row<'static> {
    let mut cells = RowOrder::ALL
        .map(|column| right(column.figure(&row.row)))
        .to_vec();
    if is_wide {
        cells.push(Cell::from(spark_line(&row.sparks)));
    }
    cells.push(Cell::from(fitted(&row.row.name, width)));
    Row::new(cells)
}

fn right(text: String) -> Cell<'static> {
    Cell::from(Line::from(text).right_aligned())
}

/// Each look a bar, as high as its part of the highest.
fn spark_line(rates: &[f64]) -> String {
    let highest = rates.iter().copied().fold(0.0, f64::max);
    let bar = |rate: &f64| match highest > 0.0 && *rate > 0.0 {
        true => BARS[((rate / highest * 8.0).ceil() as usize).clamp(1, 8) - 1],
        false => ' ',
    };
    rates.iter().map(bar).collect()
}

fn key_line(table: &LiveTable, choices: &Choices) -> Paragraph<'static> {
    let text = match choices.typing {
        true => format!(
            "filter: {}_   enter keeps it, esc takes it away",
            table.filter
        ),
        false => "q quit  tab/1-6 view  s sort  / filter  p pause  m mark  ↑↓ scroll".to_owned(),
    };
    Paragraph::new(Line::styled(text, Style::new().add_modifier(Modifier::DIM)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparks_are_parts_of_the_highest() {
        assert_eq!(spark_line(&[0.0, 1.0, 4.0, 8.0]), " ▁▄█");
        assert_eq!(spark_line(&[0.0, 0.0]), "  ");
    }
}
