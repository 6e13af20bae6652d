//! The texts of a page's data, each once: rows name them by position.

use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) all: Vec<String>,
    known: HashMap<String, usize>,
}

impl Texts {
    pub(crate) fn number(&mut self, text: &str) -> usize {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = self.all.len();
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), number);
        number
    }
}
