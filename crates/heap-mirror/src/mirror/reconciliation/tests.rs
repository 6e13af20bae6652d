use proptest::prelude::*;

use super::*;

/// Parses objects like `a1 b2`: shape and origin of each.
fn before(text: &str) -> Vec<Former<char, u32>> {
    let objects = text.split_whitespace().enumerate();
    objects
        .map(|(index, object)| Former {
            shape: object.chars().next().unwrap(),
            address: index as u64,
            origin: object[1..].parse().unwrap(),
        })
        .collect()
}

fn after(shapes: impl IntoIterator<Item = char>) -> Vec<Present<char>> {
    let present = shapes.into_iter().map(|shape| Present {
        shape,
        // At no address of the objects before.
        address: u64::MAX,
    });
    present.collect()
}

/// The origin found for each object afterwards: `1!` is certain, `1` is not, `-` means no match.
fn origins(ordered: &str, loose: &str, first: &str, rest: &str) -> String {
    let mut all = before(ordered);
    let count = all.len();
    all.extend(before(loose));
    let present = after(first.chars().chain(rest.chars()));
    let matches = reconcile(&Sides {
        before: &all,
        ordered: count,
        after: &present,
        first: first.len(),
        in_place: false,
    });
    let origins = matches.into_iter().map(|found| match found {
        Match::Unmatched => "-".to_owned(),
        Match::Certain(former) => format!("{}!", all[former].origin),
        Match::Ambiguous(former) => all[former].origin.to_string(),
    });
    origins.collect::<Vec<_>>().join(" ")
}

#[test]
fn examples() {
    for (ordered, loose, first, rest, expected) in [
        // The example in the module's documentation.
        ("a1 b1 a2 c1 b2 b3", "", "abcb", "", "1! 1! 1! 2"),
        // All live.
        ("a1 a2 a3", "", "aaa", "", "1! 2! 3!"),
        ("a1 a2 a3", "", "aa", "", "1 2"),
        // One origin.
        ("a1 a1 a1", "", "a", "", "1!"),
        // The anchor `c` tells the two apart.
        ("a1 c9 a2 a3", "", "ca", "", "9! 2"),
        ("a1 c9 a2", "", "ca", "", "9! 2!"),
        // By windows: `b` can be either, but an `a` after `b` and another `a` is the last one.
        ("a1 b2 a3 b4 a5", "", "aba", "", "1 2 3"),
        ("b1 a1 a2 b2 a3 c1", "", "abac", "", "1 2! 3! 1!"),
        // Loose objects come after, in any order.
        ("a1 b1", "c1 d1", "abdc", "", "1! 1! 1! 1!"),
        ("a1 b1", "a2 b2", "ab", "", "1 1"),
        ("a1 b1", "a2 b2", "", "ba", "2! 2!"),
        ("a1 a2", "b1 b2", "aab", "b", "1! 2! 1 2"),
        // More than are known.
        ("a1", "", "aa", "", "1 -"),
        ("a1", "b1", "ax", "b", "1! - 1!"),
    ] {
        assert_eq!(
            origins(ordered, loose, first, rest),
            expected,
            "{ordered} + {loose} -> {first} + {rest}"
        );
    }
}

#[test]
fn the_same_address_is_taken_first() {
    let loose = before("a1 a2 a3");
    let present = [Present {
        shape: 'a',
        address: 1,
    }];
    for (in_place, expected) in [(false, Match::Ambiguous(1)), (true, Match::Certain(1))] {
        let matches = reconcile(&Sides {
            before: &loose,
            ordered: 0,
            after: &present,
            first: 0,
            in_place,
        });
        assert_eq!(matches, [expected]);
    }
}

/// Objects with shape, origin and whether they survive.
type Objects = Vec<(char, u32, bool)>;

fn objects() -> impl Strategy<Value = Objects> {
    let shape = prop::sample::select(vec!['a', 'a', 'b', 'c', 'd', 'e', 'f']);
    prop::collection::vec((shape, 0_u32..4, any::<bool>()), 0..24)
}

