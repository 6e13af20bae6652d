//! Portions that other rules have and that go with a change become its own.

use ducktrack_count_model::AllocationKind;
use ducktrack_profile::Profile;
use rustc_hash::FxHashMap;

use crate::advice::Place;
use crate::classify::{is_filled, makes_collection, rule_of};
use crate::growth_rule::Growths;
use crate::jdk;
use crate::portion::{Basis, Portion};
use crate::row::{Row, place_of_change};
use crate::rule::Rule;

/// Joins the rows of all portions.
pub(crate) fn join<'a, 'm>(
    rows: &mut Vec<Row<'a, 'm>>,
    portions: &'a [Portion<'m>],
    profile: &Profile,
) {
    join_captures(rows);
    join_texts(rows);
    join_text_arguments(rows);
    join_grown_texts(rows);
    join_exceptions(rows, portions);
    join_filled(rows, portions);
    join_iterators(rows, profile);
}

/// The closures that a chain of stream or `Optional` is given go with the chain.
fn join_captures(rows: &mut Vec<Row<'_, '_>>) {
    let mut chains: Vec<(Place, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if matches!(row.rule, Rule::Stream | Rule::Optional) {
            let places = row.portions.iter().map(|portion| portion.place.clone());
            chains.extend(places.map(|place| (place, at)));
        }
    }
    let mut moved = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = row.portions.first().map(|portion| &portion.place);
        let chain = chains.iter().find(|(of_chain, _)| Some(of_chain) == place);
        if let (Rule::Capture, Some((_, chain))) = (row.rule, chain) {
            moved.push((at, *chain));
        }
    }
    move_portions(rows, &moved);
}

/// A text that one line begins and a later one ends, `new StringBuilder` and `toString`: as many builders as texts.
fn join_texts(rows: &mut Vec<Row<'_, '_>>) {
    let builders: Vec<(Place, i64, usize)> = ends_of_texts(rows, &|portion| {
        portion.path.is_empty() && portion.site.kind == AllocationKind::New
    });
    let texts = ends_of_texts(rows, &|portion| {
        let is_text = portion.site.ty.as_deref() == Some("Ljava/lang/String;");
        let is_of_builder = portion
            .callee()
            .is_some_and(|(class, name)| jdk::is_builder(class) && name == "toString");
        is_text && (is_of_builder || portion.is_of_chain())
    });
    let has_own = |at: usize, ends: &[(Place, i64, usize)]| ends.iter().any(|(.., row)| *row == at);
    let mut moved = Vec::new();
    for (place, count, at) in &builders {
        let ends = texts.iter().find(|(other, texts, _)| {
            (&other.class, &other.method) == (&place.class, &place.method)
                && other.line > place.line
                && texts == count
        });
        if let (Some((.., text)), false) = (ends, has_own(*at, &texts))
            && !has_own(*text, &builders)
        {
            moved.push((*text, *at));
        }
    }
    move_portions(rows, &moved);
}

/// What is made to be put into a text goes with the text: the array of variable arguments, for which no other form of the call exists, and
/// its boxes.
fn join_text_arguments(rows: &mut Vec<Row<'_, '_>>) {
    let mut moved = Vec::new();
    for (to, text) in rows.iter().enumerate() {
        let Some(place) = text.place_of_format() else {
            continue;
        };
        for (from, row) in rows.iter().enumerate() {
            let is_argument = matches!(row.rule, Rule::Varargs | Rule::Box)
                && row.portions.iter().all(|portion| portion.path.is_empty());
            if is_argument && row.largest().place == *place {
                moved.push((from, to));
            }
        }
    }
    move_portions(rows, &moved);
}

/// Who makes no text has no growing builder either: the text's bound has the arrays, too, and they remain a row of their own.
fn join_grown_texts(rows: &mut [Row<'_, '_>]) {
    let mut grown = Vec::new();
    for (at, text) in rows.iter().enumerate() {
        let is_built =
            text.rule == Rule::Text && text.portions.iter().any(|portion| is_built(portion));
        for row in rows.iter().filter(|_| is_built) {
            let is_builders = row.portions.iter().any(|portion| is_built_by(portion));
            if row.rule == Rule::Growth && is_builders && row.is_of_method(text) {
                grown.push((at, row.portions.clone()));
            }
        }
    }
    for (at, portions) in grown {
        if let Some(row) = rows.get_mut(at) {
            row.portions.extend(portions);
        }
    }
}

/// Whether it is a text that a builder becomes, or the builder.
fn is_built(portion: &Portion<'_>) -> bool {
    portion.site.ty.as_deref() == Some("Ljava/lang/StringBuilder;") && portion.path.is_empty()
        || is_built_by(portion)
}

fn is_built_by(portion: &Portion<'_>) -> bool {
    portion
        .callee()
        .is_some_and(|(class, _)| jdk::is_builder(class))
}

