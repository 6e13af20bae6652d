//! An overview of many methods, one line each.

use crate::explained_method::ExplainedMethod;

/// The methods of a class or jar, in descending order of saved increments.
pub(crate) fn render(methods: &[ExplainedMethod], left_out: &[String]) -> String {
    let mut lines: Vec<(f64, String)> = methods
        .iter()
        .map(|method| (saved(method), line(method)))
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = "increments per call, with estimated frequencies\n".to_owned();
    text += "   per site      chosen  sites  paths  counters  method\n";
    for (_, line) in lines {
        text += &line;
        text.push('\n');
    }
    for method in left_out {
        text += &format!("left out: {method}\n");
    }
    text
}

fn chosen_increments(method: &ExplainedMethod) -> f64 {
    method.per_run(
        method
            .choice
            .placement
            .increments(&method.graph, &method.frequencies),
    )
}

fn saved(method: &ExplainedMethod) -> f64 {
    method.increments_per_site() - chosen_increments(method)
}

fn line(method: &ExplainedMethod) -> String {
    format!(
        "{:>11.2} {:>11.2} {:>6} {:>6} {:>9}  {}",
        method.increments_per_site(),
        chosen_increments(method),
        method.sites.len(),
        method.paths.paths().len(),
        method.choice.placement.counters().len(),
        method.name
    )
}
