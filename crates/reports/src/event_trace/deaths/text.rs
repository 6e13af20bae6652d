//! For a terminal: the run, survival, sites.

use super::document::{
    AgeClock, DeathSpansDoc, DeathsReport, QuantilesDoc, StreamLevel, SurvivalDoc,
};
use super::table::{Line, table};
use crate::event_trace::DEFAULT_TOP;
use crate::event_trace::block_bars::bar;
use crate::event_trace::text_parts::cut;
use crate::quantity::{bytes, bytes_in_objects, counted, grouped, micros, share, short_bytes};
use crate::table::{Table, Unit, Value};
use crate::text::next_command::NextCommand;
use crate::text::{fact, next_command::shell_word, section};
use crate::text_lines::TextLines;

/// Age classes of the survival table; the middle ones of more are left out.
const AGES: usize = 16;

pub(super) fn write(report: &DeathsReport, out: &mut TextLines) {
    write_head(out, report);
    write_outline(out, report);
    write_clocks(out, report);
    write_survival(out, report);
    write_shape(out, report);
    write_sites(out, report);
    write_trouble(out, report);
}

fn write_head(out: &mut TextLines, report: &DeathsReport) {
    let name = match report.command.as_str() {
        "" => &report.source,
        command => command,
    };
    out.push_str(&format!("ducktrack lifetimes --deaths: {name}\n"));
    let parts = [&report.runtime, &report.frontend];
    let mut run: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
    let level = format!("level {}", report.level);
    run.push(&level);
    run.retain(|part| !part.is_empty());
    fact(out, "run", &run.join(", "));
    if report.selected.objects == 0 {
        let nothing = match report.total.objects {
            0 => "no object was recorded: nothing below says anything about the program",
            _ => "no object fits the filter",
        };
        fact(out, "nothing", nothing);
    }
    for missing in &report.missing {
        fact(out, "not known", missing);
    }
    if report.asked.is_partial() {
        fact(out, "only", &report.asked.description());
    }
}

fn write_outline(out: &mut TextLines, report: &DeathsReport) {
    let end = &report.end;
    let mut clocks = vec![bytes(end.bytes)];
    clocks.extend(end.calls.map(|calls| counted(calls, "call")));
    clocks.extend(
        end.micros
            .map(|micros| format!("{:.3} s", micros as f64 / 1e6)),
    );
    fact(out, "length", &clocks.join(", "));
    fact(out, "collections", &grouped(report.collections));
    let all = &report.selected;
    fact(out, "allocated", &amount(all.objects, all.bytes));
    let alive = all.alive.count.unsigned_abs();
    let text = format!(
        "{} ({})",
        amount(alive, all.alive.bytes.unsigned_abs()),
        share(alive, all.objects)
    );
    fact(out, "alive at end", &text);
    if let Some(groups) = &report.shape.groups {
        let dead = groups.keys.saturating_add(groups.followers);
        let text = format!(
            "{} of the dead by themselves, {} with an object that referred to them; the largest group has {}",
            share(groups.keys, dead),
            share(groups.followers, dead),
            counted(groups.largest, "object")
        );
        fact(out, "died", &text);
    }
}

fn amount(count: u64, size: u64) -> String {
    bytes_in_objects(size, count)
}

fn write_clocks(out: &mut TextLines, report: &DeathsReport) {
    section(
        out,
        "SPANS of all dead objects: half are at most p50, nine of ten at most p90",
    );
    let clocks = &report.on_clocks;
    let clocks = [
        (AgeClock::Bytes, clocks.bytes),
        (AgeClock::Calls, clocks.calls),
        (AgeClock::Micros, clocks.micros),
    ];
    let rows = clocks.into_iter().flat_map(|(clock, spans)| {
        let spans = spans
            .into_iter()
            .flat_map(|spans| named(&spans, report.level));
        spans.filter_map(move |(name, span)| Some((name, clock, span?)))
    });
    Table::<(&str, AgeClock, QuantilesDoc)>::new()
        .in_text("span", Unit::Text, |row| row.0.to_owned())
        .in_text("clock", Unit::Text, |row| row.1.name())
        .in_text("p50", Unit::Number, |row| age(row.2.p50, row.1))
        .in_text("p90", Unit::Number, |row| age(row.2.p90, row.1))
        .in_text("max", Unit::Number, |row| age(row.2.max, row.1))
        .write(out, rows);
}

