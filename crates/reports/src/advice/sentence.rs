//! What to do, and what it costs: one sentence for each change.

use ducktrack_advise::{Advice, Change, Rule};

use crate::class_name::{readable_class, readable_type};
use crate::quantity::{bytes, grouped};

/// The sentence.
pub(super) fn sentence(row: &Advice) -> String {
    let mut text = change(row.rule, &row.change);
    if row.is_removed_by_jit() {
        text.push_str("; the JIT removes these objects already: the change saves nothing once the code is compiled");
    } else if let Some(removed) = row.removed_by_jit() {
        text.push_str(&format!(
            "; the JIT removed {:.0} % of these objects in this run, and more the longer a run is",
            removed * 100.0
        ));
    }
    text
}

fn change(rule: Rule, change: &Change) -> String {
    let ty = change
        .ty
        .as_deref()
        .map_or("objects".to_owned(), readable_type);
    let callee = change.callee.as_deref().map(readable_class);
    let callee = callee.as_deref().unwrap_or("the call");
    match rule {
        Rule::Box => boxes(&ty, change.callee.is_some().then_some(callee)),
        Rule::Growth if change.capacity.is_some() => presize(callee, &ty, change),
        Rule::Growth => format!(
            "{callee} outgrows its {ty}: make the collection or builder with its final size (a size that is too large wastes the difference)"
        ),
        Rule::Varargs if change.is_empty => format!(
            "passes an empty {ty} to the variable arguments of {callee}: call an overload without them, or pass a constant"
        ),
        Rule::Varargs => format!(
            "makes a {ty} for the variable arguments of {callee}: call an overload with fixed parameters, or ask first whether the call is needed"
        ),
        Rule::Capture => capture(change),
        Rule::Iterator if change.is_indexed => format!(
            "{callee} makes an iterator for each loop: loop by index, or ask first whether there are elements"
        ),
        Rule::Iterator => format!(
            "{callee} makes an iterator for each loop: ask first whether there are elements, or keep them in an array or list that is read by index"
        ),
        Rule::Stream => {
            "a stream for each call: write a loop (results stay; laziness is lost)".to_owned()
        }
        Rule::Optional if change.is_returned => {
            "returns an Optional that is made at each call: keep it in a field (one per object stays in memory), or give its callers a form that returns null".to_owned()
        }
        Rule::Optional => {
            "a chain of Optional for each call: test for null".to_owned()
        }
        Rule::EnumValues => format!("values() copies its {ty} at each call: keep one copy in a constant"),
        Rule::Copy if callee.ends_with(".<init>") => format!(
            "makes a collection ({}) with its elements at each call: keep the collection, or read the elements where they are",
            callee.trim_end_matches(".<init>")
        ),
        Rule::Copy => format!(
            "{callee} copies {} at each call: keep the copy, or read the original",
            change.ty.as_ref().map_or("its result".to_owned(), |_| format!("a {ty}"))
        ),
        Rule::Regex if change.has_constant_argument => format!(
            "{callee} with a constant pattern: keep the compiled Pattern in a constant, or scan the text by indexOf"
        ),
        Rule::Regex if callee == "java.util.regex.Pattern.matcher" => {
            "makes a Matcher at each call: keep one and reset it (one per thread stays in memory), or scan the text by indexOf".to_owned()
        }
        Rule::Regex => format!("{callee} works by a regular expression: keep the compiled Pattern, or scan the text by indexOf"),
        Rule::Text if change.callee.is_none() => format!(
            "puts text together ({ty}): append to one builder, or make the text only where it is used"
        ),
        Rule::Text => format!("{callee} makes text ({ty}): append to one builder, or make the text only where it is used"),
        Rule::Exception => "makes an exception with its stack trace: return a value, or make it without a stack trace (the trace is lost)".to_owned(),
        Rule::Buffer => format!("makes a large {ty} for each call: keep it and use it again (one per thread stays in memory), or make it smaller"),
        Rule::Costly if change.callee.is_none() => format!(
            "{ty} is dear to make and made again and again: keep it and use it again (it stays in memory)"
        ),
        Rule::Costly => format!("{callee} is dear to make and made again and again: keep it and use it again (it stays in memory)"),
    }
}

fn presize(callee: &str, ty: &str, change: &Change) -> String {
    let capacity = grouped(change.capacity.unwrap_or(0));
    let waste = match change.waste {
        0 => "nothing is wasted".to_owned(),
        some => format!("{} of it stay unused", bytes(some)),
    };
    format!(
        "{callee} outgrows its {ty}: make the collection or builder with an initial capacity of {capacity} ({waste})"
    )
}

fn boxes(ty: &str, callee: Option<&str>) -> String {
    let primitive = match ty {
        "java.lang.Integer" => "int",
        "java.lang.Character" => "char",
        other => other.strip_prefix("java.lang.").unwrap_or(other),
    };
    let primitive = primitive.to_lowercase();
    match callee {
        Some(callee) => {
            format!("{callee} boxes {primitive} values as {ty}: call its form for {primitive}")
        }
        None => format!(
            "boxes {primitive} values as {ty}: keep them as {primitive} (a parameter, a field, a collection or a stream of {primitive})"
        ),
    }
}

fn capture(change: &Change) -> String {
    match (change.is_unchanged, change.in_loop) {
        (true, true) => {
            "makes a closure anew in each pass of the loop, with the same values: make it once before the loop"
        }
        (true, false) => "makes a closure of `this` at each call: keep it in a field (one per object stays in memory)",
        (false, _) => "makes a closure at each call, because it captures values: write the loop out, or pass the values as arguments",
    }
    .to_owned()
}
