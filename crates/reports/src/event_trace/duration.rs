//! Times as people say them.

/// `12 minutes`
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        ..1.5 => "about a second".to_owned(),
        ..120.0 => format!("{seconds:.0} seconds"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        ..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}
