//! Methods as compilers write them: blocks in blocks, with frames.

use ducktrack_classfile::{Label, Opcode};

use crate::body::{Body, Local};

/// The exceptions that a handler may catch.
pub(crate) const CAUGHT: [Option<&[u8]>; 7] = [
    None,
    None,
    Some(b"java/lang/Throwable"),
    Some(b"java/lang/RuntimeException"),
    Some(b"RandomMethods$Oops"),
    Some(b"java/lang/ArithmeticException"),
    Some(b"java/io/IOException"),
];

/// Where statements may jump.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    loops: Vec<Loop>,
    /// A lock is held: no way out but the end of the block, or an exception.
    locked: bool,
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
struct Loop {
    again: Label,
    end: Label,
}

impl Surroundings {
    fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }

    fn in_loop(&self, inner: Loop) -> Self {
        let mut surroundings = self.deeper();
        surroundings.loops.push(inner);
        surroundings
    }

    fn under_lock(&self) -> Self {
        Self {
            loops: Vec::new(),
            locked: true,
            depth: self.depth + 1,
        }
    }
}

/// Writes a whole method, but for its end.
pub(crate) fn write(body: &mut Body<'_>) {
    let mut completes = true;
    for _ in 0..body.random.number(1, 3) {
        if completes {
            completes = block(body, &Surroundings::default());
        }
    }
    if completes {
        body.give_back();
    }
}

/// Writes statements; true if control reaches their end.
fn block(body: &mut Body<'_>, around: &Surroundings) -> bool {
    for _ in 0..body.random.number(1, 2) {
        if !statement(body, around) {
            return false;
        }
    }
    true
}

fn statement(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let choices = if around.depth < 3 { 16 } else { 8 };
    match body.random.below(choices) {
        0..5 => {
            body.piece();
            true
        }
        5 => {
            body.pieces();
            true
        }
        6 => leave_sometimes(body, around),
        7..10 => one_or_none(body, around),
        10 => one_of_two(body, around),
        11 => test_first(body, around),
        12 => test_last(body, around),
        13 => switch(body, around),
        14 => guarded(body, around),
        _ => match body.random.below(3) {
            0 => locked(body, around),
            _ => guarded(body, around),
        },
    }
}

/// `if (...) break`, `continue`, `return` or `throw`; now and then without `if`.
fn leave_sometimes(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let always = body.random.once_in(6);
    let stay = body.code.label();
    if !always {
        body.branch_sometimes(stay);
    }
    let target = match around.loops.len() {
        0 => None,
        loops => around.loops.get(body.random.below(loops)),
    };
    match (body.random.below(4), target) {
        (0, Some(target)) => {
            body.code.branch(Opcode::GOTO, target.again);
        }
        (1, Some(target)) => {
            body.code.branch(Opcode::GOTO, target.end);
        }
        (0..=2, _) if !around.locked => body.give_back(),
        _ => body.throw(),
    }
    if !always {
        body.land_empty(stay);
    }
    !always
}

fn one_or_none(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let end = body.code.label();
    body.branch_sometimes(end);
    block(body, &around.deeper());
    body.land_empty(end);
    true
}

fn one_of_two(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let (other, end) = (body.code.label(), body.code.label());
    body.branch_sometimes(other);
    let first = block(body, &around.deeper());
    if first {
        body.code.branch(Opcode::GOTO, end);
    }
    body.land_empty(other);
    let second = block(body, &around.deeper());
    if first || second {
        body.land_empty(end);
    }
    first || second
}

fn test_first(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let (again, end) = (body.code.label(), body.code.label());
    body.land_empty(again);
    body.burn(end);
    if block(body, &around.in_loop(Loop { again, end })) {
        body.code.branch(Opcode::GOTO, again);
    }
    body.land_empty(end);
    true
}

fn test_last(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let (start, again, end) = (body.code.label(), body.code.label(), body.code.label());
    body.land_empty(start);
    block(body, &around.in_loop(Loop { again, end }));
    body.land_empty(again);
    body.burn(end);
    if body.random.once_in(2) {
        body.code.branch(Opcode::GOTO, start);
    } else {
        body.branch_sometimes(start);
    }
    body.land_empty(end);
    true
}

