//! Where a structure grows: at which step of a path the time at which the objects at its end were born is decided.
//!
//! A container that grows gets element after element, and what hangs on one element is born with it: once the element is known, so
//! is the time. Above that step the births below an object are spread over the whole run, whichever object it is. How much of the
//! variance of births each step explains is the adjusted coefficient of determination (Wherry 1931) of a one-way analysis of
//! variance, with the objects of the step as groups. The structure grows at the step that explains most of what the step before does
//! not. Objects that are many because each element has many of them (the methods of each class of each loader) explain nothing more.

use rustc_hash::FxHashMap;

use crate::field_paths::PathNumber;
use crate::holdings::Holdings;

/// Births of objects, by the collections that they have survived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Births {
    objects: f64,
    sum: f64,
    squares: f64,
}

impl Births {
    fn of(age: u32) -> Self {
        let age = f64::from(age);
        Self {
            objects: 1.0,
            sum: age,
            squares: age * age,
        }
    }

    fn add(&mut self, other: Self) {
        self.objects += other.objects;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The sum of squared distances from their mean.
    fn spread(&self) -> f64 {
        match self.objects > 1.0 {
            true => (self.squares - self.sum * self.sum / self.objects).max(0.0),
            false => 0.0,
        }
    }
}

/// The objects of one step as groups of births.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Within {
    groups: f64,
    objects: f64,
    spread: f64,
}

impl Within {
    fn add(&mut self, births: &Births) {
        if births.objects > 0.0 {
            self.groups += 1.0;
            self.objects += births.objects;
            self.spread += births.spread();
        }
    }

    /// The part of the variance of all births that the groups explain: 0 if they are as mixed as all are.
    fn explained(&self, all: f64) -> f64 {
        match self.objects - self.groups {
            free if free >= 1.0 => 1.0 - self.spread / free / all,
            _ => 1.0,
        }
    }
}

/// Members that are looked at: beyond this many, runs of neighbours.
const MOST: usize = 1 << 18;
const RUN: usize = 1 << 10;

/// For each path on the ways to some objects, their births by the objects of that path.
#[derive(Debug)]
pub(crate) struct GroupedBirths {
    within: FxHashMap<PathNumber, Within>,
    all: Births,
}

/// An object on the way to others.
#[derive(Debug)]
struct Passed {
    before: Option<u32>,
    path: PathNumber,
    /// Objects directly below whose births are not yet added.
    left: u32,
    /// Births of what hangs on this object, and not on another one of its path further down.
    own: Births,
    /// Births of all that hangs on it.
    through: Births,
}

impl GroupedBirths {
    pub(crate) fn of(holdings: &Holdings, members: &[u32]) -> Self {
        let mut ways = Ways::default();
        for member in looked_at(members) {
            ways.add(holdings, *member);
        }
        ways.grouped()
    }

    /// The step at which these objects pile up. `None`: nothing is known of their births, or all were born at one time.
    pub(crate) fn growing_step(
        &self,
        path_of: impl Iterator<Item = Option<PathNumber>>,
    ) -> Option<usize> {
        let all = self.all.spread() / (self.all.objects - 1.0);
        if all.is_nan() || all <= 0.0 {
            return None;
        }
        let (mut before, mut most) = (0.0, None);
        for (at, path) in path_of.enumerate() {
            let Some(within) = path.and_then(|path| self.within.get(&path)) else {
                continue;
            };
            let explained = within.explained(all);
            let more = explained - before;
            if most.is_none_or(|(_, known)| more > known) {
                most = Some((at, more));
            }
            before = explained;
        }
        most.map(|(at, _)| at)
    }
}

fn looked_at(members: &[u32]) -> impl Iterator<Item = &u32> {
    let every = members.len().div_ceil(MOST).max(1);
    members.chunks(RUN).step_by(every).flatten()
}

/// The tree of the ways to the members.
#[derive(Default)]
struct Ways {
    places: FxHashMap<u32, u32>,
    passed: Vec<Passed>,
    all: Births,
}

impl Ways {
    fn add(&mut self, holdings: &Holdings, member: u32) {
        let births = Births::of(holdings.dump.age(member));
        let Some(place) = self.way(holdings, member) else {
            return;
        };
        self.all.add(births);
        if let Some(passed) = self.passed.get_mut(place as usize) {
            passed.own.add(births);
            passed.through.add(births);
        }
    }

