//! Verdicts on series whose truth is known.

use ducktrack_leaks::{
    Amount, Cell, Clock, Death, History, Lines, NotKnown, Speeds, Verdict, before_it_was_dropped,
    groups, judge,
};
use proptest::prelude::*;

/// Cells of the clock, as the replay makes them.
const CELLS: usize = 32;

/// A clock of equal cells.
fn equal_cells(number: usize, bytes: u64, micros: u64) -> Clock {
    Clock::new(vec![Cell { bytes, micros }; number])
}

fn clock() -> Clock {
    equal_cells(CELLS, 10 << 20, 100_000)
}

/// The same where that many collections looked at it.
fn clock_of(collections: u32) -> Clock {
    Clock::of_collections(clock().cells().to_vec(), collections, &Speeds::default())
}

/// As many objects as are kept of the cells, and no deaths.
fn keeping(cells: usize, kept: impl FnMut(usize) -> Amount) -> History {
    History {
        kept: (0..cells).map(kept).collect(),
        ..History::default()
    }
}

/// A program whose objects live for a time that its rule says.
struct Program {
    clock: Clock,
    /// Collections that look at everything, by cell. Always one at the end.
    looks: Vec<usize>,
    random: u64,
}

impl Program {
    fn new(looks: &[usize], seed: u64) -> Self {
        Self {
            clock: clock(),
            looks: looks.iter().copied().chain([CELLS - 1]).collect(),
            random: seed | 1,
        }
    }

    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// `births(x)` objects are born in the cell at x (0 to 1), and each lives for `life(x, random)` of the span.
    fn history(
        &mut self,
        births: impl Fn(f64) -> u64,
        life: impl Fn(f64, f64) -> f64,
        bytes: u64,
    ) -> History {
        let mut history = History {
            born: vec![Amount::default(); CELLS],
            kept: vec![Amount::default(); CELLS],
            levels: vec![None; CELLS],
            ..History::default()
        };
        let one = Amount::of(1, bytes);
        let mut lives = Vec::new();
        for cell in 0..CELLS {
            let at = |part: f64| (cell as f64 + part) / CELLS as f64;
            for _ in 0..births(at(0.5)) {
                let born = at(self.random());
                lives.push((cell, born, born + life(born, self.random())));
            }
        }
        for (cell, _, dies) in &lives {
            history.born[*cell] += one;
            // Found dead by the first look after its death.
            let end = |look: usize| (look + 1) as f64 / CELLS as f64;
            match self
                .looks
                .iter()
                .find(|look| **look >= *cell && *dies <= end(**look))
            {
                None => history.kept[*cell] += one,
                Some(died) if died > cell => history.deaths.push(Death {
                    born: *cell,
                    seen: self.last_look(*cell, *died),
                    died: *died,
                    amount: one,
                }),
                Some(_) => {}
            }
        }
        for look in self.looks.clone() {
            let end = (look + 1) as f64 / CELLS as f64;
            let alive = lives
                .iter()
                .filter(|(cell, _, dies)| *cell <= look && *dies > end);
            history.levels[look] = Some(Amount::of(alive.count() as u64, bytes));
        }
        history
    }

    /// The last look at what was born in this cell before the one that found it dead.
    fn last_look(&self, born: usize, died: usize) -> usize {
        let before = self.looks.iter().filter(|look| (born..died).contains(look));
        before.copied().max().unwrap_or(born)
    }

    fn verdict(&mut self, births: impl Fn(f64) -> u64, life: impl Fn(f64, f64) -> f64) -> Verdict {
        let history = self.history(births, life, 24);
        judge(&self.clock, &history).verdict
    }
}

const FOREVER: fn(f64, f64) -> f64 = |_, _| 2.0;
const LOOKS: [&[usize]; 4] = [&[], &[7, 15, 23], &[3, 7, 11, 15, 19, 23, 27], &[30]];

