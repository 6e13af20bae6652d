//! Chains of frames of which each calls one other only: a stack of a web
//! server has a hundred of them, and they say nothing about the program.

use ducktrack_profile::{CallTree, Frame, NodeLabel, Profile};

use crate::class_name::printable;
use crate::filter::Filter;
use crate::project::project_of_command;
use crate::view::View;

/// Frames between two lines are left out if there are at least as many.
const LEAST_FOLDED: usize = 3;

/// Which frames are worth a line although they are inside a chain: those of the program's own code.
pub(crate) struct OwnCode(Filter);

impl OwnCode {
    /// The package that the user asked for, or else the project of the main class.
    pub(crate) fn of(view: &View) -> Self {
        let mut only = view.filter.only.clone();
        if only.is_empty() {
            only.extend(project_of_command(&view.run.command));
        }
        Self(Filter {
            only,
            ..Filter::default()
        })
    }

    fn contains(&self, profile: &Profile, label: &NodeLabel) -> bool {
        matches!(label, NodeLabel::Frame(frame) if self.has(profile.frame(*frame)))
    }

    /// Whether the frame is of that code.
    pub(crate) fn has(&self, frame: &Frame) -> bool {
        match frame {
            Frame::Method { class, .. } if !self.0.only.is_empty() => {
                self.0.wants_class(&printable(class).replace('/', "."))
            }
            _ => false,
        }
    }
}

/// Nodes that are not shown end no chain. The nodes that get lines of their own below
/// `first`, down to where the chain ends, with the number of frames left out before each.
pub(super) fn chain(
    tree: &CallTree<'_>,
    profile: &Profile,
    own: &OwnCode,
    (first, is_shown): (usize, impl Fn(usize) -> bool),
) -> Vec<(usize, usize)> {
    let mut nodes = vec![first];
    let mut at = first;
    // The last frame of a chain stays: the types below it are its own.
    loop {
        let mut children = tree.node(at).children.iter().filter(|at| is_shown(**at));
        let (Some(&only), None) = (children.next(), children.next()) else {
            break;
        };
        if matches!(tree.node(only).label, NodeLabel::Type(_)) {
            break;
        }
        nodes.push(only);
        at = only;
    }
    let last = nodes.len() - 1;
    let has_line = |place: usize, node: usize| {
        place == 0 || place == last || own.contains(profile, &tree.node(node).label)
    };
    fold(&nodes, has_line)
}

fn fold(nodes: &[usize], has_line: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        if !has_line(place, *node) {
            waiting.push(*node);
            continue;
        }
        let left_out = match waiting.len() {
            many if many >= LEAST_FOLDED => many,
            _ => {
                lines.extend(waiting.iter().map(|node| (*node, 0)));
                0
            }
        };
        waiting.clear();
        lines.push((*node, left_out));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn three_frames_and_more_between_two_lines_are_left_out() {
        let nodes: Vec<usize> = (10..20).collect();
        let shown = |places: &'static [usize]| move |place: usize, _| places.contains(&place);
        assert_eq!(fold(&nodes, shown(&[0, 9])), [(10, 0), (19, 8)]);
        assert_eq!(
            fold(&nodes, shown(&[0, 3, 9])),
            [(10, 0), (11, 0), (12, 0), (13, 0), (19, 5)]
        );
        assert_eq!(fold(&nodes[..1], shown(&[0])), [(10, 0)]);
    }
}