/// Rows of text that have such portions, and the number of objects in them.
fn ends_of_texts(
    rows: &[Row<'_, '_>],
    is_end: &dyn Fn(&Portion<'_>) -> bool,
) -> Vec<(Place, i64, usize)> {
    let mut ends = Vec::new();
    for (at, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.rule == Rule::Text)
    {
        let counted = row
            .portions
            .iter()
            .filter(|portion| portion.basis == Basis::Exact);
        let objects = counted.filter(|portion| is_end(portion));
        let objects: i64 = objects.map(|portion| portion.tally.count).sum();
        if let (Some(first), true) = (row.portions.first(), objects > 0) {
            ends.push((first.place.clone(), objects, at));
        }
    }
    ends
}

/// The collections themselves, and what they are made of, go with the arrays that they are made with, where each has one.
fn join_filled<'a, 'm>(rows: &mut [Row<'a, 'm>], portions: &'a [Portion<'m>]) {
    for row in rows.iter_mut().filter(|row| row.rule == Rule::Copy) {
        let mut arrays: FxHashMap<&Place, i64> = FxHashMap::default();
        for portion in row.portions.iter().filter(|portion| is_filled(portion)) {
            *arrays.entry(&portion.place).or_default() += portion.tally.count;
        }
        let is_collection = |portion: &&'a Portion<'m>| {
            let has_array = |arrays: &i64| *arrays >= portion.tally.count / 10 * 9;
            let is_itself = portion.path.is_empty() && portion.site.kind == AllocationKind::New;
            (is_itself || makes_collection(portion))
                && rule_of(portion).is_none()
                && arrays.get(&portion.place).is_some_and(has_array)
        };
        let collections: Vec<_> = portions.iter().filter(is_collection).collect();
        row.portions.extend(collections);
    }
}

/// The loop that fills a collection goes with it: its method asks for as many iterators as it makes collections.
fn join_iterators(rows: &mut Vec<Row<'_, '_>>, profile: &Profile) {
    let mut moved = Vec::new();
    for (to, filled) in rows.iter().enumerate() {
        let Some(collections) = filled.collections() else {
            continue;
        };
        for (from, row) in rows.iter().enumerate() {
            let ((least, most), _) = row.bounds(profile);
            let may_be_as_many =
                collections >= least - least / 20 && collections <= most + most / 20;
            if row.rule == Rule::Iterator && row.is_of_method(filled) && may_be_as_many {
                moved.push((from, to));
            }
        }
    }
    move_portions(rows, &moved);
}

/// A copy that its method makes larger is no copy that could be kept.
pub(crate) fn drop_grown_copies(rows: &mut Vec<Row<'_, '_>>, growths: &Growths<'_, '_>) {
    let grown = rows
        .iter()
        .filter(|row| row.most_of_copies(growths).is_some());
    let grown = grown.filter_map(|row| row.portions.first());
    let grown: Vec<Place> = grown
        .map(|portion| place_of_change(Rule::Growth, &portion.place))
        .collect();
    rows.retain(|row| {
        let is_grown =
            |portion: &&Portion<'_>| grown.contains(&place_of_change(Rule::Growth, &portion.place));
        row.rule != Rule::Copy
            || !row
                .portions
                .iter()
                .any(|portion| is_filled(portion) && is_grown(portion))
    });
}

/// The exceptions themselves, their texts, and what the same line puts around them go with their stack traces.
fn join_exceptions<'a, 'm>(rows: &mut Vec<Row<'a, 'm>>, portions: &'a [Portion<'m>]) {
    let mut made: Vec<(Place, usize)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if row.rule == Rule::Exception {
            let makes = row
                .portions
                .iter()
                .filter(|portion| portion.constructed.is_some());
            made.extend(makes.map(|portion| (portion.place.clone(), at)));
        }
    }
    let row_of = |place: &Place| made.iter().find(|(of, _)| of == place).map(|(_, at)| *at);
    let mut moved = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = row.portions.first().map(|portion| &portion.place);
        if let (Rule::Text, Some(to)) = (row.rule, place.and_then(row_of)) {
            moved.push((at, to));
        }
    }
    let is_open = |portion: &&Portion<'_>| {
        portion.path.is_empty()
            && portion.site.kind == AllocationKind::New
            && rule_of(portion).is_none()
    };
    for portion in portions.iter().filter(is_open) {
        if let Some(row) = row_of(&portion.place).and_then(|at| rows.get_mut(at)) {
            row.portions.push(portion);
        }
    }
    move_portions(rows, &moved);
}

