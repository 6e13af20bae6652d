//! The death times of what one collection found dead.

use crate::death::clock::Instant;
use crate::death::object_table::{ObjectTable, State};
use crate::death::references::References;
use crate::death::shape::HeapShape;
use crate::stream::record::Time;

/// An object, its death, and whether it died by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    pub(crate) place: u32,
    pub(crate) at: Instant,
    pub(crate) is_key: bool,
}

/// Computes the deaths of the doomed objects, latest first. Survivors that dead objects refer to are held until these died.
/// `seen` is a moment at which all objects born before it were reachable.
pub(crate) fn propagate(
    doomed: &[u32],
    seen: Option<Instant>,
    objects: &mut ObjectTable,
    references: &References,
    shape: &mut HeapShape,
) -> (Vec<Death>, u64) {
    let (order, raised) = latest_first(doomed, seen, objects);
    let mut deaths = Vec::with_capacity(order.len());
    let mut stack = Vec::new();
    for (_, place) in order {
        let Some(at) = kill(place, None, objects) else {
            continue;
        };
        let before = deaths.len();
        deaths.push(Death {
            place,
            at,
            is_key: true,
        });
        stack.push(place);
        while let Some(source) = stack.pop() {
            let Some(object) = objects.get(source) else {
                continue;
            };
            let (list, born) = (object.references, object.born);
            for target in references.targets(list) {
                let Some(object) = objects.target_mut(target) else {
                    continue;
                };
                shape.at_death.add(born, object.born);
                match object.state {
                    State::Alive => object.held = object.held.later(at),
                    State::Doomed => {
                        object.state = State::Dead;
                        deaths.push(Death {
                            place: target.place,
                            at,
                            is_key: false,
                        });
                        stack.push(target.place);
                    }
                    State::Dead | State::Free => {}
                }
            }
        }
        let size = (deaths.len() - before) as u64;
        shape.groups.sizes.add(size);
        shape.groups.largest = shape.groups.largest.max(size);
    }
    (deaths, raised)
}

/// The doomed by falling moment; those of one moment by id, so that results do not depend on the order in the stream.
fn latest_first(
    doomed: &[u32],
    seen: Option<Instant>,
    objects: &mut ObjectTable,
) -> (Vec<(Time, u32)>, u64) {
    let mut raised = 0;
    let mut order: Vec<(Time, u64, u32)> = Vec::with_capacity(doomed.len());
    for place in doomed {
        let Some(object) = objects.get_mut(*place) else {
            continue;
        };
        if let Some(seen) = seen
            && object.born.time < seen.time
            && object.stamp().time < seen.time
        {
            object.held = seen;
            raised += 1;
        }
        order.push((object.stamp().time, object.id, *place));
    }
    order.sort_unstable_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
    let order = order.into_iter().map(|(time, _, place)| (time, place));
    (order.collect(), raised)
}

/// Marks a doomed object dead and gives its moment; `None` when it was dead already.
fn kill(place: u32, at: Option<Instant>, objects: &mut ObjectTable) -> Option<Instant> {
    let object = objects.get_mut(place)?;
    if object.state != State::Doomed {
        return None;
    }
    object.state = State::Dead;
    Some(at.unwrap_or_else(|| object.stamp()))
}
