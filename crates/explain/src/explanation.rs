//! Explains the methods of class files.

use ducktrack_classfile::{ClassFile, Method, decode_modified_utf8};
use ducktrack_printable::printable;

use crate::allocation_sites::{rules, sites};
use crate::class_source::ClassSource;
use crate::error::Error;
use crate::explained_method::{ExplainedMethod, MethodOfClass};
use crate::in_code::Rewritten;
use crate::options::Options;
use crate::{method_dot, method_text, overview};

/// How many candidates an error lists.
const MOST_LISTED: usize = 24;

/// The requested method as text; without a name, and if several methods allocate, one line for each.
///
/// # Errors
/// If the input cannot be read or no method matches.
pub fn text(source: &ClassSource, options: &Options) -> Result<String, Error> {
    let (methods, left_out) = explain(source, options)?;
    Ok(match (methods.as_slice(), &options.method) {
        ([one], _) => method_text::render(one),
        ([], Some(_)) | (_, None) => overview::render(&methods, &left_out),
        (several, Some(_)) => several
            .iter()
            .map(method_text::render)
            .collect::<Vec<_>>()
            .join("\n\n"),
    })
}

/// The graph of one method in the language of Graphviz.
///
/// # Errors
/// If the input cannot be read, or if not exactly one method matches.
pub fn dot(source: &ClassSource, options: &Options) -> Result<String, Error> {
    let (mut methods, _) = explain(source, options)?;
    match (methods.pop(), methods.is_empty()) {
        (Some(method), true) => Ok(method_dot::render(&method)),
        (last, _) => {
            let names = methods
                .iter()
                .chain(&last)
                .take(MOST_LISTED)
                .map(|method| method.name.clone());
            Err(Error::Ambiguous {
                candidates: names.collect(),
            })
        }
    }
}

/// Explains all matching methods. Without a name, methods that cannot be explained are listed with their reasons; with a
/// name, that is an error.
fn explain(
    source: &ClassSource,
    options: &Options,
) -> Result<(Vec<ExplainedMethod>, Vec<String>), Error> {
    let (mut methods, mut left_out) = (Vec::new(), Vec::new());
    for bytes in source.classes() {
        let failed = |source| Error::ClassFile {
            class: "of the input".to_owned(),
            source,
        };
        let class = ClassFile::parse(bytes).map_err(failed)?;
        let class_name = decode_modified_utf8(class.name());
        let failed = |source| Error::ClassFile {
            class: printable(&class_name),
            source,
        };
        let rules = rules(&class).map_err(failed)?;
        let rewritten = Rewritten::of(bytes, None);
        for (index, method) in (0u16..).zip(class.methods()) {
            if !is_meant(options, &class_name, &method) {
                continue;
            }
            let Some(code) = method.code() else { continue };
            let sites = sites(&class, &code, &rules).map_err(failed)?;
            if sites.is_empty() && options.method.is_none() {
                continue;
            }
            let name = full_name(&class_name, &method);
            let of = MethodOfClass {
                class: bytes,
                index,
                rewritten: &rewritten,
            };
            match ExplainedMethod::new(&name, of, &code, sites, &options.edge_counts) {
                Ok(explained) => methods.push(explained),
                Err(error) if options.method.is_none() => left_out.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
    }
    match &options.method {
        Some(wanted) if methods.is_empty() => Err(Error::NoSuchMethod {
            wanted: wanted.to_string(),
        }),
        _ => Ok((methods, left_out)),
    }
}

fn is_meant(options: &Options, class: &str, method: &Method<'_>) -> bool {
    let (name, descriptor) = (
        decode_modified_utf8(method.name()),
        decode_modified_utf8(method.descriptor()),
    );
    options
        .method
        .as_ref()
        .is_none_or(|wanted| wanted.fits(class, &name, &descriptor))
}

fn full_name(class: &str, method: &Method<'_>) -> String {
    let (name, descriptor) = (
        decode_modified_utf8(method.name()),
        decode_modified_utf8(method.descriptor()),
    );
    printable(&format!("{}.{name}{descriptor}", class.replace('/', ".")))
}
