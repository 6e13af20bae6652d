//! Numbers the objects of a dump by ascending identifier, instead of by their order in the file.

use crate::class_table::{ClassIndex, ClassTable};
use crate::id_table::IdTable;
use crate::object_model::{ObjectModel, Sizes};
use crate::record_walk::Identifier;
use crate::survey::{OBJECTS_PER_POSITION, Survey};

/// For each group of this many consecutive numbers, the first place in the file is stored.
const OBJECTS_PER_PLACE: u32 = 64;
/// Marks an identifier that occurred before.
const AGAIN: u32 = u32::MAX;

/// The objects of a dump by number, 13 bytes each.
#[derive(Debug)]
pub(crate) struct Numbering {
    pub(crate) ids: IdTable,
    pub(crate) model: ObjectModel,
    pub(crate) class_of: Vec<ClassIndex>,
    /// Estimated bytes in the heap, in units of 8.
    pub(crate) units: Vec<u32>,
    pub(crate) positions: Positions,
}

/// The number of each object, in the order of the file.
#[derive(Debug)]
pub(crate) struct FileOrder(Vec<u32>);

impl FileOrder {
    /// Number of objects in the file.
    pub(crate) fn places(&self) -> usize {
        self.0.len()
    }

    /// The number of the object at a place in the file; `None` if its identifier occurred before.
    pub(crate) fn number(&self, place: usize) -> Option<u32> {
        self.0.get(place).copied().filter(|number| *number != AGAIN)
    }
}

/// Maps numbers of objects to file offsets.
#[derive(Debug)]
pub(crate) struct Positions {
    /// File offset of every 64th object, in the order of the file.
    positions: Vec<u64>,
    /// For each group of 64 numbers: the first place in the file of one of these objects.
    places: Vec<u32>,
}

impl Positions {
    /// A file offset at or shortly before an object that is not a class object.
    pub(crate) fn before(&self, number: u32) -> Option<u64> {
        let place = self.places.get((number / OBJECTS_PER_PLACE) as usize)?;
        let at = (place / OBJECTS_PER_POSITION) as usize;
        self.positions.get(at).copied()
    }
}

impl Numbering {
    /// Takes the data per object from the survey and sorts it by number.
    pub(crate) fn of(survey: &mut Survey) -> (Self, FileOrder) {
        let ids_by_place = core::mem::take(&mut survey.ids);
        let ids = IdTable::new(ids_by_place.clone());
        let order = file_order(&ids, &ids_by_place);
        drop(ids_by_place);
        let class_by_place = core::mem::take(&mut survey.class_of);
        let class_of = by_number(&order, ids.len(), &class_by_place, ClassTable::of_classes());
        let places = first_places(&order, ids.len(), &class_by_place);
        drop(class_by_place);
        let lengths = core::mem::take(&mut survey.lengths);
        let mut units = by_number(&order, ids.len(), &lengths, 0);
        drop(lengths);
        let model = ObjectModel::of(&ids, &survey.classes, (&class_of, &units));
        let mut sizes = Sizes::new(model, &survey.classes);
        for (units, class) in units.iter_mut().zip(&class_of) {
            let bytes = sizes.bytes(*class, *units);
            *units = u32::try_from(bytes / 8).unwrap_or(u32::MAX);
        }
        let positions = Positions {
            positions: core::mem::take(&mut survey.positions),
            places,
        };
        let numbering = Self {
            ids,
            model,
            class_of,
            units,
            positions,
        };
        (numbering, order)
    }
}

fn file_order(ids: &IdTable, ids_by_place: &[Identifier]) -> FileOrder {
    let mut seen = vec![false; ids.len()];
    let mut next = 0;
    let numbers = ids_by_place.iter().map(|id| {
        let number = match ids.id(next) == *id {
            true => next,
            false => ids.number(*id).unwrap_or(AGAIN),
        };
        next = number.saturating_add(1);
        match seen.get_mut(number as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return AGAIN,
        }
        number
    });
    FileOrder(numbers.collect())
}

fn by_number<T: Copy>(order: &FileOrder, numbers: usize, by_place: &[T], none: T) -> Vec<T> {
    let mut all = vec![none; numbers];
    for (place, value) in by_place.iter().enumerate() {
        let number = order.number(place);
        if let Some(slot) = number.and_then(|number| all.get_mut(number as usize)) {
            *slot = *value;
        }
    }
    all
}

/// The first place of each group. Class objects are ignored, because they are at the start of the file wherever they
/// are in the heap.
fn first_places(order: &FileOrder, numbers: usize, class_by_place: &[ClassIndex]) -> Vec<u32> {
    let mut places = vec![u32::MAX; numbers.div_ceil(OBJECTS_PER_PLACE as usize)];
    for (place, class) in (0_u32..).zip(class_by_place) {
        let Some(number) = order.number(place as usize) else {
            continue;
        };
        let first = places.get_mut((number / OBJECTS_PER_PLACE) as usize);
        if let Some(first) = first.filter(|_| *class != ClassTable::of_classes()) {
            *first = place.min(*first);
        }
    }
    places
}
