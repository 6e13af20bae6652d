//! Which part of a run the numbers are of, in words.

use ducktrack_count_model::{ChosenWindows, Tally, WindowChoice};

use crate::class_name::printable;
use crate::quantity::{bytes, counted};

/// `5 x request, 1.2 s together: 100,000 objects and 2,400,000 B each`
pub(crate) fn description(chosen: &ChosenWindows, made: Tally) -> String {
    let seconds = format!("{:.1} s", chosen.millis as f64 / 1000.0);
    match &chosen.choice {
        WindowChoice::Named(name) => {
            let times = i64::try_from(chosen.windows.max(1)).unwrap_or(i64::MAX);
            format!(
                "{} x {}, {seconds} together: {} and {} each",
                chosen.windows,
                printable(name),
                counted(made.count / times, "object"),
                bytes(made.bytes / times)
            )
        }
        WindowChoice::Between { from, until } => {
            let name = |mark: &Option<String>, none: &str| {
                mark.as_deref().map_or_else(|| none.to_owned(), printable)
            };
            let open = match chosen.is_open {
                true => " (that mark did not come: to the end)",
                false => "",
            };
            format!(
                "from {} until {}{open}, {seconds}",
                name(from, "the start"),
                name(until, "the end")
            )
        }
    }
}