/// Live objects at eleven equal steps of the clock, from the traces of two leaks that nobody here wrote.
#[test]
fn the_two_series() {
    let first = [
        3008, 22144, 41251, 64000, 83136, 105_500, 127_808, 147_200, 169_472, 186_304, 205_872,
    ];
    let second = [
        562, 1280, 2725, 3451, 4005, 5441, 6005, 7378, 8005, 9333, 10005,
    ];
    for series in [&first, &second] {
        let born = |at: usize| series[at] - at.checked_sub(1).map_or(0, |before| series[before]);
        let history = keeping(11, |at| Amount::of(born(at), 64));
        let clock = equal_cells(11, 1 << 20, 1);
        let judged = judge(&clock, &history);
        assert_eq!(judged.verdict, Verdict::Leaks, "{judged:?}");
        assert!(judged.objects_per_mb.low > 0.0 && judged.sure > 0.99);
    }
    // The second, freed by the program's shutdown: then all are dead.
    let born = |at: usize| second[at] - at.checked_sub(1).map_or(0, |before| second[before]);
    let deaths = (0..11).map(|at| Death {
        born: at,
        seen: 10,
        died: 11,
        amount: Amount::of(born(at), 64),
    });
    let mut levels: Vec<Option<Amount>> = second
        .iter()
        .map(|live| Some(Amount::of(*live, 64)))
        .collect();
    levels.push(Some(Amount::default()));
    let history = History {
        kept: vec![Amount::default(); 12],
        deaths: deaths.collect(),
        levels,
        ..History::default()
    };
    let clock = equal_cells(12, 1 << 20, 1);
    let judged = judge(&clock, &history);
    assert!(
        judged.released && judged.verdict == Verdict::Leaks,
        "{judged:?}"
    );
    // Nothing is left of them that could tell that they rose together; before, it could.
    let followers = |history: &History| groups(&[history, history], |_| 0)[0].followers.len();
    assert_eq!(followers(&history), 0);
    let before = before_it_was_dropped(&clock, &history).expect("it was dropped");
    assert_eq!(followers(&before), 1);
}

#[test]
fn twelve_large_loaders() {
    let loaders = |at: usize| u64::from(at % 5 < 2 && at > 2);
    let history = keeping(CELLS, |at| Amount::of(loaders(at), 4 << 20));
    let clock = clock();
    let judged = judge(&clock, &history);
    assert_eq!(judged.verdict, Verdict::Leaks, "{judged:?}");
}

/// Arrays that double: their number stands still.
#[test]
fn eight_arrays_that_double() {
    for phase in 0..8 {
        let capacity = |cell: usize| {
            let wanted = (cell + 1) as f64 * 1.09_f64.powi(phase);
            8 * (2.0_f64.powf(wanted.log2().ceil()) * 65_536.0) as u64
        };
        let amount = |bytes: u64| Amount { objects: 8, bytes };
        let mut history = History {
            born: vec![Amount::default(); CELLS],
            kept: vec![Amount::default(); CELLS],
            levels: (0..CELLS)
                .map(|cell| Some(amount(capacity(cell))))
                .collect(),
            ..History::default()
        };
        let last = (0..CELLS)
            .find(|cell| capacity(*cell) == capacity(CELLS - 1))
            .unwrap();
        history.kept[last] = amount(capacity(CELLS - 1));
        let clock = clock();
        let judged = judge(&clock, &history);
        assert_eq!(judged.verdict, Verdict::Leaks, "{phase}: {judged:?}");
        // The same table, full after a third of the run.
        let full = |cell: usize| capacity(cell.min(CELLS / 3));
        history.levels = (0..CELLS).map(|cell| Some(amount(full(cell)))).collect();
        assert!(!judge(&clock, &history).grows(), "{phase}");
    }
}