fn named(spans: &DeathSpansDoc, level: StreamLevel) -> [(&'static str, Option<QuantilesDoc>); 4] {
    let lifetime = match level {
        StreamLevel::Bounds => "birth to collected (upper bound of the lifetime)",
        StreamLevel::Full | StreamLevel::Deaths => "birth to unreachable",
    };
    [
        (lifetime, spans.lifetime),
        ("last use to unreachable (drag)", spans.drag),
        ("unreachable to collected", spans.floating),
        ("last use to the end, of the living", spans.drag_so_far),
    ]
}

/// An age with its unit.
fn age(value: u64, clock: AgeClock) -> String {
    match clock {
        AgeClock::Bytes => short_bytes(value),
        AgeClock::Calls => counted(value, "call"),
        AgeClock::Micros => micros(value),
    }
}

fn write_survival(out: &mut TextLines, report: &DeathsReport) {
    let points = &report.survival;
    let Some(first) = points
        .iter()
        .position(|point| point.died.count + point.alive.count > 0)
    else {
        return;
    };
    section(out, "SURVIVAL: which share lives longer");
    let table = Table::<(&SurvivalDoc, u64)>::new()
        .in_text("than", Unit::Number, |row| {
            age(row.0.below.saturating_sub(1), report.clock)
        })
        .in_text("of objects", Unit::Share, |row| row.0.objects)
        .in_text("of bytes", Unit::Share, |row| row.0.bytes)
        .in_text("died younger", Unit::Objects, |row| row.1)
        // Shares are between 0 and 1.
        .in_text("", Unit::Text, |row| {
            bar((row.0.objects * 1e6) as u64, 1_000_000, 30)
        });
    let mut text = table.text();
    let shown: Vec<_> = points.iter().skip(first).collect();
    let step = shown.len().div_ceil(AGES).max(1);
    let mut died = 0_u64;
    for (at, point) in shown.iter().enumerate() {
        died = died.saturating_add(point.died.count.unsigned_abs());
        let is_last = at + 1 == shown.len();
        if is_last || (died > 0 && (at + 1).is_multiple_of(step)) {
            text.row(&(point, std::mem::take(&mut died)));
        }
    }
    text.write(out);
}

fn write_shape(out: &mut TextLines, report: &DeathsReport) {
    let Some(stores) = &report.shape.stores else {
        return;
    };
    let sum = |list: &[u64]| {
        list.iter()
            .fold(0_u64, |sum, value| sum.saturating_add(*value))
    };
    let (older, younger) = (sum(&stores.to_older), sum(&stores.to_younger));
    let all = older + younger + stores.to_itself + stores.from_globals + stores.emptied;
    if all == 0 {
        return;
    }
    section(out, "REFERENCES that were stored");
    let rows = [
        ("to an older object", stores.to_older.as_slice(), older),
        ("to a younger object", stores.to_younger.as_slice(), younger),
        ("to the object itself", &[], stores.to_itself),
        ("from a global variable", &[], stores.from_globals),
        ("emptied", &[], stores.emptied),
    ];
    Table::<(&str, &[u64], u64)>::new()
        .in_text("", Unit::Text, |row| row.0.to_owned())
        .in_text("stores", Unit::Count, |row| row.2)
        .in_text("share", Unit::Share, |row| Value::share(row.2, all))
        .in_text("half are closer than", Unit::ShortBytes, |row| {
            median_class(row.1).map_or(Value::Absent, Value::from)
        })
        .write(out, rows);
}

/// The end of the class that has the middle of a list by powers of two.
fn median_class(list: &[u64]) -> Option<u64> {
    let all: u128 = list.iter().map(|count| u128::from(*count)).sum();
    let mut seen = 0_u128;
    let class = list.iter().position(|count| {
        seen += u128::from(*count);
        seen > 0 && seen * 2 >= all
    })?;
    u32::try_from(class)
        .ok()
        .and_then(|bits| 1_u64.checked_shl(bits))
}

fn write_sites(out: &mut TextLines, report: &DeathsReport) {
    let shown = report
        .asked
        .top
        .unwrap_or(DEFAULT_TOP)
        .min(report.sites.len());
    let what = cut(shown, report.sites.len(), "site", report.asked.sort.name());
    section(
        out,
        &format!("SITES ({what}); ages in {}", clock_unit(report.clock)),
    );
    let table = table(report);
    let mut text = table.text();
    for site in report.sites.iter().take(shown) {
        text.row(&Line::site(site));
        for caller in site.context.iter().take(crate::text::CALLERS) {
            text.row(&Line::named(
                format!("  <- {}", caller.place),
                &caller.lives,
            ));
        }
    }
    text.write(out);
}

fn clock_unit(clock: AgeClock) -> &'static str {
    match clock {
        AgeClock::Bytes => "bytes that the program allocated",
        AgeClock::Calls => "methods that it entered",
        AgeClock::Micros => "wall time",
    }
}

fn write_trouble(out: &mut TextLines, report: &DeathsReport) {
    if report.damage.is_empty() && report.contradictions.is_empty() {
        return;
    }
    section(out, "DAMAGE AND CONTRADICTIONS");
    for line in &report.damage {
        out.push_str(&format!("  {line}\n"));
    }
    for one in &report.contradictions {
        out.push_str(&format!("  {}: {}\n", one.what, grouped(one.count)));
    }
}

pub(super) fn next(report: &DeathsReport) -> Vec<NextCommand> {
    let source = shell_word(&report.source);
    vec![
        NextCommand::new(
            format!("lifetimes {source} --deaths --format html -o deaths.html"),
            "survival, age of the heap and references as charts",
        ),
        NextCommand::new(
            format!("lifetimes {source} --objects"),
            "every object: born, last used, unreachable, collected",
        ),
    ]
}