/// Moves all portions of rows, by their positions, to other rows; rows without any are gone.
fn move_portions(rows: &mut Vec<Row<'_, '_>>, moved: &[(usize, usize)]) {
    for (from, to) in moved {
        let portions = rows
            .get_mut(*from)
            .map(|row| std::mem::take(&mut row.portions));
        if let Some(row) = rows.get_mut(*to) {
            row.portions.extend(portions.unwrap_or_default());
        }
    }
    rows.retain(|row| !row.portions.is_empty());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ducktrack_count_model::{SiteFacts, SiteIndex, Tally};

    use super::*;
    use crate::portion::Site;

    /// Objects that a line of `Shop.sell` makes, or asks for by a method.
    fn portion<'a>(
        facts: &'a SiteFacts,
        (kind, ty): (AllocationKind, &str),
        callee: Option<(&'a str, &'a str)>,
        (line, count): (u16, i64),
    ) -> Portion<'a> {
        let path = callee.map(|(class, name)| (Arc::from(class), Arc::from(name)));
        Portion {
            site: Site {
                index: SiteIndex::at(0),
                kind,
                method: callee.unwrap_or(("Shop", "sell")),
                ty: Some(Arc::from(ty)),
                size: None,
                facts,
            },
            place: Place {
                class: Arc::from("Shop"),
                method: Arc::from("sell"),
                line: Some(line),
            },
            path: path.into_iter().collect(),
            constructed: None,
            tally: Tally {
                count,
                bytes: 400 * count,
            },
            basis: Basis::Exact,
            heap: None,
            has_constant_argument: false,
        }
    }

    fn rows<'a, 'm>(portions: &[(Rule, &'a Portion<'m>)]) -> Vec<Row<'a, 'm>> {
        let row = |(rule, portion): &(Rule, &'a Portion<'m>)| Row {
            rule: *rule,
            portions: vec![portion],
        };
        portions.iter().map(row).collect()
    }

    fn objects(rows: &[Row<'_, '_>]) -> Vec<(Rule, i64)> {
        let sum = |row: &Row<'_, '_>| -> i64 {
            let objects = row.portions.iter().map(|portion| portion.tally.count);
            objects.sum()
        };
        rows.iter().map(|row| (row.rule, sum(row))).collect()
    }

    #[test]
    fn the_iterator_that_fills_a_list_goes_with_it() {
        let facts = SiteFacts::default();
        let list = (AllocationKind::New, "Ljava/util/ArrayList;");
        let list = portion(&facts, list, None, (3, 10));
        let array = (AllocationKind::NewArray, "[Ljava/lang/Object;");
        let array = portion(
            &facts,
            array,
            Some(("java/util/ArrayList", "<init>")),
            (3, 10),
        );
        let iterator = |count| {
            let ty = (AllocationKind::New, "Ljava/util/ArrayList$Itr;");
            portion(&facts, ty, Some(("java/util/List", "iterator")), (4, count))
        };
        let joined = |iterators| {
            let iterator = iterator(iterators);
            let mut all = rows(&[(Rule::Copy, &array), (Rule::Iterator, &iterator)]);
            all[0].portions.push(&list);
            join_iterators(&mut all, &Profile::default());
            objects(&all)
        };
        assert_eq!(joined(10), [(Rule::Copy, 30)]);
        // Of loops that are executed more often, it is not known what they are for.
        assert_eq!(joined(25), [(Rule::Copy, 20), (Rule::Iterator, 25)]);
    }

    #[test]
    fn variable_arguments_and_boxes_go_with_the_formatted_text() {
        let facts = SiteFacts::default();
        let text = (AllocationKind::New, "Ljava/lang/String;");
        let array = (AllocationKind::Varargs, "[Ljava/lang/Object;");
        let array = portion(&facts, array, None, (3, 10));
        let number = (AllocationKind::Boxing, "Ljava/lang/Integer;");
        let [here, elsewhere] = [3, 9].map(|line| portion(&facts, number, None, (line, 10)));
        let joined = |name| {
            let text = portion(&facts, text, Some(("java/lang/String", name)), (3, 10));
            let mut all = rows(&[
                (Rule::Varargs, &array),
                (Rule::Text, &text),
                (Rule::Box, &here),
                (Rule::Box, &elsewhere),
            ]);
            join_text_arguments(&mut all);
            objects(&all)
        };
        assert_eq!(joined("format"), [(Rule::Text, 30), (Rule::Box, 10)]);
        assert_eq!(joined("join").len(), 4);
    }

    #[test]
    fn who_makes_no_text_has_no_growing_builder() {
        let facts = SiteFacts::default();
        let bytes = (AllocationKind::NewArray, "[B");
        let call = |name| Some(("java/lang/StringBuilder", name));
        let text = portion(&facts, bytes, call("toString"), (5, 10));
        let grown = portion(&facts, bytes, call("append"), (4, 20));
        let mut all = rows(&[(Rule::Text, &text), (Rule::Growth, &grown)]);
        join_grown_texts(&mut all);
        assert_eq!(objects(&all), [(Rule::Text, 30), (Rule::Growth, 20)]);
    }
}
