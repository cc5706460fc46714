//! Masks over the ground, and corrections of it.

use super::Listed::{Add, Over, Subtract};
use super::*;

#[test]
fn masks_go_over_everything_in_listed_order() {
    let (rock, road) = ([0.2, 0.2, 0.2, 0.2, -1.0], [0.0, 1.0, 0.5, 2.0, f32::NAN]);
    let rows = made(
        &facing(&[5.0; 5]),
        &[0.0; 5],
        &[&rock, &road],
        &[Over, band(0.0, 90.0, 0.0), Over],
    );
    assert_eq!(
        rows,
        [
            [51, 204, 0],
            [0, 0, 255],
            [26, 102, 127],
            [0, 0, 255],
            [0, 255, 0]
        ]
    );
}

#[test]
fn masks_alone_share_the_pixel() {
    let rows = made(
        &facing(&[5.0; 3]),
        &[0.0; 3],
        &[&[0.5, 0.0, 0.2], &[0.5, 0.0, 0.0]],
        &[Over, Over],
    );
    // Where both are a half, the first keeps a quarter: one third against two.
    assert_eq!(rows, [[85, 170], [255, 0], [255, 0]]);
}

/// What corrections by `masks` make of two halves and of one stratum alone, at five pixels of each.
#[track_caller]
fn check_corrections(corrections: &[Listed], masks: &[&[f32]], right: &[[u8; 2]]) {
    let halves = [band(0.0, 90.0, 0.0), preset(None, None, true)];
    let listed: Vec<_> = halves
        .into_iter()
        .chain(corrections.iter().copied())
        .collect();
    let n = right.len();
    assert_eq!(
        made(&facing(&vec![5.0; n]), &vec![0.0; n], masks, &listed),
        right
    );
}

#[test]
fn adding_raises_the_target_and_scales_all() {
    // ½ + c of 1 + c: 51/85 of 255 at ¼, and no more than 1 against the other half.
    check_corrections(
        &[Add(0)],
        &[&[0.0, 0.25, 0.5, 1.0, f32::NAN]],
        &[[128, 127], [153, 102], [170, 85], [170, 85], [128, 127]],
    );
}

#[test]
fn subtracting_lowers_the_target_and_scales_all() {
    check_corrections(
        &[Subtract(0)],
        &[&[0.0, 0.25, 0.5, 1.0, -3.0]],
        &[[128, 127], [85, 170], [0, 255], [0, 255], [128, 127]],
    );
}

#[test]
fn corrections_go_in_listed_order_and_what_is_left_bare_falls_back() {
    // The first takes all of the one, the second all of the other.
    check_corrections(
        &[Subtract(1), Subtract(0)],
        &[&[1.0, 1.0, 0.0], &[0.0, 1.0, 1.0]],
        &[[255, 0], [0, 255], [0, 255]],
    );
    check_corrections(&[Subtract(0), Add(0)], &[&[1.0], &[1.0]], &[[128, 127]]);
    check_corrections(&[Add(0), Subtract(0)], &[&[1.0], &[1.0]], &[[0, 255]]);
}

#[test]
fn a_correction_reads_what_lies_over_the_ground_by_then() {
    let road = [0.5, 0.5];
    let added = [0.0, 0.5];
    // After the road: ¼ · ¼, ½ + ½ of 1½. Before it: ½ of what ¾ and ¼ leave.
    let ground = [band(0.0, 90.0, 0.0), preset(None, None, false)];
    let after = [ground[0], ground[1], Over, Add(2)];
    let before = [ground[0], ground[1], Add(0), Over];
    let made =
        |masks: &[&[f32]], listed: &[Listed]| made(&facing(&[5.0; 2]), &[0.0; 2], masks, listed);
    assert_eq!(
        made(&[&road, &added], &after),
        [[64, 64, 127], [43, 42, 170]]
    );
    assert_eq!(
        made(&[&added, &road], &before),
        [[64, 64, 127], [85, 43, 127]]
    );
}