/// Arms may fall into the next one.
fn switch(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let arms: Vec<Label> = (0..body.random.number(2, 3))
        .map(|_| body.code.label())
        .collect();
    let end = body.code.label();
    let default = if body.random.once_in(2) {
        end
    } else {
        arms[body.random.below(arms.len())]
    };
    body.push_bits(7);
    switch_on(body, default, &arms);
    for arm in &arms {
        body.land_empty(*arm);
        if block(body, &around.deeper()) && !body.random.once_in(3) {
            body.code.branch(Opcode::GOTO, end);
        }
    }
    // Perhaps nothing leads here; what follows is dead code then, with a frame.
    body.land_empty(end);
    true
}

/// A `tableswitch` or `lookupswitch`, in which a target may have several cases.
pub(crate) fn switch_on(body: &mut Body<'_>, default: Label, arms: &[Label]) {
    if body.random.once_in(2) {
        let mut cases = arms.to_vec();
        cases.push(arms[0]);
        let low = body.random.number(0, 2);
        body.code.table_switch(low, default, &cases);
    } else {
        let cases: Vec<(i32, Label)> = (0..).step_by(2).zip(arms.iter().copied()).collect();
        body.code.lookup_switch(default, &cases);
    }
}

/// try, catch and perhaps finally.
fn guarded(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let (start, end) = (body.code.here(), body.code.label());
    let mut inner = around.deeper();
    inner.depth += 1;
    body.piece();
    let mut completes = block(body, &inner);
    if completes {
        body.code.branch(Opcode::GOTO, end);
    }
    let mut covered = body.code.here();
    for _ in 0..body.random.number(1, 2) {
        let class = body.random.choose(&CAUGHT);
        let handler = body.code.label();
        body.code.exception(start, covered, handler, class);
        body.land_as_handler(handler, class);
        body.store(Local::X);
        if block(body, &inner) {
            body.code.branch(Opcode::GOTO, end);
            completes = true;
        }
        if body.random.once_in(3) {
            // The next handler guards this one, too.
            covered = body.code.here();
        }
    }
    if body.random.once_in(3) {
        finally(body, around, start);
    }
    if completes {
        body.land_empty(end);
    }
    completes
}

/// A handler for all that covers its own beginning, as javac writes it, or all of itself.
fn finally(body: &mut Body<'_>, around: &Surroundings, start: Label) {
    let handler = body.code.label();
    body.code.exception(start, handler, handler, None);
    body.land_as_handler(handler, None);
    body.store(Local::X);
    let stored = body.code.here();
    if around.locked {
        body.code.exception(handler, stored, handler, None);
        body.piece();
        body.load(Local::X);
        body.op(Opcode::ATHROW);
        return;
    }
    body.burn(body.exit);
    body.pieces();
    body.load(Local::X);
    body.op(Opcode::ATHROW);
    let all = body.code.here();
    let end = if body.random.once_in(2) { stored } else { all };
    body.code.exception(handler, end, handler, None);
}

/// `synchronized (lock) { ... }`
fn locked(body: &mut Body<'_>, around: &Surroundings) -> bool {
    let (end, handler) = (body.code.label(), body.code.label());
    body.load(Local::Lock);
    body.op(Opcode::MONITORENTER);
    let start = body.code.here();
    body.piece();
    let completes = block(body, &around.under_lock());
    if completes {
        body.load(Local::Lock);
        body.op(Opcode::MONITOREXIT);
    }
    let covered = body.code.here();
    if completes {
        body.code.branch(Opcode::GOTO, end);
    }
    body.code.exception(start, covered, handler, None);
    body.land_as_handler(handler, None);
    body.store(Local::X);
    body.load(Local::Lock);
    body.op(Opcode::MONITOREXIT);
    let released = body.code.here();
    body.code.exception(handler, released, handler, None);
    body.load(Local::X);
    body.op(Opcode::ATHROW);
    if completes {
        body.land_empty(end);
    }
    completes
}