fn formers(objects: &Objects, address: u64) -> Vec<Former<char, u32>> {
    let numbered = objects.iter().zip(address..);
    let formers = numbered.map(|((shape, origin, _), address)| Former {
        shape: *shape,
        address,
        origin: *origin,
    });
    formers.collect()
}

/// Shape and origin of the survivors.
fn living(objects: &Objects) -> impl Iterator<Item = (char, u32)> {
    let living = objects.iter().filter(|(_, _, lives)| *lives);
    living.map(|(shape, origin, _)| (*shape, *origin))
}

/// All origins that each object afterwards can have if the order is kept, found by trying every embedding.
fn all_origins(before: &[Former<char, u32>], after: &[char]) -> Vec<Vec<u32>> {
    fn try_all(
        before: &[Former<char, u32>],
        after: &[char],
        chosen: &mut Vec<u32>,
        found: &mut [Vec<u32>],
    ) {
        let Some(shape) = after.first() else {
            for (origins, origin) in found.iter_mut().zip(chosen) {
                origins.push(*origin);
            }
            return;
        };
        for (index, former) in before.iter().enumerate() {
            if former.shape == *shape {
                chosen.push(former.origin);
                try_all(&before[index + 1..], &after[1..], chosen, found);
                chosen.pop();
            }
        }
    }
    let mut found = vec![Vec::new(); after.len()];
    try_all(before, after, &mut Vec::new(), &mut found);
    found
}

proptest! {
    /// No match that is called certain is wrong, for any mixture of ordered and loose objects.
    #[test]
    fn what_is_certain_is_right(
        ordered in objects(),
        loose in objects(),
        (inside, seed) in (0_usize..24, any::<u64>()),
    ) {
        let mut all = formers(&ordered, 0);
        all.extend(formers(&loose, 100));
        let mut rest: Vec<(char, u32)> = living(&loose).collect();
        // An arbitrary order.
        rest.sort_by_key(|object| (u64::from(object.0) * 31 + u64::from(object.1)).wrapping_mul(seed | 1));
        let truth: Vec<(char, u32)> = living(&ordered).chain(rest.iter().copied()).collect();
        let from_ordered = living(&ordered).count();
        let present = after(truth.iter().map(|(shape, _)| *shape));
        let matches = reconcile(&Sides {
            before: &all,
            ordered: ordered.len(),
            after: &present,
            first: (from_ordered + inside).min(truth.len()),
            in_place: false,
        });
        let mut used = vec![false; all.len()];
        for (found, (shape, origin)) in matches.iter().zip(&truth) {
            match found {
                Match::Certain(former) | Match::Ambiguous(former) => {
                    prop_assert_eq!(all[*former].shape, *shape);
                    prop_assert!(!std::mem::replace(&mut used[*former], true));
                    if matches!(found, Match::Certain(_)) {
                        prop_assert_eq!(all[*former].origin, *origin);
                    }
                }
                Match::Unmatched => prop_assert!(false, "every object was known"),
            }
        }
    }

    /// If only the order counts, a match is certain exactly if no other embedding contradicts it.
    #[test]
    fn everything_that_the_order_proves_is_certain(
        objects in prop::collection::vec(
            (prop::sample::select(vec!['a', 'b', 'c']), 0_u32..3, any::<bool>()), 0..11),
    ) {
        let all = formers(&objects, 0);
        let shapes: Vec<char> = living(&objects).map(|(shape, _)| shape).collect();
        let possible = all_origins(&all, &shapes);
        let matches = reconcile(&Sides {
            before: &all,
            ordered: all.len(),
            after: &after(shapes.iter().copied()),
            first: shapes.len(),
            in_place: false,
        });
        for (found, possible) in matches.iter().zip(&possible) {
            let is_one = possible.iter().all(|origin| *origin == possible[0]);
            prop_assert_eq!(matches!(found, Match::Certain(_)), is_one);
        }
    }
}
