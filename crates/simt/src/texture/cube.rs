//! From a direction to a place on a face of a cube.

/// The number of the face that a direction points to, in the order +x, -x, +y, -y, +z, -z, and where on it, from 0 to 1
/// from left to right and from top to bottom.
pub(super) fn face([x, y, z]: [f32; 3]) -> (u32, [f32; 2]) {
    let [ax, ay, az] = [x, y, z].map(f32::abs);
    let (face, right, down, ahead) = if az >= ax && az >= ay {
        if z.is_sign_negative() { (5, -x, -y, az) } else { (4, x, -y, az) }
    } else if ay >= ax {
        if y.is_sign_negative() { (3, x, -z, ay) } else { (2, x, z, ay) }
    } else if x.is_sign_negative() {
        (1, z, -y, ax)
    } else {
        (0, -z, -y, ax)
    };
    // A direction of no length points to the middle.
    let place = |along: f32| if ahead == 0.0 { 0.5 } else { (along / ahead + 1.0) * 0.5 };
    (face, [place(right), place(down)])
}

/// Whether a texel of a face of that many columns and rows is outside along both axes: there is no such texel.
pub(super) fn is_beyond_a_corner([x, y, _]: [i64; 3], size: u32) -> bool {
    let inside = 0..i64::from(size);
    !inside.contains(&x) && !inside.contains(&y)
}

/// The texel that lies at a place next to a face: its face, as a layer, and its place there.
pub(super) fn across(layer: u32, [x, y, _]: [i64; 3], size: u32) -> (u32, [i64; 2]) {
    let inside = 0..i64::from(size);
    if inside.contains(&x) && inside.contains(&y) {
        return (layer, [x, y]);
    }
    let from_middle = |at: i64| (at as f32 + 0.5) / size as f32 * 2.0 - 1.0;
    let (right, down) = (from_middle(x), from_middle(y));
    let direction = match layer % 6 {
        0 => [1.0, -down, -right],
        1 => [-1.0, -down, right],
        2 => [right, 1.0, down],
        3 => [right, -1.0, -down],
        4 => [right, -down, 1.0],
        _ => [-right, -down, -1.0],
    };
    let (face, place) = face(direction);
    let texel = |along: f32| ((along * size as f32) as i64).clamp(0, i64::from(size) - 1);
    (layer / 6 * 6 + face, place.map(texel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_point_to_faces() {
        let axes = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
        for (number, direction) in axes.into_iter().enumerate() {
            assert_eq!(face(direction), (number as u32, [0.5, 0.5]), "{direction:?}");
        }
        assert_eq!(face([2.0, 1.0, -1.0]), (0, [0.75, 0.25]));
        assert_eq!(face([-2.0, 1.0, -1.0]), (1, [0.25, 0.25]));
        assert_eq!(face([1.0, 2.0, -1.0]), (2, [0.75, 0.25]));
        assert_eq!(face([1.0, -2.0, -1.0]), (3, [0.75, 0.75]));
        assert_eq!(face([1.0, -1.0, 2.0]), (4, [0.75, 0.75]));
        assert_eq!(face([1.0, -1.0, -2.0]), (5, [0.25, 0.75]));
    }

    #[test]
    fn every_texel_at_an_edge_has_a_neighbour_that_has_it_as_its_own() {
        let size = 5;
        for face in 0..6 {
            for (x, y) in (0..5).flat_map(|k| [(-1, k), (5, k), (k, -1), (k, 5)]) {
                let own = (face, [x.clamp(0, 4), y.clamp(0, 4)]);
                let (next, [nx, ny]) = across(face, [x, y, 0], size);
                assert_ne!(next, face);
                assert!([nx, ny].iter().all(|n| (0..5).contains(n)));
                let steps = [(-1, 0), (1, 0), (0, -1), (0, 1)];
                let back = steps.map(|(dx, dy)| across(next, [nx + dx, ny + dy, 0], size));
                assert!(back.contains(&own), "{face} {x} {y}: {back:?}");
            }
        }
        assert_eq!(across(9, [2, 3, 0], size), (9, [2, 3]));
        assert!(is_beyond_a_corner([-1, 5, 0], 5) && !is_beyond_a_corner([-1, 4, 0], 5));
    }

    #[test]
    fn no_direction_is_somewhere() {
        assert_eq!(face([0.0; 3]), (4, [0.5, 0.5]));
        assert!(face([f32::NAN; 3]).0 < 6);
    }
}
