//! A program's statements about itself: `EXPECT class method kind type count bytes line via`, `-` for a column that is not stated.

use anyhow::{Context, ensure};

/// One expected site, or (without class) the total of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// The line as printed, without `EXPECT`.
    pub(crate) text: String,
    pub(crate) class: Option<String>,
    /// May end in `*`.
    pub(crate) method: Option<String>,
    /// Any of them.
    pub(crate) kinds: Vec<String>,
    /// As the report writes it: `java.lang.String[]`.
    pub(crate) ty: String,
    pub(crate) count: i64,
    pub(crate) bytes: Option<i64>,
    pub(crate) line: Option<u16>,
    /// Class and method that really allocates.
    pub(crate) via: Option<String>,
    /// Others use the site too: at least this many.
    pub(crate) at_least: bool,
}

impl Expectation {
    /// Reads the rest of an `EXPECT` line.
    pub(crate) fn parse(text: &str, inexact: &[[String; 3]]) -> anyhow::Result<Self> {
        let fields: Vec<&str> = text.split(' ').collect();
        ensure!(fields.len() == 8, "not eight fields: {text}");
        let said = |index: usize| {
            Some(fields[index])
                .filter(|field| *field != "-")
                .map(str::to_owned)
        };
        Ok(Self {
            text: text.to_owned(),
            class: said(0),
            method: said(1),
            kinds: fields[2].split('|').map(str::to_owned).collect(),
            ty: readable(fields[3]).with_context(|| format!("no descriptor: {text}"))?,
            count: fields[4].parse()?,
            bytes: said(5).map(|bytes| bytes.parse()).transpose()?,
            line: said(6).map(|line| line.parse()).transpose()?,
            via: said(7),
            at_least: inexact
                .iter()
                .any(|site| site.iter().eq([fields[0], fields[1], fields[3]])),
        })
    }

    /// Would the report have both in one place?
    pub(crate) fn is_same_site(&self, other: &Self) -> bool {
        (
            &self.class,
            &self.method,
            self.line,
            &self.ty,
            &self.kinds,
            &self.via,
        ) == (
            &other.class,
            &other.method,
            other.line,
            &other.ty,
            &other.kinds,
            &other.via,
        )
    }

    /// Adds a row of the same site.
    pub(crate) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes = self.bytes.zip(other.bytes).map(|(own, more)| own + more);
        self.at_least |= other.at_least;
        self.text += " + ";
        self.text += &other.text;
    }

    /// Is this the expected method?
    pub(crate) fn is_method(&self, class: &str, method: &str) -> bool {
        let same_method = self
            .method
            .as_deref()
            .is_none_or(|own| match own.strip_suffix('*') {
                Some(prefix) => method.starts_with(prefix),
                None => own == method,
            });
        self.class.as_deref() == Some(class) && same_method
    }

    /// Is this the expected line of it?
    pub(crate) fn is_line(&self, line: Option<u16>) -> bool {
        self.line.is_none() || self.line == line
    }
}

/// `[[I` as `int[][]`.
fn readable(descriptor: &str) -> Option<String> {
    let element = descriptor.trim_start_matches('[');
    let name = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => class.strip_prefix('L')?.strip_suffix(';')?,
    };
    let levels = descriptor.len() - element.len();
    Some(name.replace('/', ".") + &"[]".repeat(levels))
}

#[test]
fn a_line_is_read() {
    let line = "p.Main lambda$* new|clone [Lp/Main$A; 7 - 31 java.util.Arrays.copyOf";
    let row = Expectation::parse(line, &[]).expect("well formed");
    assert!(row.is_method("p.Main", "lambda$main$0") && !row.is_method("p.Main", "main"));
    assert!(row.is_line(Some(31)) && !row.is_line(None));
    assert_eq!(
        (row.ty.as_str(), row.count, row.bytes),
        ("p.Main$A[]", 7, None)
    );
    assert_eq!(readable("[[J").as_deref(), Some("long[][]"));
    assert_eq!(row.via.as_deref(), Some("java.util.Arrays.copyOf"));
}
