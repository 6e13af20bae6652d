//! Whether arrays that become larger are the table of elements that become more.
//!
//! A table is replaced by a larger one when it is full: its size is in proportion to the elements at that moment. Nothing else has to
//! be: an array of another structure grows at other moments. So each of the last arrays was made when there were as many elements for
//! each of its bytes, and the next one is not yet due.

use core::ops::Range;

use crate::amount::Amount;
use crate::history::History;

/// Of fewer arrays, two moments could agree by chance.
const FEWEST: usize = 3;

/// An array: its bytes, and the elements when the cell of its birth began and ended.
struct Birth {
    bytes: f64,
    elements: Range<f64>,
}

/// Whether the arrays of `table` grew with these elements.
pub fn grows_with(table: &History, elements: &History) -> bool {
    let births = births(table, elements);
    let growing = births.chunk_by(|a, b| b.bytes > a.bytes).last();
    let Some(last) = growing.filter(|last| last.len() >= FEWEST) else {
        return false;
    };
    // Bytes of the array for each element that was there.
    let least = last.iter().map(|birth| birth.bytes / birth.elements.end);
    let most = last.iter().map(|birth| birth.bytes / birth.elements.start);
    let (least, most) = (
        least.fold(0.0, f64::max),
        most.fold(f64::INFINITY, f64::min),
    );
    least <= most && !is_due(last, count(elements, elements.kept.len()))
}

/// One by one, those that were made while there were elements. Of a cell with several only their mean size is known.
fn births(table: &History, elements: &History) -> Vec<Birth> {
    let cells = table.born.iter().enumerate();
    let single = cells.filter(|(_, born)| born.objects == 1);
    let birth = |(cell, born): (usize, &Amount)| Birth {
        bytes: born.bytes as f64,
        elements: count(elements, cell)..count(elements, cell + 1),
    };
    single
        .map(birth)
        .filter(|birth| birth.elements.end > 0.0)
        .collect()
}

/// Elements that were there when this cell began.
fn count(elements: &History, cell: usize) -> f64 {
    let before = elements.kept.iter().take(cell);
    before.fold(elements.earlier.objects as f64, |sum, kept| {
        sum + kept.objects as f64
    })
}

/// There are more elements now than the last array had when it was made, by more than a table of this kind takes.
fn is_due(births: &[Birth], now: f64) -> bool {
    let [.., before, last] = births else {
        return false;
    };
    now > last.elements.end * last.bytes / before.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: usize = 40;

    fn elements(per_cell: u64) -> History {
        History {
            kept: vec![Amount::of(per_cell, 32); CELLS],
            ..History::default()
        }
    }

    /// Arrays that double in these cells.
    fn table(cells: &[usize]) -> History {
        let mut born = vec![Amount::default(); CELLS];
        for (at, cell) in cells.iter().enumerate() {
            born[*cell] = Amount::of(1, 1024 << at);
        }
        History {
            born,
            ..History::default()
        }
    }

    #[test]
    fn a_table_doubles_when_its_elements_have() {
        let elements = elements(100);
        assert!(grows_with(&table(&[6, 13, 27]), &elements));
        assert!(grows_with(&table(&[1, 3, 7, 15, 31]), &elements));
        // One more is due long since.
        assert!(!grows_with(&table(&[2, 5, 11]), &elements));
        // At other moments.
        assert!(!grows_with(&table(&[20, 23, 27]), &elements));
        assert!(!grows_with(&table(&[3, 20, 27]), &elements));
        // Too few.
        assert!(!grows_with(&table(&[13, 27]), &elements));
    }

    #[test]
    fn without_elements_there_is_no_table() {
        assert!(!grows_with(&table(&[6, 13, 27]), &elements(0)));
        assert!(!grows_with(&History::default(), &elements(100)));
    }

    #[test]
    fn what_was_there_before_the_span_counts() {
        let earlier = History {
            earlier: Amount::of(4_000, 32),
            ..elements(100)
        };
        assert!(!grows_with(&table(&[6, 13, 27]), &earlier));
    }
}
