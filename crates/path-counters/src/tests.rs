//! Tests with access to private parts: the paper's figures, and random graphs with random walks.

mod drawn_graph;
mod flow;
mod paper_figures;
mod random_graphs;
mod random_walk;
