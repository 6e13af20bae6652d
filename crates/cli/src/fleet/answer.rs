//! The output of an engine: CSV as of RFC 4180.

/// Its rows; the first has the names of the columns.
pub(super) fn rows_of_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut letters = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter => cell.push(letter),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::rows_of_csv;

    #[test]
    fn quotes_commas_and_lines() {
        let rows = rows_of_csv("a,b\r\n\"x,\"\"y\"\"\",\n1,\"two\nlines\"\n");
        assert_eq!(
            rows,
            [vec!["a", "b"], vec!["x,\"y\"", ""], vec!["1", "two\nlines"]]
        );
        assert!(rows_of_csv("").is_empty());
    }
}
