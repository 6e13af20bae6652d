//! How far the agent is with the classes that were loaded before it.

use serde_json::{Value, json};

use crate::classes::stop_forecast::StopForecast;
use crate::process::clock::micros;

/// How far the arrival is.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// Classes that are still to be rewritten.
    pub(crate) classes_left: usize,
    /// How long the program will be stopped for them, in all.
    pub(super) stops_left: StopForecast,
    /// The estimate of the whole.
    pub(super) forecast: Forecast,
}

/// The estimate of all stops from the first ones.
#[derive(Clone, Debug)]
pub(super) struct Forecast {
    pub(super) classes: usize,
    pub(super) stops: StopForecast,
    /// The same for the main class's project alone: the pattern, its classes, their stops.
    pub(super) project: Option<(String, usize, StopForecast)>,
}

impl Arrival {
    /// For `status`.
    pub(crate) fn add_to(&self, status: &mut Value) {
        let Some(fields) = status.as_object_mut() else {
            return;
        };
        let forecast = &self.forecast;
        let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        add("arrival_classes_left", self.classes_left.into());
        add("arrival_stops_left_micros", interval(self.stops_left));
        add("arrival_classes", forecast.classes.into());
        add("arrival_stops_micros", interval(forecast.stops));
        if let Some((pattern, classes, stops)) = &forecast.project {
            let project =
                json!({"include": pattern, "classes": classes, "stops_micros": interval(*stops)});
            add("arrival_project", project);
        }
    }
}

/// Least and most.
fn interval(stops: StopForecast) -> Value {
    json!([micros(stops.least), micros(stops.most)])
}
