//! `ducktrack report`: allocations by site, in each form.

use crate::report::{Declared, Forms};
use crate::view::View;
use crate::{csv, html, json, text};

impl Declared for View {
    const FORMS: Forms<Self> = Forms {
        name: "report",
        text: |view, out| text::write(out, view, false),
        next: text::next_command::next,
        json: json::json,
        csv: Some(csv::csv),
        html: Some(html::html),
    };
}
