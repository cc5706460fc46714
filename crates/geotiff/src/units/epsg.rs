//! The units of EPSG, and the systems that are not in metres.
//!
//! Made from PROJ's `proj.db`, EPSG v12.029: the units are the rows of `unit_of_measure` with a size in metres or
//! radians; the systems are those of `projected_crs` and `vertical_crs` whose first `axis` has another `uom_code`
//! than 9001. To renew them, join the table with `axis` over `coordinate_system_code` where `auth_name` is EPSG, and
//! write the codes of each unit in the words that [`contains`] reads.

/// Lengths: code, name, metres.
static LENGTHS: [(u16, &str, f64); 47] = [
    (1025, "millimetre", 0.001),
    (1033, "centimetre", 0.01),
    (9001, "metre", 1.0),
    (9002, "foot", 0.3048),
    (9003, "US survey foot", 1200.0 / 3937.0),
    (9005, "Clarke's foot", 0.304_797_265_4),
    (9014, "fathom", 1.8288),
    (9030, "nautical mile", 1852.0),
    (9031, "German legal metre", 1.000_013_596_5),
    (9033, "US survey chain", 79_200.0 / 3937.0),
    (9034, "US survey link", 792.0 / 3937.0),
    (9035, "US survey mile", 6_336_000.0 / 3937.0),
    (9036, "kilometre", 1000.0),
    (9037, "Clarke's yard", 0.914_391_796_2),
    (9038, "Clarke's chain", 20.116_619_516_4),
    (9039, "Clarke's link", 0.201_166_195_164),
    (9040, "British yard (Sears 1922)", 0.914_398_414_616_028_7),
    (9041, "British foot (Sears 1922)", 0.304_799_471_538_676_2),
    (9042, "British chain (Sears 1922)", 20.116_765_121_552_632),
    (9043, "British link (Sears 1922)", 0.201_167_651_215_526_3),
    (9050, "British yard (Benoit 1895 A)", 0.914_399_2),
    (
        9051,
        "British foot (Benoit 1895 A)",
        0.304_799_733_333_333_3,
    ),
    (9052, "British chain (Benoit 1895 A)", 20.116_782_4),
    (9053, "British link (Benoit 1895 A)", 0.201_167_824),
    (
        9060,
        "British yard (Benoit 1895 B)",
        0.914_399_204_289_812_4,
    ),
    (
        9061,
        "British foot (Benoit 1895 B)",
        0.304_799_734_763_270_77,
    ),
    (
        9062,
        "British chain (Benoit 1895 B)",
        20.116_782_494_375_872,
    ),
    (
        9063,
        "British link (Benoit 1895 B)",
        0.201_167_824_943_758_7,
    ),
    (9070, "British foot (1865)", 0.304_800_833_333_333_35),
    (9080, "Indian foot", 0.304_799_510_248_146_94),
    (9081, "Indian foot (1937)", 0.304_798_41),
    (9082, "Indian foot (1962)", 0.304_799_6),
    (9083, "Indian foot (1975)", 0.304_799_5),
    (9084, "Indian yard", 0.914_398_530_744_440_8),
    (9085, "Indian yard (1937)", 0.914_395_23),
    (9086, "Indian yard (1962)", 0.914_398_8),
    (9087, "Indian yard (1975)", 0.914_398_5),
    (9093, "Statute mile", 1609.344),
    (9094, "Gold Coast foot", 0.304_799_710_181_508_8),
    (9095, "British foot (1936)", 0.304_800_749_1),
    (9096, "yard", 0.9144),
    (9097, "chain", 20.1168),
    (9098, "link", 0.201_168),
    (9099, "British yard (Sears 1922 truncated)", 0.914_398),
    (
        9300,
        "British foot (Sears 1922 truncated)",
        0.304_799_333_333_333_37,
    ),
    (9301, "British chain (Sears 1922 truncated)", 20.116_756),
    (9302, "British link (Sears 1922 truncated)", 0.201_167_56),
];

/// Angles: code, name, radians.
static ANGLES: [(u16, &str, f64); 7] = [
    (9101, "radian", 1.0),
    (9102, "degree", 0.017_453_292_519_943_295),
    (9103, "arc-minute", 0.000_290_888_208_665_721_6),
    (9104, "arc-second", 4.84813681109536e-6),
    (9105, "grad", 0.015_707_963_267_948_967),
    (9106, "gon", 0.015_707_963_267_948_967),
    (9122, "degree", 0.017_453_292_519_943_295),
];

