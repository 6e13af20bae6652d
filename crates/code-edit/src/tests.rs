//! Edits of small methods, compared as listings.

mod fixture;
mod handlers;
mod places;
mod reach;
mod refusals;
mod tables;
