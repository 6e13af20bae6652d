//! Methods as no compiler writes them: blocks with random successors (irreducible loops, dead code, jumps to offset 0 and to
//! the entries of handlers), and handlers over random stretches of code.

use ducktrack_classfile::{Label, Opcode};

use crate::body::{Body, Local, THROWABLE};
use crate::structured::{CAUGHT, switch_on};

/// How a block ends.
#[derive(Clone, Debug)]
enum End {
    FallThrough,
    Goto(usize),
    If(usize),
    Switch(usize, Vec<usize>),
    Return,
    Throw,
    /// To the entry of a handler, with an exception on the stack.
    ToHandler(usize),
    /// A subroutine is called; it returns to the next block.
    Subroutine(usize),
}

impl End {
    fn goes_on(&self) -> bool {
        matches!(self, Self::FallThrough | Self::If(_) | Self::Subroutine(_))
    }

    fn successors(&self) -> Vec<usize> {
        match self {
            Self::Goto(to) | Self::If(to) => vec![*to],
            Self::Switch(default, cases) => cases.iter().chain([default]).copied().collect(),
            _ => Vec::new(),
        }
    }
}

/// Labels of what is jumped to.
struct Places {
    blocks: Vec<Label>,
    handlers: Vec<Label>,
    subroutines: Vec<Label>,
    /// Where stretches of protected code may begin and end, in order.
    borders: Vec<Label>,
}

/// Writes a whole method, but for its end. `subroutines`: with `jsr` and `ret`.
pub(crate) fn write(body: &mut Body<'_>, subroutines: bool) {
    let count = body.random.number(3, 10).cast_unsigned() as usize;
    let mut places = Places {
        blocks: (0..count).map(|_| body.code.label()).collect(),
        handlers: (0..body.random.below(4))
            .map(|_| body.code.label())
            .collect(),
        subroutines: (0..usize::from(subroutines) * 2)
            .map(|_| body.code.label())
            .collect(),
        borders: Vec::new(),
    };
    let ends: Vec<End> = (0..count).map(|block| end(body, block, &places)).collect();
    let mut unwritten: Vec<Label> = places.handlers.clone();
    for (block, end) in ends.iter().enumerate() {
        let back = ends
            .iter()
            .skip(block)
            .any(|from| from.successors().contains(&block));
        write_block(body, &mut places, block, back, end);
        if !end.goes_on()
            && body.random.once_in(2)
            && let Some(handler) = unwritten.pop()
        {
            write_handler(body, &mut places, handler);
        }
    }
    for handler in unwritten {
        write_handler(body, &mut places, handler);
    }
    for subroutine in places.subroutines.clone() {
        write_subroutine(body, subroutine);
    }
    protect(body, &places);
}

fn end(body: &mut Body<'_>, block: usize, places: &Places) -> End {
    let random = &mut body.random;
    let count = places.blocks.len();
    let any = |random: &mut crate::random::Random| random.below(count);
    if block + 1 == count {
        return if random.once_in(3) {
            End::Throw
        } else {
            End::Return
        };
    }
    match random.below(20) {
        0..6 => End::FallThrough,
        6..12 => End::If(any(random)),
        12..15 => End::Goto(any(random)),
        15..17 => End::Switch(
            any(random),
            (0..random.number(1, 4)).map(|_| any(random)).collect(),
        ),
        17 if !places.handlers.is_empty() => End::ToHandler(random.below(places.handlers.len())),
        18 if !places.subroutines.is_empty() => {
            End::Subroutine(random.below(places.subroutines.len()))
        }
        18 => End::Return,
        _ => End::Throw,
    }
}

fn write_block(body: &mut Body<'_>, places: &mut Places, block: usize, back: bool, end: &End) {
    body.land_empty(places.blocks[block]);
    places.borders.push(body.code.here());
    if back {
        body.burn(body.exit);
    }
    for _ in 0..body.random.below(3) {
        body.piece();
        places.borders.push(body.code.here());
    }
    match end {
        End::FallThrough => body.op(Opcode::NOP),
        End::Goto(to) => {
            body.code.branch(Opcode::GOTO, places.blocks[*to]);
        }
        End::If(to) => body.branch_sometimes(places.blocks[*to]),
        End::Switch(default, cases) => {
            body.push_bits(3);
            let cases: Vec<Label> = cases.iter().map(|case| places.blocks[*case]).collect();
            switch_on(body, places.blocks[*default], &cases);
        }
        End::Return => body.give_back(),
        End::Throw => body.throw(),
        End::ToHandler(handler) => {
            body.load(Local::X);
            body.code.branch(Opcode::GOTO, places.handlers[*handler]);
        }
        End::Subroutine(subroutine) => {
            body.code
                .branch(Opcode::JSR, places.subroutines[*subroutine]);
        }
    }
}

/// Keeps the exception, does something and goes on anywhere.
fn write_handler(body: &mut Body<'_>, places: &mut Places, handler: Label) {
    body.land_as_handler(handler, Some(THROWABLE));
    places.borders.push(body.code.here());
    body.store(Local::X);
    body.burn(body.exit);
    body.pieces();
    places.borders.push(body.code.here());
    let to = body.random.below(places.blocks.len());
    body.code.branch(Opcode::GOTO, places.blocks[to]);
}

fn write_subroutine(body: &mut Body<'_>, subroutine: Label) {
    body.code.place(subroutine);
    let variable = body.index(Local::ReturnAddress);
    body.code.local(Opcode::ASTORE, variable);
    body.allocate();
    body.op(Opcode::POP);
    body.note();
    body.code.local(Opcode::RET, variable);
}

/// Rows of the exception table.
fn protect(body: &mut Body<'_>, places: &Places) {
    for handler in &places.handlers {
        for _ in 0..body.random.number(1, 2) {
            let start = body.random.below(places.borders.len() - 1);
            let end = start + 1 + body.random.below(places.borders.len() - start - 1);
            let class = body.random.choose(&CAUGHT);
            body.code
                .exception(places.borders[start], places.borders[end], *handler, class);
        }
    }
}
