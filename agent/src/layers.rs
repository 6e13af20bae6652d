//! What a recording of events may have in addition: each layer is one type with its own helper classes, memory and blocks of the trace.

pub(crate) mod records;
pub(crate) mod roots;
mod self_check;
pub(crate) mod stamps;
pub(crate) mod static_numbers;
pub(crate) mod uses;

use std::sync::Arc;

use crate::options::{Mode, Options, Roots as RootsWanted, Staleness};
use crate::trace::layer::Layer;
use records::Records;
use roots::Roots;
use stamps::Stamps;
use static_numbers::StaticNumbers;
use uses::Uses;

/// The layers of a mode; each stands on those before it.
pub(crate) fn of(options: &Options) -> Vec<Box<dyn Layer>> {
    let mut layers: Vec<Box<dyn Layer>> = Vec::new();
    if options.staleness != Staleness::Off {
        layers.push(Box::new(Uses::default()));
    }
    if options.mode.has_deaths() {
        let numbers = Arc::new(StaticNumbers::default());
        layers.push(Box::new(Stamps::default()));
        if options.roots.unwrap_or_default() != RootsWanted::Off {
            layers.push(Box::new(Roots::new(Arc::clone(&numbers))));
        }
        if options.mode == Mode::Full {
            layers.push(Box::new(Records::new(numbers)));
        }
    }
    layers
}