/// The same in a run in which no collection looked at everything before the end: births tell the sizes.
#[test]
fn an_array_that_doubles_without_looks() {
    let clock = clock();
    let doubling = |last: usize| {
        let mut history = History {
            born: vec![Amount::default(); CELLS],
            kept: vec![Amount::default(); CELLS],
            ..History::default()
        };
        let mut capacity = 1_000;
        for cell in 0..=last {
            while capacity < (cell as u64 + 1) * 1_000 {
                capacity *= 2;
                history.born[cell] += Amount::of(1, 8 * capacity);
            }
        }
        let newest = history.born.iter().rposition(|born| born.objects > 0);
        let newest = newest.expect("it grew");
        history.kept[newest] = Amount::of(1, 8 * capacity);
        history
    };
    let mut history = doubling(CELLS - 1);
    let few = Verdict::NotKnown(NotKnown::FewLooks);
    assert_eq!(judge(&clock, &history).verdict, few);
    history.unseen = history.kept.clone();
    assert_eq!(judge(&clock, &history).verdict, few);
    // Full after a third of the run.
    assert!(!judge(&clock, &doubling(CELLS / 3)).may_leak());
    // Texts that become a little longer, of which some of the youngest are alive.
    let mut texts = History {
        born: (0..CELLS as u64)
            .map(|cell| Amount {
                objects: 1_000,
                bytes: 24_000 + 50 * cell,
            })
            .collect(),
        kept: vec![Amount::default(); CELLS],
        ..History::default()
    };
    texts.kept[CELLS - 1] = Amount::of(300, 24);
    assert!(!judge(&clock, &texts).may_leak());
}

#[test]
fn what_nobody_has_looked_at_is_not_known() {
    let mut program = Program::new(&[], 3);
    let mut history = program.history(|_| 100, FOREVER, 24);
    history.unseen = history.kept.clone();
    let judged = judge(&program.clock, &history);
    assert_eq!(judged.verdict, Verdict::NotKnown(NotKnown::Unseen));
    assert!(judged.may_leak());
    // Collections looked at some of them: all were alive.
    history.looks = (200, 0);
    assert_eq!(judge(&program.clock, &history).verdict, Verdict::Leaks);
    history.looks = (0, 200);
    assert_ne!(judge(&program.clock, &history).verdict, Verdict::Leaks);
}

#[test]
fn one_early_look_does_not_bound_what_follows() {
    for look in 1..CELLS / 2 {
        let mut program = Program::new(&[look], 7);
        let share = |_: f64, random: f64| if random < 0.5 { 2.0 } else { random * 0.05 };
        let mut history = program.history(|_| 100, share, 24);
        // Nothing has looked at the old space since.
        history.levels[CELLS - 1] = None;
        let unseen = |(at, kept): (usize, &Amount)| match at > look {
            true => *kept,
            false => Amount::default(),
        };
        history.unseen = history.kept.iter().enumerate().map(unseen).collect();
        let verdict = judge(&program.clock, &history).verdict;
        assert_eq!(verdict, Verdict::NotKnown(NotKnown::Unseen), "{look}");
    }
}

/// It began after two thirds of the run. What died was never found alive by a collection, so that it cannot have been replaced.
#[test]
fn a_late_leak_with_few_collections() {
    for (collections, seen) in [(6, false), (6, true), (12, false), (12, true)] {
        let start = CELLS * 2 / 3;
        let kept = |cell: usize| Amount::of(if cell < start { 0 } else { 100 }, 24);
        let kept: Vec<Amount> = (0..CELLS).map(kept).collect();
        let history = History {
            born: vec![Amount::of(400, 24); CELLS],
            unseen: match seen {
                true => Vec::new(),
                false => kept.clone(),
            },
            kept,
            ..History::default()
        };
        let clock = clock_of(collections);
        let expected = match seen {
            true => Verdict::Leaks,
            false => Verdict::NotKnown(NotKnown::Unseen),
        };
        assert_eq!(judge(&clock, &history).verdict, expected, "{collections}");
        // One collection: what died may have lived for as long.
        let clock = clock_of(1);
        let gone = Verdict::NotKnown(NotKnown::OldestGone);
        assert_eq!(judge(&clock, &history).verdict, gone);
    }
}

/// It began after three quarters of the run: more than a step, and less than a line.
#[test]
fn a_leak_that_began_late_is_not_known() {
    for step in [1, 2] {
        let looks: Vec<usize> = (0..CELLS).step_by(step).collect();
        let mut program = Program::new(&looks, 17);
        let life = |at: f64, random: f64| match at > 0.75 {
            true => 2.0,
            false => random * 0.01,
        };
        let verdict = program.verdict(|_| 100, life);
        assert_eq!(verdict, Verdict::NotKnown(NotKnown::Late), "{step}");
        // A cache of the last quarter.
        let cache = program.verdict(|_| 100, |_, _| 0.25);
        assert!(!matches!(cache, Verdict::NotKnown(_)), "{step}: {cache:?}");
    }
}

