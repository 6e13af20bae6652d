//! Lines of CSV (RFC 4180).

/// A row with its end. A field that a spreadsheet would take for a formula starts with `'`.
#[must_use]
pub fn csv_line(row: &[String]) -> String {
    let fields: Vec<String> = row.iter().map(|field| quoted(field)).collect();
    fields.join(",") + "\r\n"
}

fn quoted(field: &str) -> String {
    let number = field.parse::<i64>().is_ok();
    let guard = if !number && field.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if field.contains(['"', ',', '\r', '\n', ';']) {
        format!("\"{guard}{}\"", field.replace('"', "\"\""))
    } else {
        format!("{guard}{field}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_needed() {
        assert_eq!(quoted("a.B"), "a.B");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("-5"), "-5");
    }
}