    /// The place of an object; those before it on its way get theirs. A list is as long as it is: no recursion.
    fn way(&mut self, holdings: &Holdings, object: u32) -> Option<u32> {
        let mut below: Option<u32> = None;
        let mut first = None;
        let mut next = Some(object);
        while let Some(object) = next {
            let known = self.places.get(&object).copied();
            let place = match known {
                Some(place) => place,
                None => self.new_place(holdings, object)?,
            };
            first = first.or(Some(place));
            if let Some(below) = below.and_then(|below| self.passed.get_mut(below as usize)) {
                below.before = Some(place);
                if let Some(passed) = self.passed.get_mut(place as usize) {
                    passed.left += 1;
                }
            }
            below = Some(place);
            next = holdings.shortest.before(object).filter(|_| known.is_none());
        }
        first
    }

    fn new_place(&mut self, holdings: &Holdings, object: u32) -> Option<u32> {
        let place = u32::try_from(self.passed.len()).ok()?;
        self.passed.push(Passed {
            before: None,
            path: holdings.paths.of(object)?,
            left: 0,
            own: Births::default(),
            through: Births::default(),
        });
        self.places.insert(object, place);
        Some(place)
    }

    /// Adds births upwards, an object after all that is below it.
    fn grouped(mut self) -> GroupedBirths {
        let mut within: FxHashMap<PathNumber, Within> = FxHashMap::default();
        let places = 0_u32..;
        let ends = places.zip(&self.passed).filter(|(_, one)| one.left == 0);
        let mut todo: Vec<u32> = ends.map(|(place, _)| place).collect();
        while let Some(passed) = todo.pop().and_then(|place| self.passed.get(place as usize)) {
            within.entry(passed.path).or_default().add(&passed.own);
            let (path, through) = (passed.path, passed.through);
            let Some(above) = passed.before else {
                continue;
            };
            if let Some(before) = self.passed.get_mut(above as usize) {
                before.through.add(through);
                if before.path != path {
                    before.own.add(through);
                }
                before.left -= 1;
                todo.extend((before.left == 0).then_some(above));
            }
        }
        GroupedBirths {
            within,
            all: self.all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of paths, each object with the object before it; the last path has the members, with their ages.
    fn grown(objects: &[(Option<u32>, u32)], members: &[(u32, u32)], steps: u32) -> Option<usize> {
        let mut ways = Ways::default();
        for (before, path) in objects {
            ways.passed.push(Passed {
                before: *before,
                path: PathNumber(*path),
                left: 0,
                own: Births::default(),
                through: Births::default(),
            });
            if let Some(before) = before {
                ways.passed[*before as usize].left += 1;
            }
        }
        for (place, age) in members {
            let births = Births::of(*age);
            ways.all.add(births);
            ways.passed[*place as usize].own.add(births);
            ways.passed[*place as usize].through.add(births);
        }
        let paths = (0..steps).map(|step| Some(PathNumber(step)));
        ways.grouped().growing_step(paths)
    }

    #[test]
    fn a_row_of_loaders_grows_although_each_has_more_methods_than_there_are_loaders() {
        let mut objects = vec![(None, 0)];
        let mut members = Vec::new();
        for loader in 0..5 {
            let at = objects.len() as u32;
            objects.push((Some(0), 1));
            for _ in 0..200 {
                members.push((objects.len() as u32, 10 - loader));
                objects.push((Some(at), 2));
            }
        }
        assert_eq!(grown(&objects, &members, 3), Some(1));
    }

    #[test]
    fn lists_of_a_fixed_table_grow_although_the_table_is_longer() {
        let mut objects = vec![(None, 0)];
        let mut members = Vec::new();
        for user in 0..300_u32 {
            let at = objects.len() as u32;
            objects.push((Some(0), 1));
            for event in 0..3 {
                members.push((objects.len() as u32, (user * 7 + event * 31) % 23));
                objects.push((Some(at), 2));
            }
        }
        assert_eq!(grown(&objects, &members, 3), Some(2));
    }

    #[test]
    fn nodes_of_a_list_are_elements_each() {
        let mut objects = vec![(None, 0)];
        let mut members = Vec::new();
        for node in 0..100_u32 {
            objects.push((Some(if node == 0 { 0 } else { 2 * node - 1 }), 1));
            members.push((objects.len() as u32, node / 10));
            objects.push((Some(2 * node + 1), 2));
        }
        assert_eq!(grown(&objects, &members, 3), Some(1));
    }

    #[test]
    fn births_at_one_time_tell_nothing() {
        let objects = [(None, 0), (Some(0), 1), (Some(0), 1)];
        assert_eq!(grown(&objects, &[(1, 4), (2, 4)], 2), None);
        assert_eq!(grown(&objects, &[(1, 4)], 2), None);
        assert_eq!(grown(&objects, &[], 2), None);
    }
}
