//! The agent's own output, from `ducktrack report --format json`.

use serde_json::Value;

use super::{ToolEntry, type_name};

/// All sites of a report, by type, and with the callers to blame.
pub(crate) fn entries_of_report(report: &Value) -> Vec<ToolEntry> {
    array(&report["sites"]).flat_map(entries_of_site).collect()
}

/// A site lists its callers and its types separately. With one type it is split by caller. With several it is split
/// by type; then the caller of each type is unknown, and the entries have only the site's own frame.
fn entries_of_site(site: &Value) -> Vec<ToolEntry> {
    let own: Vec<String> = frame(site).into_iter().collect();
    let types: Vec<&Value> = array(&site["types"]).collect();
    let contexts: Vec<&Value> = array(&site["context"]).collect();
    match (only_type(site, &types), contexts.is_empty()) {
        (Some(type_name), true) => vec![entry(own, type_name, site)],
        (Some(type_name), false) => {
            let frames = |context| own.iter().cloned().chain(frame(context)).collect();
            contexts
                .iter()
                .map(|context| entry(frames(context), type_name.clone(), context))
                .collect()
        }
        (None, _) => types
            .iter()
            .map(|part| entry(own.clone(), type_of(part).unwrap_or_default(), part))
            .collect(),
    }
}

/// The single type of a site: its declared type, or the only one that occurred.
fn only_type(site: &Value, types: &[&Value]) -> Option<String> {
    type_of(site).or_else(|| match types {
        [only] => type_of(only),
        _ => None,
    })
}

fn entry(frames: Vec<String>, type_name: String, amounts: &Value) -> ToolEntry {
    ToolEntry {
        frames,
        type_name,
        objects: amounts["count"].as_f64(),
        bytes: amounts["bytes"].as_f64(),
    }
}

fn frame(value: &Value) -> Option<String> {
    Some(format!(
        "{}.{}",
        value["class"].as_str()?,
        value["method"].as_str()?
    ))
}

fn type_of(value: &Value) -> Option<String> {
    value["type"].as_str().map(type_name)
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_site_is_split_by_caller_or_by_type() {
        let report = json!({"sites": [
            {"class": "java.lang.Long", "method": "valueOf", "type": "java.lang.Long", "count": 5, "bytes": 120,
             "types": [{"type": "java.lang.Long", "count": 5, "bytes": 120}],
             "context": [{"class": "Main", "method": "box", "count": 3, "bytes": 72},
                         {"class": null, "method": null, "count": 2, "bytes": 48}]},
            {"class": "Main", "method": "many", "type": null, "count": 3, "bytes": 64, "context": [],
             "types": [{"type": "float[][]", "count": 1, "bytes": 24}, {"type": "float[]", "count": 2, "bytes": 40}]},
            {"class": "Lib", "method": "make", "type": null, "count": 4, "bytes": 64,
             "types": [{"type": "byte[]", "count": 4, "bytes": 64}],
             "context": [{"class": "Main", "method": "text", "count": 4, "bytes": 64}]},
            {"class": "Main", "method": "one", "type": "Main$Point", "count": 7, "bytes": 168, "context": [], "types": []},
        ]});
        let all = entries_of_report(&report);
        let short: Vec<(String, String, f64)> = all
            .iter()
            .map(|entry| {
                (
                    entry.frames.join("<"),
                    entry.type_name.clone(),
                    entry.objects.unwrap(),
                )
            })
            .collect();
        let expected = [
            ("java.lang.Long.valueOf<Main.box", "java.lang.Long", 3.0),
            ("java.lang.Long.valueOf", "java.lang.Long", 2.0),
            ("Main.many", "float[][]", 1.0),
            ("Main.many", "float[]", 2.0),
            ("Lib.make<Main.text", "byte[]", 4.0),
            ("Main.one", "Main$Point", 7.0),
        ];
        assert_eq!(
            short,
            expected.map(|(frames, name, count)| (frames.to_owned(), name.to_owned(), count))
        );
    }
}
