//! The text of an SQL statement without its literals, so that statements that differ in values only are one context.
//!
//! ```text
//! SELECT * FROM t WHERE id = 42 AND name IN ('a', 'b')     SELECT * FROM t WHERE id = ? AND name IN (?)
//! ```

/// The kind of contexts whose texts are statements.
pub(super) const KIND: &str = "sql";

/// Longer statements are cut before they are read.
const LONGEST: usize = 4096;

/// Replaces numbers and strings by `?`, lists of them by one, drops comments, and makes each run of blanks one blank.
pub(super) fn without_literals(statement: &str) -> String {
    let mut out = Text::default();
    let mut letters = statement.chars().take(LONGEST).peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                // A doubled quote begins the rest of the same literal, which follows it directly.
                while letters.next().is_some_and(|letter| letter != '\'') {}
                out.literal();
            }
            '"' | '`' => {
                out.push(letter);
                for inside in letters.by_ref() {
                    out.push(inside);
                    if inside == letter {
                        break;
                    }
                }
            }
            '-' if letters.peek() == Some(&'-') => {
                while letters.next().is_some_and(|letter| letter != '\n') {}
                out.blank();
            }
            '/' if letters.peek() == Some(&'*') => {
                let mut before = ' ';
                for inside in letters.by_ref().skip(1) {
                    if before == '*' && inside == '/' {
                        break;
                    }
                    before = inside;
                }
                out.blank();
            }
            '0'..='9' if !out.is_in_name() => {
                while letters
                    .next_if(|letter| letter.is_alphanumeric() || *letter == '.')
                    .is_some()
                {}
                out.literal();
            }
            blank if blank.is_whitespace() => out.blank(),
            other => out.push(other),
        }
    }
    out.text
}

#[derive(Default)]
struct Text {
    text: String,
    blank: bool,
}

impl Text {
    fn push(&mut self, letter: char) {
        if std::mem::take(&mut self.blank) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push(letter);
        // A list of values of any length is one statement.
        let is_list = matches!(letter, ')' | '?')
            && (self.text.ends_with("?,?") || self.text.ends_with("?, ?"));
        if is_list {
            let shorter = self.text.trim_end_matches([',', ' ', '?']).len();
            self.text.truncate(shorter);
            self.text.push('?');
        }
    }

    fn blank(&mut self) {
        self.blank = true;
    }

    fn literal(&mut self) {
        if !self.text.ends_with('?') || self.blank {
            self.push('?');
        }
    }

    /// Whether a digit belongs to a name.
    fn is_in_name(&self) -> bool {
        let last = self.text.chars().next_back().filter(|_| !self.blank);
        last.is_some_and(|last| last.is_alphanumeric() || matches!(last, '_' | '$' | '#'))
    }
}

#[cfg(test)]
mod tests {
    use super::without_literals;

    #[test]
    fn statements_that_differ_in_values_are_alike() {
        for (statement, name) in [
            (
                "select * from t1 where id = 42",
                "select * from t1 where id = ?",
            ),
            (
                "select  *\n from t -- all\n where a='it''s'",
                "select * from t where a=?",
            ),
            (
                "insert into t values (1, 'x', 2.5e3)",
                "insert into t values (?)",
            ),
            ("where id in (?, ?,?)", "where id in (?)"),
            (
                "select /* hint */ \"Col 1\" from `t2`",
                "select \"Col 1\" from `t2`",
            ),
            (
                "update t set a = a - 1, b = 'y'",
                "update t set a = a - ?, b = ?",
            ),
            ("select 'open", "select ?"),
            ("", ""),
        ] {
            assert_eq!(without_literals(statement), name, "{statement}");
        }
    }
}
