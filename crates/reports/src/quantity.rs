//! Numbers with their units, exact where exactness is the point.

/// `1,234,567`; below zero with a sign.
pub(crate) fn grouped(value: impl Into<i128>) -> String {
    let value = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `+1,234`, `-1,234` or `0`.
pub(crate) fn grouped_signed(value: impl Into<i128>) -> String {
    let value = value.into();
    let sign = if value > 0 { "+" } else { "" };
    format!("{sign}{}", grouped(value))
}

/// Exact bytes with the unit: `1,234 B`.
pub(crate) fn bytes(value: impl Into<i128>) -> String {
    format!("{} B", grouped(value))
}

/// Exact objects with the unit: `1,234 obj`.
pub(crate) fn objects(value: impl Into<i128>) -> String {
    format!("{} obj", grouped(value))
}

/// Bytes rounded for reading, powers of 1000: `1.2 MB`.
pub(crate) fn short_bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if value < 1000 {
        return format!("{value} B");
    }
    let mut scaled = value as f64 / 1000.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        if scaled < 999.95 {
            break;
        }
        scaled /= 1000.0;
        unit = next;
    }
    format!("{scaled:.1} {unit}")
}

/// `part` of `whole` in percent; `None` when there is no whole.
pub(crate) fn percent(part: impl Into<i128>, whole: impl Into<i128>) -> Option<f64> {
    let whole = whole.into();
    (whole > 0).then(|| part.into() as f64 * 100.0 / whole as f64)
}

/// `12.3 %`, and never a rounded `100.0 %` or `0.0 %` where the truth is less or more.
pub(crate) fn share(part: impl Into<i128>, whole: impl Into<i128>) -> String {
    let (part, whole) = (part.into(), whole.into());
    match percent(part, whole) {
        None => "-".to_owned(),
        Some(p) if part < whole && p >= 99.95 => ">99.9 %".to_owned(),
        Some(p) if part > 0 && p < 0.05 => "<0.1 %".to_owned(),
        Some(p) => format!("{p:.1} %"),
    }
}

/// `99.96 %`, rounded down, so that only all of it is `100 %`.
pub(crate) fn precise_share(part: i64, whole: i64) -> String {
    if whole <= 0 {
        return "-".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let hundredths = i128::from(part) * 10_000 / i128::from(whole);
    format!("{:.2} %", hundredths as f64 / 100.0)
}

/// Average size of an object.
pub(crate) fn average(bytes: i64, count: i64) -> Option<f64> {
    (count != 0).then(|| bytes as f64 / count as f64)
}

/// Microseconds as a duration people read: `850 us`, `12.3 ms`, `4.56 s`.
pub(crate) fn micros(value: u64) -> String {
    match value {
        0..1_000 => format!("{value} us"),
        1_000..1_000_000 => format!("{:.1} ms", value as f64 / 1e3),
        _ => format!("{:.2} s", value as f64 / 1e6),
    }
}

/// `1 object`, `2 objects`.
pub(crate) fn counted(value: impl Into<i128>, singular: &str) -> String {
    let value = value.into();
    let plural = match (value == 1, singular.ends_with('s')) {
        (true, _) => "",
        (false, true) => "es",
        (false, false) => "s",
    };
    format!("{} {singular}{plural}", grouped(value))
}

/// `48 B in 2 objects`.
pub(crate) fn bytes_in_objects(size: impl Into<i128>, objects: impl Into<i128>) -> String {
    format!("{} in {}", bytes(size), counted(objects, "object"))
}

/// With one decimal place: `-1,234.5`.
pub(crate) fn tenths(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    let tenths = tenths.unsigned_abs();
    format!("{sign}{}.{}", grouped(tenths / 10), tenths % 10)
}

/// The same with its sign: `+31.0`.
pub(crate) fn signed_tenths(value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", tenths(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (-1_234_567, "-1,234,567"),
        ] {
            assert_eq!(grouped(value), text);
        }
        assert_eq!(grouped_signed(-1_000_i64), "-1,000");
        assert_eq!(grouped_signed(1), "+1");
    }

    #[test]
    fn short_bytes_never_say_a_thousand_of_a_unit() {
        assert_eq!(short_bytes(999), "999 B");
        assert_eq!(short_bytes(1_000), "1.0 kB");
        assert_eq!(short_bytes(999_999), "1.0 MB");
        assert_eq!(short_bytes(u64::MAX), "18.4 EB");
    }

    #[test]
    fn precise_shares_are_rounded_down() {
        assert_eq!(precise_share(99_999, 100_000), "99.99 %");
        assert_eq!(precise_share(7, 7), "100 %");
        assert_eq!(precise_share(1, 0), "-");
    }

    #[test]
    fn shares_do_not_round_to_all_or_nothing() {
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(99_999, 100_000), ">99.9 %");
        assert_eq!(share(1, 100_000), "<0.1 %");
        assert_eq!(share(5, 5), "100.0 %");
        assert_eq!(share(0, 5), "0.0 %");
        assert_eq!(share(0, 0), "-");
    }
}