/// The only look is at the end. Three cohorts, the last of which has not lived on, are too few for a line, and show no bound.
#[test]
fn a_leak_of_the_last_cohorts_is_not_known() {
    let late = |start: f64| {
        let life = move |at: f64, random: f64| if at > start { 2.0 } else { random * 0.01 };
        Program::new(&[], 29).history(|_| 100, life, 24)
    };
    let clock = clock();
    for start in [0.75, 0.8] {
        // The look found the others dead, too: it is not known for how long they had lived.
        let history = late(start);
        let gone = Verdict::NotKnown(NotKnown::OldestGone);
        assert_eq!(judge(&clock, &history).verdict, gone, "{start}");
        // Young collections had found them dead.
        let history = History {
            deaths: Vec::new(),
            ..history
        };
        let late = Verdict::NotKnown(NotKnown::Late);
        assert_eq!(judge(&clock, &history).verdict, late, "{start}");
    }
    // Objects in flight look so.
    assert_eq!(judge(&clock, &late(0.95)).verdict, Verdict::Bounded);
}

/// Six young collections: each tells that what it leaves is alive, so that the ages of those that died are known to an epoch.
#[test]
fn young_collections_tell_the_age_of_what_they_found_alive() {
    let replaced = |is_seen: bool| {
        let looks = [4, 9, 14, 19, 24, 29];
        let window = CELLS / 2;
        let of = |born: usize| {
            let died = looks.into_iter().find(|look| *look >= born + window)?;
            let seen = looks.into_iter().filter(|look| (born..died).contains(look));
            Some(Death {
                born,
                seen: if is_seen { seen.max()? } else { born },
                died,
                amount: Amount::of(100, 24),
            })
        };
        let deaths: Vec<Death> = (0..CELLS / 2).filter_map(of).collect();
        let kept = |cell: usize| {
            let is_dead = deaths.iter().any(|death| death.born == cell);
            Amount::of(if is_dead { 0 } else { 100 }, 24)
        };
        let history = History {
            born: vec![Amount::of(100, 24); CELLS],
            kept: (0..CELLS).map(kept).collect(),
            deaths: deaths.clone(),
            ..History::default()
        };
        judge(&clock_of(6), &history).verdict
    };
    assert_eq!(replaced(true), Verdict::Bounded);
    // Old objects that only the last look found dead: they may have died young, and what stays may be a leak since the middle.
    assert_eq!(replaced(false), Verdict::NotKnown(NotKnown::OldestGone));
}

/// It began late, and the program dropped it before a collection had looked at it: none had looked at all, or one before it began.
#[test]
fn a_late_leak_that_was_dropped_is_not_known() {
    let dropped = |start: f64, look: Option<usize>| {
        let end = CELLS - 1;
        let late = |cell: usize| cell as f64 >= start * CELLS as f64;
        let cells = (0..end).filter(|cell| late(*cell));
        let deaths = cells.map(|born| Death {
            born,
            seen: born,
            died: end,
            amount: Amount::of(100, 24),
        });
        let mut levels = vec![None; CELLS];
        levels[end] = Some(Amount::default());
        if let Some(look) = look {
            levels[look] = Some(Amount::default());
        }
        let history = History {
            born: vec![Amount::of(400, 24); CELLS],
            kept: vec![Amount::default(); CELLS],
            deaths: deaths.collect(),
            levels,
            ..History::default()
        };
        judge(&clock(), &history)
    };
    for (start, look) in [(0.7, None), (0.75, None), (0.6, Some(17)), (0.75, Some(20))] {
        let judged = dropped(start, look);
        assert!(judged.released && judged.may_leak(), "{start}: {judged:?}");
        assert_ne!(judged.verdict, Verdict::Leaks, "{start}");
    }
    assert!(!dropped(0.95, None).may_leak());
}

