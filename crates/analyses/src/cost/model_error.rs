//! How far the model itself may be off, beside what the pauses of one run leave open.
//!
//! The bytes that are saved may take more or less time than the mean of all bytes; a full collection of a traced run takes longer,
//! because the agent's work leaves cold caches; other collections have more to do where there are fewer. None of that can be seen in
//! one traced run. It is known from programs in which the predicted saving was compared with a measured one (`benches/RESULTS.md`,
//! "Does the predicted saving come true?"): from half of the leaky programs. The interval is judged by the others.

use crate::cost::pause_model::Estimate;

/// The standard deviation of what was measured around what was predicted, as a part of
/// the saving and of what is left: what saves nothing, and what saves all, is certain.
const OF_SAVING: f64 = 0.4;
/// 95 % to both sides.
const Z: f64 = 1.96;

/// An interval that has the model's error too, of a saving of `all`. It does not depend on that of the sample, so their squares add up.
pub(super) fn with_model_error(saved: Estimate, all: f64) -> Estimate {
    let left = 1.0 - (saved.value / all.max(1.0)).clamp(0.0, 1.0);
    let of_model = Z * OF_SAVING * saved.value * left;
    let (below, above) = (saved.value - saved.low, saved.high - saved.value);
    Estimate {
        value: saved.value,
        low: (saved.value - below.hypot(of_model)).max(0.0),
        high: saved.value + above.hypot(of_model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_error_widens_what_is_certain_and_hardly_what_is_wide() {
        let certain = with_model_error(Estimate::exact(100.0), 400.0);
        let error = Z * OF_SAVING * 75.0;
        assert!((certain.low - (100.0 - error)).abs() < 1e-9, "{certain:?}");
        assert!((certain.high - (100.0 + error)).abs() < 1e-9, "{certain:?}");
        let wide = Estimate {
            value: 100.0,
            low: 0.0,
            high: 1_000.0,
        };
        let wider = with_model_error(wide, 1_000.0);
        assert_eq!((wider.low, wider.value), (0.0, 100.0));
        assert!(wider.high > 1_000.0 && wider.high < 1_003.0, "{wider:?}");
    }

    #[test]
    fn nothing_and_all_are_certain() {
        for share in [Estimate::exact(0.0), Estimate::exact(400.0)] {
            assert_eq!(with_model_error(share, 400.0), share);
        }
        let none = Estimate::exact(0.0);
        assert_eq!(with_model_error(none, 0.0), none);
    }
}
