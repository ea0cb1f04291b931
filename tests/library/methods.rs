//! Which method applies to which shape.

use std::sync::Arc;

use census_count::search::SearchOptions;
use census_count::{DoesNotApply, MethodName, Purpose};
use census_puzzle::{Extras, Grid, Puzzle, Regions, Shape};

#[test]
fn bands_is_for_a_plain_nine_by_nine_and_search_for_every_shape() {
    let boxes = Regions::Boxes { rows: 3, cols: 3 };
    let plain = Extras::default();
    let shapes = [
        (9, boxes.clone(), plain, Ok(())),
        (9, boxes.clone(), Extras { hyper: true, ..plain }, Err("9×9, boxes 3x3 + hyper")),
        (9, boxes, Extras { diagonals: true, ..plain }, Err("9×9, boxes 3x3 + diagonals")),
        (9, Regions::None, plain, Err("9×9, none")),
        (4, Regions::usual(4), plain, Err("4×4, boxes 2x2")),
    ];
    for (order, regions, extras, expected) in shapes {
        let shape = Shape::new(order, regions, extras).expect("a shape");
        let puzzle = Puzzle::new(Arc::new(shape), Grid::empty(order * order));
        let expected =
            expected.map_err(|shape| format!("--method bands needs a plain 9×9 with 3×3 boxes, and this is {shape}"));
        assert_eq!(MethodName::Bands.check(&puzzle.shape).map_err(|error| error.to_string()), expected);
        for purpose in [Purpose::Count, Purpose::CountBatch, Purpose::List] {
            let of = |name: MethodName, config| {
                name.of(&puzzle, SearchOptions::default(), purpose, config, &|| false).map(drop)
            };
            for config in [None, Some(&[][..])] {
                assert_eq!(of(MethodName::Search, config), Ok(()));
                match of(MethodName::Bands, config) {
                    Err(DoesNotApply::Batch(MethodName::Bands)) => assert_eq!(purpose, Purpose::CountBatch),
                    // An empty grid is too sparse for a listing.
                    Err(DoesNotApply::Sparse(_)) => assert_eq!(purpose, Purpose::List),
                    other => assert_eq!(other.map_err(|error| error.to_string()), expected),
                }
            }
        }
    }
}
