//! Positions of boxes and lines, from the coordinates of a layered graph.
//!
//! The lines that touch a box from below or above are spread over its width, in the order of their other ends, so that
//! lines between the same boxes stay apart.

use crate::coordinates::{Coordinates, coordinates};
use crate::layered_graph::{Drawing, LayeredGraph, SELF_LOOP_WIDTH};
use crate::vertex_order::reduce_crossings;

/// A point; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A box by its corner and size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The course of a line, in the direction of its edge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Route {
    /// Through these points, vertical at each of them.
    Through(Vec<Point>),
    /// A loop at the right side of a box.
    BesideItself(Rectangle),
}

/// A finished layout.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) boxes: Vec<Rectangle>,
    pub(crate) routes: Vec<Route>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Lays out a drawing.
pub(crate) fn lay_out(drawing: &Drawing) -> Layout {
    let mut graph = LayeredGraph::of(drawing);
    reduce_crossings(&mut graph);
    let places = coordinates(&graph);
    let boxes = boxes(&graph, &places, &drawing.sizes);
    let routes = Routing {
        graph: &graph,
        places: &places,
        boxes: &boxes,
    }
    .routes(drawing);
    shifted_to_origin(boxes, routes)
}

fn boxes(graph: &LayeredGraph, places: &Coordinates, sizes: &[(f64, f64)]) -> Vec<Rectangle> {
    let mut boxes = vec![
        Rectangle {
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0
        };
        sizes.len()
    ];
    for (vertex, x) in graph.vertices.iter().zip(&places.x) {
        if let Some(node) = vertex.node {
            let ((top, bottom), (width, height)) = (places.layers[vertex.layer], sizes[node]);
            let y = f64::midpoint(top, bottom) - height / 2.0;
            boxes[node] = Rectangle {
                x: x - width / 2.0,
                y,
                width,
                height,
            };
        }
    }
    boxes
}

struct Routing<'a> {
    graph: &'a LayeredGraph,
    places: &'a Coordinates,
    boxes: &'a [Rectangle],
}

impl Routing<'_> {
    fn routes(&self, drawing: &Drawing) -> Vec<Route> {
        let below = self.ports(|chain| chain.first().copied().zip(chain.get(1).copied()));
        let above = self.ports(|chain| {
            chain
                .last()
                .copied()
                .zip(chain.len().checked_sub(2).map(|at| chain[at]))
        });
        let links = drawing.links.iter().enumerate();
        let route = |(number, link): (usize, &crate::layered_graph::Link)| {
            if self.graph.chains[number].is_empty() {
                return Route::BesideItself(self.boxes[link.from]);
            }
            let mut points = self.points(number, below[number], above[number]);
            if self.graph.upwards[number] {
                points.reverse();
            }
            Route::Through(points)
        };
        links.map(route).collect()
    }

    /// Per link, the x at which it touches the box at one of its ends. `end` returns that end of a chain and the vertex
    /// next to it.
    fn ports(&self, end: impl Fn(&[usize]) -> Option<(usize, usize)>) -> Vec<f64> {
        let mut touching: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.graph.vertices.len()];
        for (number, chain) in self.graph.chains.iter().enumerate() {
            if let Some((vertex, next)) = end(chain) {
                touching[vertex].push((number, self.places.x[next]));
            }
        }
        let mut ports = vec![0.0; self.graph.chains.len()];
        for (vertex, links) in touching.iter_mut().enumerate() {
            links.sort_by(|a, b| a.1.total_cmp(&b.1));
            let width = self.graph.vertices[vertex]
                .node
                .map_or(0.0, |node| self.boxes[node].width);
            let step = (width * 0.7 / links.len().max(1) as f64).min(40.0);
            let first = self.places.x[vertex] - step * (links.len().saturating_sub(1)) as f64 / 2.0;
            for (place, &(number, _)) in links.iter().enumerate() {
                ports[number] = first + step * place as f64;
            }
        }
        ports
    }

    fn points(&self, number: usize, start_x: f64, end_x: f64) -> Vec<Point> {
        let chain = &self.graph.chains[number];
        let mut points = Vec::new();
        for (place, &vertex) in chain.iter().enumerate() {
            let at = self.graph.vertices[vertex];
            let (top, bottom) = self.places.layers[at.layer];
            match at.node.map(|node| self.boxes[node]) {
                Some(shape) if place == 0 => points.push(Point {
                    x: start_x,
                    y: shape.y + shape.height,
                }),
                Some(shape) => points.push(Point {
                    x: end_x,
                    y: shape.y,
                }),
                None => {
                    let x = self.places.x[vertex];
                    points.extend([Point { x, y: top }, Point { x, y: bottom }]);
                }
            }
        }
        points
    }
}