/// A cache of the last 80 % of the run: full by then, it replaces its oldest.
#[test]
fn a_cache_that_is_full_late_is_bounded() {
    let looks: Vec<usize> = (1..CELLS).step_by(2).collect();
    let mut program = Program::new(&looks, 11);
    for size in [0.6, 0.7, 0.8, 0.85] {
        assert_eq!(
            program.verdict(|_| 100, |_, _| size),
            Verdict::Bounded,
            "{size}"
        );
        // With one look nobody knows when the others died: a list may have been cleared once.
        let history = program.history(|_| 100, |_, _| size, 24);
        let looked_at = |(at, level): (usize, &Option<Amount>)| level.filter(|_| at == CELLS - 1);
        let history = History {
            levels: history.levels.iter().enumerate().map(looked_at).collect(),
            deaths: history
                .deaths
                .iter()
                .map(|death| Death {
                    seen: death.born,
                    died: CELLS - 1,
                    ..*death
                })
                .collect(),
            ..history
        };
        let clock = clock_of(4);
        let verdict = judge(&clock, &history).verdict;
        let gone = Verdict::NotKnown(NotKnown::OldestGone);
        assert!(
            [Verdict::Bounded, gone].contains(&verdict),
            "{size}: {verdict:?}"
        );
        assert!(size < 0.8 || verdict == gone, "{size}: {verdict:?}");
    }
    // A warm-up that is dropped, then a leak.
    let life = |at: f64, random: f64| if at < 0.2 { random * 0.1 } else { 2.0 };
    assert_eq!(program.verdict(|_| 100, life), Verdict::Leaks);
}

/// What each new class needs is a straight line as long as the program loads its classes.
#[test]
fn a_line_of_a_program_that_is_starting_is_not_known() {
    let mut program = Program::new(&[], 3);
    let history = program.history(|_| 100, FOREVER, 24);
    let lines = |new| vec![Lines { at_work: 150, new }; CELLS];
    let judged = |new| judge(&program.clock.clone().with_lines(lines(new)), &history);
    assert_eq!(judged(1).verdict, Verdict::Leaks);
    let starting = judged(20);
    assert_eq!(
        starting.verdict,
        Verdict::NotKnown(NotKnown::Starting),
        "{starting:?}"
    );
    assert!(starting.may_leak());
}

/// Listeners of which each event calls all: n of them take n^2 bytes of the clock.
#[test]
fn listeners_of_each_event_leak_ever_more_slowly() {
    let root = |cell: usize| (4e6 * cell as f64 / CELLS as f64).sqrt() as u64;
    let history = keeping(CELLS, |cell| Amount::of(root(cell + 1) - root(cell), 64));
    let judged = judge(&clock(), &history);
    assert_eq!(judged.verdict, Verdict::Leaks, "{judged:?}");
    assert!(
        judged
            .slows
            .is_some_and(|part| (0.28..0.36).contains(&part)),
        "{judged:?}"
    );
    // The rate is that of the second half of its 2,000 objects.
    let rate = judged.objects_per_mb.value * 10.0 * CELLS as f64;
    assert!((1_050.0..1_250.0).contains(&rate), "{rate}");
}

#[test]
fn three_collections_say_nothing() {
    let clock = equal_cells(3, 1, 1);
    let history = History {
        kept: vec![Amount::of(1000, 8); 3],
        ..History::default()
    };
    assert_eq!(
        judge(&clock, &history).verdict,
        Verdict::NotKnown(NotKnown::FewCollections)
    );
    assert_eq!(
        judge(&Clock::default(), &History::default()).verdict,
        Verdict::NotKnown(NotKnown::FewCollections)
    );
}

/// One collection at the end: what died before, died nobody knows when.
fn with_one_look(history: History) -> (Clock, History) {
    let history = History {
        deaths: Vec::new(),
        levels: (0..CELLS)
            .map(|at| history.levels[at].filter(|_| at == CELLS - 1))
            .collect(),
        ..history
    };
    (clock_of(1), history)
}

