//! Pictures of one line, made of block characters.

/// Eighths of a character, from the left.
const EIGHTHS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Heights of a character, from below.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar of `part` of `whole`, at most `width` characters; something that is not nothing is at least a line.
pub(super) fn bar(part: u64, whole: u64, width: u64) -> String {
    if part == 0 || whole == 0 {
        return String::new();
    }
    let eighths = (u128::from(part.min(whole)) * u128::from(width) * 8 / u128::from(whole)).max(1);
    let full = usize::try_from(eighths / 8).unwrap_or(0);
    let rest = usize::try_from(eighths % 8).unwrap_or(0);
    let mut out = "█".repeat(full);
    out.extend(EIGHTHS.get(rest).filter(|_| rest > 0));
    out
}

/// A line of heights, at most `width` characters: of several values in one place the largest.
pub(super) fn sparkline(values: &[u64], width: usize) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let places = values.len().min(width);
    (0..places)
        .map(|at| {
            let from = at * values.len() / places;
            let to = (at + 1) * values.len() / places;
            let value = values
                .get(from..to)
                .and_then(|part| part.iter().max())
                .copied()
                .unwrap_or(0);
            let height = u128::from(value) * 7 / u128::from(most);
            usize::try_from(height)
                .ok()
                .and_then(|height| HEIGHTS.get(height))
                .copied()
                .unwrap_or(' ')
        })
        .collect()
}

/// One character per value of a list, as shares of their sum: `█▂▁` says that most is in the first.
pub(super) fn shares(values: &[u64], width: usize) -> String {
    let whole: u128 = values.iter().map(|value| u128::from(*value)).sum();
    let character = |value: u64| match value {
        0 => '·',
        _ => {
            let height = u128::from(value) * 7 / whole.max(1);
            usize::try_from(height)
                .ok()
                .and_then(|height| HEIGHTS.get(height))
                .copied()
                .unwrap_or(' ')
        }
    };
    let mut out: String = values
        .iter()
        .take(width)
        .map(|value| character(*value))
        .collect();
    let rest: u64 = values
        .iter()
        .skip(width)
        .fold(0, |sum, value| sum.saturating_add(*value));
    if rest > 0 {
        out.push('+');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_end_in_eighths_and_never_vanish() {
        assert_eq!(bar(0, 10, 10), "");
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(1, 2, 5), "██▌");
        assert_eq!(bar(1, 1_000_000, 10), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX, 2), "██");
    }

    #[test]
    fn sparklines_keep_the_largest_of_a_place() {
        assert_eq!(sparkline(&[0, 7], 10), "▁█");
        assert_eq!(sparkline(&[0, 9, 0, 0], 2), "█▁");
        assert_eq!(sparkline(&[], 5), "");
        assert_eq!(sparkline(&[u64::MAX, 0], 2), "█▁");
    }

    #[test]
    fn shares_show_nothing_as_a_dot() {
        assert_eq!(shares(&[100, 0, 0], 5), "█··");
        assert_eq!(shares(&[1, 1, 5], 2), "▂▂+");
    }
}