fn shifted_to_origin(mut boxes: Vec<Rectangle>, mut routes: Vec<Route>) -> Layout {
    let mut points: Vec<Point> = Vec::new();
    for shape in &boxes {
        points.push(Point {
            x: shape.x,
            y: shape.y,
        });
        // Room for a loop beside the box.
        points.push(Point {
            x: shape.x + shape.width + SELF_LOOP_WIDTH,
            y: shape.y + shape.height,
        });
    }
    for route in &routes {
        if let Route::Through(through) = route {
            points.extend(through);
        }
    }
    let left = points
        .iter()
        .map(|point| point.x)
        .fold(f64::INFINITY, f64::min)
        .min(1e9);
    let right = points.iter().map(|point| point.x).fold(left, f64::max);
    let height = points.iter().map(|point| point.y).fold(0.0, f64::max);
    for shape in &mut boxes {
        shape.x -= left;
    }
    for route in &mut routes {
        match route {
            Route::Through(through) => through.iter_mut().for_each(|point| point.x -= left),
            Route::BesideItself(shape) => shape.x -= left,
        }
    }
    Layout {
        boxes,
        routes,
        width: right - left,
        height,
    }
}

impl Route {
    /// The `d` attribute of an SVG path.
    pub(crate) fn svg_path(&self) -> String {
        match self {
            Self::Through(points) => {
                let mut path = String::new();
                for (place, point) in points.iter().enumerate() {
                    path += &match place.checked_sub(1).map(|before| points[before]) {
                        None => format!("M{:.1} {:.1}", point.x, point.y),
                        Some(before) if (before.x - point.x).abs() < 0.05 => {
                            format!("L{:.1} {:.1}", point.x, point.y)
                        }
                        Some(before) => {
                            let middle = f64::midpoint(before.y, point.y);
                            format!(
                                "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
                                before.x, point.x, point.x, point.y
                            )
                        }
                    };
                }
                path
            }
            Self::BesideItself(shape) => {
                let (x, y) = (shape.x + shape.width, shape.y + shape.height / 2.0);
                let out = x + SELF_LOOP_WIDTH;
                format!(
                    "M{x:.1} {:.1}C{out:.1} {:.1} {out:.1} {:.1} {x:.1} {:.1}",
                    y - 7.0,
                    y - 16.0,
                    y + 16.0,
                    y + 7.0
                )
            }
        }
    }

    /// A point on the first segment of the line: at `part` of its length.
    pub(crate) fn label_point(&self, part: f64) -> Point {
        match self {
            Self::Through(points) => {
                let (Some(&start), Some(&end)) = (points.first(), points.get(1)) else {
                    return Point { x: 0.0, y: 0.0 };
                };
                // The cubic with vertical ends, at parameter `part`.
                let along = part * part * (3.0 - 2.0 * part);
                let rest = 1.0 - part;
                let down = 1.5 * (rest * rest * part + rest * part * part) + part * part * part;
                Point {
                    x: start.x + (end.x - start.x) * along,
                    y: start.y + (end.y - start.y) * down,
                }
            }
            Self::BesideItself(shape) => Point {
                x: shape.x + shape.width + SELF_LOOP_WIDTH * 0.7,
                y: shape.y + shape.height / 2.0,
            },
        }
    }
}
