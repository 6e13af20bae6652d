//! Classes that the agent rewrites per second on one core, from the agent's own times.

use serde_json::Value;

/// Classes rewritten per second over some reports. The time includes classes that the agent examined but did not rewrite, so
/// the figure is on the low side. `None` if no class was rewritten.
pub fn measure_rewrite_speed(reports: &[(String, Value)]) -> Option<f64> {
    let sum = |key: &str| {
        reports
            .iter()
            .filter_map(|(_, report)| report["cost"][key].as_f64())
            .sum::<f64>()
    };
    let (classes, micros) = (sum("classes_rewritten"), sum("rewrite_micros"));
    (classes > 0.0 && micros > 0.0).then(|| classes * 1e6 / micros)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::measure_rewrite_speed;

    #[test]
    fn classes_over_seconds() {
        let report = |classes: u64, micros: u64| {
            let cost = json!({"cost": {"classes_rewritten": classes, "rewrite_micros": micros}});
            (String::new(), cost)
        };
        assert_eq!(
            measure_rewrite_speed(&[report(1000, 100_000), report(500, 50_000)]),
            Some(10_000.0)
        );
        assert_eq!(measure_rewrite_speed(&[report(0, 0)]), None);
    }
}