/// Units of projected systems that are not in metres.
static PROJECTED: [(u16, &str); 15] = [
    (
        9002,
        "2222-2224 2251-2253 2256 2265-2266 2269-2270 2273 2280-2282 2867-2869 2896-2898 2901 2909-2910 2913-2914 \
         2921-2923 2992-2994/2 3080 3359-3361/2 3479-3483/2 3588-3590/2 3593 3605 3634-3636/2 3644-3648/2 3656 3676 3679 \
         3682 5588 6128-6141 6391 6405-6409/2 6494-6496/2 6499 6515 6545-6547/2 6557-6561/2 6570 6785-6863/2 6868 \
         6885-6887/2 7119-7127 8065-8068 8312-8348/2 10980-10987 20050",
    ),
    (
        9003,
        "2155 2194 2204 2225-2250 2254-2255 2257-2264 2267-2268 2271-2272 2274-2279 2283-2289 2870-2895 2899-2900 \
         2902-2908 2911-2912 2915-2920 2924-2930 2964-2968 3089-3091/2 3102 3363-3365/2 3404 3417-3438 3441-3446 \
         3451-3459 3485-3487/2 3490-3512/2 3515-3553/2 3560-3570 3582-3586/2 3598-3600/2 3608-3632/2 3640-3642/2 \
         3650-3654/2 3658-3664/2 3668-3674/2 3677 3680 3683 3686-3692/2 3696-3700/2 3728-3739 3753-3760 3991-3992 4217 \
         4399-4413 4418-4433 4438-4457 5623-5625 5646 5654-5655 6200-6202 6411-6413/2 6416-6438/2 6441-6479/2 6484-6492/2 \
         6501-6507/2 6510 6517-6543/2 6549-6555/2 6563-6565/2 6568 6572-6578/2 6582-6590/2 6593-6609/2 6612-6618/2 \
         6625-6627 6633 6880 6923-6925/2 6966 6997 7057-7070 7128 7132 7258-7370/2 7587-7645 8035-8036 8091-8093/2 \
         8096-8172/2 8177 8180-8182/2 8185 8189 8193 8197 8200-8210/2 8213 8216 8220 8224-8226/2 8380-8384/2 8387 \
         8518-8540 9748-9749 10481-10516 10622 10911-10916 23301-23333 26729-26813 26847-26870 32001-32058 32064-32077 \
         32099 32164-32167 32664-32667",
    ),
    (9005, "2314 3407 5589 24100"),
    (9031, "29371-29385"),
    (9036, "22300"),
    (9037, "5472"),
    (9039, "2066 30200"),
    (9040, "27291-27292"),
    (9041, "29872"),
    (9042, "29871"),
    (9062, "24571"),
    (9084, "24370-24374 24382"),
    (9094, "2136 2159-2160"),
    (9098, "3139-3140"),
    (9301, "3167"),
];

/// Units of vertical systems that are not in metres.
static VERTICAL: [(u16, &str); 3] = [
    (9002, "5614 6130-6132 8050-8051 8228 8897"),
    (9003, "5702 6358-6360 8052-8053 10919"),
    (9095, "5754"),
];

/// Geographic systems in grads; the others are in degrees.
const IN_GRADS: &str = "4807 4810-4811 4816 4819 4821 4901-4902";

/// The name of a length, and its metres.
pub(super) fn length(code: u16) -> Option<(&'static str, f64)> {
    named(&LENGTHS, code)
}

/// The name of an angle, and its radians.
pub(super) fn angle(code: u16) -> Option<(&'static str, f64)> {
    named(&ANGLES, code)
}

fn named(units: &[(u16, &'static str, f64)], code: u16) -> Option<(&'static str, f64)> {
    let unit = units.iter().find(|unit| unit.0 == code)?;
    Some((unit.1, unit.2))
}

/// The unit of a projected system.
pub(super) fn of_projected(system: u16) -> u16 {
    unit_of(&PROJECTED, system)
}

/// The unit of a vertical system.
pub(super) fn of_vertical(system: u16) -> u16 {
    unit_of(&VERTICAL, system)
}

/// The unit of a geographic system.
pub(super) fn of_geographic(system: u16) -> u16 {
    if contains(IN_GRADS, system) {
        9105
    } else {
        9102
    }
}

fn unit_of(units: &[(u16, &str)], system: u16) -> u16 {
    units
        .iter()
        .find(|(_, systems)| contains(systems, system))
        .map_or(9001, |unit| unit.0)
}

/// Whether a list has a code: `7` is one, `7-9` are 7, 8 and 9, and `7-11/2` are 7, 9 and 11.
fn contains(list: &str, code: u16) -> bool {
    list.split_ascii_whitespace().any(|word| {
        let (range, step) = word.split_once('/').unwrap_or((word, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        match (first.parse(), last.parse(), step.parse::<u16>()) {
            (Ok(first), Ok(last), Ok(step)) => {
                (first..=last).contains(&code) && (code - first).is_multiple_of(step)
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_single_codes_ranges_and_every_second_code() {
        let listed: Vec<u16> = (0..30).filter(|&n| contains("3 7-9 20-24/2", n)).collect();
        assert_eq!(listed, [3, 7, 8, 9, 20, 22, 24]);
    }

    #[test]
    fn systems_have_the_units_that_epsg_lists() {
        // New York Long Island, Arizona East, Texas Central (2011), Accra, Segara; UTM 33N, British National Grid.
        let systems = [2263, 2222, 6578, 2136, 29371, 32633, 27700];
        assert_eq!(
            systems.map(of_projected),
            [9003, 9002, 9003, 9094, 9031, 9001, 9001]
        );
        // NAVD88 in both feet and in metres, NGVD29, Malin Head in British feet, EGM2008.
        let heights = [6360, 8228, 5703, 5702, 5754, 3855];
        assert_eq!(
            heights.map(of_vertical),
            [9003, 9002, 9001, 9003, 9095, 9001]
        );
        assert_eq!([4326, 4807].map(of_geographic), [9102, 9105]);
    }

    #[test]
    fn every_listed_unit_has_a_size() {
        for (unit, systems) in PROJECTED.iter().chain(&VERTICAL) {
            assert!(length(*unit).is_some_and(|(_, size)| size > 0.0), "{unit}");
            assert!(systems.split(' ').all(|word| {
                let first = word.split(['-', '/']).next();
                first.is_some_and(|code| code.parse().is_ok_and(|code| contains(systems, code)))
            }));
        }
        assert_eq!(length(9003).map(|unit| unit.1), Some(1200.0 / 3937.0));
        assert_eq!(angle(9102).map(|unit| unit.1), Some(1_f64.to_radians()));
    }
}