#[test]
fn what_is_undated_is_not_counted_on() {
    let mut program = Program::new(&[], 5);
    let history = program.history(|_| 100, FOREVER, 24);
    let (clock, mut history) = with_one_look(history);
    assert_eq!(judge(&clock, &history).verdict, Verdict::Leaks);
    history.unseen = history
        .kept
        .iter()
        .map(|kept| Amount::of(kept.objects / 2, 24))
        .collect();
    assert_eq!(judge(&clock, &history).verdict, Verdict::Leaks);
    history.unseen = history.kept.clone();
    assert_eq!(
        judge(&clock, &history).verdict,
        Verdict::NotKnown(NotKnown::Unseen)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn leaks_are_found(seed: u64, rate in 3_u64..300, looks in 0_usize..4, start in 0.0..0.5, burst in 0_u64..3000) {
        let mut program = Program::new(LOOKS[looks], seed);
        // After a start-up of up to half of the run, beside much that dies.
        let births = |at: f64| match at {
            at if at < 0.03 => burst,
            at if at < start => 0,
            _ => rate,
        };
        prop_assert_eq!(program.verdict(births, FOREVER), Verdict::Leaks);
        // One in ten stays, the others live for a while.
        let life = |_: f64, random: f64| if random < 0.1 { 2.0 } else { random * 0.1 };
        let some = program.verdict(|_| 10 * rate, life);
        prop_assert_eq!(some, Verdict::Leaks);
        // It becomes slower, and does not end; it becomes faster.
        let rates = [|at: f64| 1.0 - at / 2.0, |at: f64| 0.5 + at];
        for of in rates {
            prop_assert_eq!(program.verdict(|at| (40.0 * rate as f64 * of(at)) as u64, FOREVER), Verdict::Leaks);
        }
    }

    #[test]
    fn what_is_replaced_is_bounded(seed: u64, rate in 5_u64..300, looks in 0_usize..4, window in 0.02..0.6) {
        let mut program = Program::new(LOOKS[looks], seed);
        // First in, first out; a time limit; random replacement.
        let fixed = program.verdict(|_| rate, |_, _| window);
        prop_assert!(!matches!(fixed, Verdict::Leaks | Verdict::Fills), "{:?}", fixed);
        let limit = program.verdict(|_| rate, |_, random| window * (0.5 + random));
        prop_assert!(!matches!(limit, Verdict::Leaks | Verdict::Fills), "{:?}", limit);
        let random = program.verdict(|_| rate, |_, random| -random.ln() * window / 4.0);
        prop_assert!(!matches!(random, Verdict::Leaks | Verdict::Fills), "{:?}", random);
    }

    #[test]
    fn what_fills_does_not_leak(seed: u64, size in 200_u64..20_000, looks in 0_usize..4, constant in 0.03..0.25) {
        let mut program = Program::new(LOOKS[looks], seed);
        let births = |at: f64| (size as f64 / CELLS as f64 / constant * f64::exp(-at / constant)) as u64;
        let verdict = program.verdict(births, FOREVER);
        prop_assert_ne!(verdict, Verdict::Leaks);
        // All at once, in the first part.
        let step = program.verdict(|at| if at < constant { size / 8 } else { 0 }, FOREVER);
        prop_assert!(!matches!(step, Verdict::Leaks | Verdict::Fills), "{:?}", step);
    }

    #[test]
    fn one_look_tells_a_leak_from_a_cache(seed: u64, rate in 5_u64..300, burst in 0_u64..3000, window in 0.02..0.5, garbage in 0_u64..20) {
        let mut program = Program::new(&[], seed);
        let mut verdict = |births: &dyn Fn(f64) -> u64, life: &dyn Fn(f64, f64) -> f64| {
            let history = program.history(births, life, 24);
            let (clock, history) = with_one_look(history);
            judge(&clock, &history).verdict
        };
        let steady = |at: f64| if at < 0.03 { burst + rate } else { rate };
        prop_assert_eq!(verdict(&steady, &FOREVER), Verdict::Leaks);
        // Beside garbage, of which ever less is made.
        let births = |at: f64| rate * (1 + (garbage as f64 * (1.0 - at)) as u64);
        let share = |at: f64, random: f64| if random * (1.0 + (garbage as f64 * (1.0 - at)).floor()) < 1.0 { 2.0 } else { random * 0.05 };
        prop_assert_eq!(verdict(&births, &share), Verdict::Leaks);
        // First in, first out; a time limit; loaded at the start.
        let fixed = verdict(&steady, &|_, _| window);
        prop_assert!(!matches!(fixed, Verdict::Leaks | Verdict::Fills), "{:?}", fixed);
        let limit = verdict(&steady, &|_, random| window * (0.5 + random));
        prop_assert!(!matches!(limit, Verdict::Leaks | Verdict::Fills), "{:?}", limit);
        let loaded = verdict(&|at| if at < window { rate } else { 0 }, &FOREVER);
        prop_assert!(!matches!(loaded, Verdict::Leaks), "{:?}", loaded);
    }

    #[test]
    fn batches_do_not_leak(seed: u64, rate in 5_u64..300, looks in 0_usize..4, batches in 3_u32..9) {
        let mut program = Program::new(LOOKS[looks], seed);
        let batches = f64::from(batches);
        // Each batch keeps all of its objects until it ends.
        let life = |at: f64, _: f64| ((at * batches).floor() + 1.0) / batches - at;
        let verdict = program.verdict(|_| rate, life);
        prop_assert!(!matches!(verdict, Verdict::Leaks | Verdict::Fills), "{:?}", verdict);
    }

    #[test]
    fn any_history_has_a_verdict(
        cells in prop::collection::vec((any::<u64>(), any::<u64>()), 0..40),
        kept in prop::collection::vec((any::<u64>(), any::<u64>()), 0..40),
        deaths in prop::collection::vec((0_usize..50, 0_usize..50, any::<u64>()), 0..20),
        levels in prop::collection::vec(prop::option::of((any::<u64>(), any::<u64>())), 0..40),
    ) {
        let amount = |(objects, bytes)| Amount { objects, bytes };
        let clock = Clock::new(cells.into_iter().map(|(bytes, micros)| Cell { bytes, micros }).collect());
        let kept: Vec<Amount> = kept.into_iter().map(amount).collect();
        let history = History {
            born: kept.clone(),
            unseen: kept.clone(),
            kept,
            deaths: deaths.into_iter().map(|(born, died, objects)| Death { born, seen: born, died, amount: Amount::of(objects, 8) }).collect(),
            levels: levels.into_iter().map(|level| level.map(amount)).collect(),
            ..History::default()
        };
        let judged = judge(&clock, &history);
        prop_assert!((0.0..=1.0).contains(&judged.sure), "{:?}", judged);
        prop_assert!((0.0..=1.0).contains(&judged.bends), "{:?}", judged);
        prop_assert!(judged.bytes_per_mb.value.is_finite());
    }
}

#[test]
fn a_line_that_began_in_the_middle_has_the_rate_since_then() {
    let from = |start: usize| {
        let kept = |at: usize| Amount::of(if at >= start { 100 } else { 0 }, 64);
        let history = keeping(CELLS, kept);
        judge(&clock(), &history)
    };
    let (whole, half) = (from(0), from(CELLS / 2));
    assert_eq!(half.verdict, Verdict::Leaks, "{half:?}");
    let ratio = half.bytes_per_mb.value / whole.bytes_per_mb.value;
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
    assert!((0.4..0.6).contains(&half.part) && whole.part == 1.0);
}

/// A table with weak keys: the keys of all but the last pieces are gone, and nothing has used the table since the collection.
#[test]
fn spent_entries_of_a_weak_table_are_replaced() {
    let all = vec![Amount::of(100, 64); CELLS];
    let recent = CELLS - 5;
    let history = History {
        born: all.clone(),
        kept: all.clone(),
        ..History::default()
    };
    let clock = clock();
    assert!(judge(&clock, &history).may_leak());
    let dead = |cell: Option<usize>| f64::from(u8::from(cell.is_none_or(|cell| cell < recent)));
    let table = history.without_dead(dead);
    assert_eq!(table.kept.iter().filter(|kept| !kept.is_zero()).count(), 5);
    let judged = judge(&clock, &table);
    assert_eq!(judged.verdict, Verdict::Bounded, "{judged:?}");
    // A list of weak references that nobody polls keeps them all.
    assert!(judge(&clock, &history.without_dead(|_| 0.0)).may_leak());
}

/// A reservoir takes each of what comes, until it is full, and then with the chance of its
/// size by all that came; what it takes replaces any other. Of every cohort as much stays.
#[test]
fn a_reservoir_that_is_full_is_not_known_without_a_look() {
    for full in [0.3, 0.4, 0.5] {
        let births = |at: f64| (2_000.0 * (full / at).min(1.0)) as u64;
        let life = |at: f64, random: f64| at.max(full) / random - at;
        let verdict = Program::new(&[], 23).verdict(births, life);
        let undated = Verdict::NotKnown(NotKnown::DeathsUndated);
        // The old have lost more by far, where it was full early.
        let is_early = full < 0.5 && !matches!(verdict, Verdict::Leaks | Verdict::Fills);
        assert!(is_early || verdict == undated, "{full}: {verdict:?}");
        // Collections that looked on the way know the level: it stands still.
        let looks: Vec<usize> = (0..CELLS).step_by(2).collect();
        let seen = Program::new(&looks, 23).verdict(births, life);
        assert_ne!(seen, Verdict::Leaks, "{full}");
        // A part of each cohort is kept for good, and the rest lives for a while.
        let share = |_: f64, random: f64| if random < full { 2.0 } else { random * 0.05 };
        let leak = Program::new(&[], 23).verdict(|_| 2_000, share);
        assert_eq!(leak, Verdict::Leaks, "{full}");
    }
}

/// A structure that is full after four fifths of the run and then replaces any of what it has: it has risen over most of both halves.
#[test]
fn a_line_that_may_have_stopped_says_so() {
    let full = 0.8;
    let life = |at: f64, random: f64| at.max(full) - at - random.ln() * full;
    let judged = |looks: &[usize]| {
        let mut program = Program::new(looks, 31);
        let history = program.history(|_| 400, life, 24);
        judge(&program.clock, &history)
    };
    let unseen = judged(&[]);
    assert_eq!(unseen.verdict, Verdict::Leaks, "{unseen:?}");
    assert!(unseen.may_have_stopped);
    // A leak, with no deaths, or with deaths that looks have found.
    let mut program = Program::new(&[], 31);
    let history = program.history(|_| 400, FOREVER, 24);
    assert!(!judge(&program.clock, &history).may_have_stopped);
    let looks: Vec<usize> = (0..CELLS).step_by(2).collect();
    assert!(!judged(&looks).may_have_stopped);
}

/// It fills for a part of the run and then replaces some: the line is that of the time since.
#[test]
fn the_rate_is_of_what_goes_on() {
    let kept = |full: usize, after: u64| {
        keeping(CELLS, |cell| {
            Amount::of(if cell < full { 1_500 } else { after }, 64)
        })
    };
    let clock = clock();
    for full in [12, 18, 22] {
        // A cache that is full, and a leak beside what it had to hold: 90 of 1,500.
        let judged = judge(&clock, &kept(full, 90));
        assert_eq!(judged.verdict, Verdict::Leaks, "{full}: {judged:?}");
        let rate = judged.objects_per_mb.value * 10.0;
        assert!((85.0..95.0).contains(&rate), "{full}: {rate}");
        assert!(judged.part < 0.7, "{full}: {judged:?}");
        // It stands still since then.
        let judged = judge(&clock, &kept(full, 0));
        assert!(!judged.may_leak(), "{full}: {judged:?}");
        let level = judged.level.unwrap_or(full as f64 * 96_000.0);
        assert!(
            (level / (full as f64 * 96_000.0) - 1.0).abs() < 0.1,
            "{full}: {level}"
        );
    }
    // It has stopped for less than two cohorts: nobody knows.
    assert_eq!(judge(&clock, &kept(CELLS - 2, 0)).verdict, Verdict::Leaks);
}
