//! When a line that rises is an alarm.

use ducktrack_leaks::{Alarm, Forecast, Verdict};

use crate::finding::Finding;

/// Lines of which none is an alarm by itself, but all together are: the largest, until their sum is one.
pub(crate) fn alarm_of_sums(forecast: &Forecast, all: &mut [Finding]) {
    let mut lines: Vec<&mut Finding> = all
        .iter_mut()
        .filter(|one| one.verdict == Verdict::Leaks && !one.slows())
        .collect();
    let rates = lines.iter().map(|one| one.drawn_rate());
    if forecast.alarm(rates.sum()).is_none() {
        return;
    }
    lines.sort_by(|a, b| b.drawn_rate().total_cmp(&a.drawn_rate()));
    let mut sum = 0.0;
    for line in lines {
        if line.alarm.is_none() && forecast.alarm(sum).is_none() {
            line.alarm = Some(Alarm::Together);
        }
        sum += line.drawn_rate();
    }
}
