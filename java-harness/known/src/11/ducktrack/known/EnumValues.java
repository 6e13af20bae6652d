package ducktrack.known;

// PROGRAM
// EXPECT
//   values   Color.values   clone    Color[] 100_001
//   red      Color.<clinit> new      Color   1
//   blue     Color.<clinit> new      Color   1
//   body     Color.<clinit> new      Color$1 1
//   switch   1.<clinit>     newarray int[]   1
//   warm     main           new      java.lang.Object 66_667 bytes=16
// END
/**
 * {@code values()} clones the constants' array at each call (once more when the class for the switch is initialized); the constants
 * themselves are made once.
 */
final class EnumValues {
    enum Color {
        RED, // SITE red
        GREEN { // SITE body
            @Override
            int weight() {
                return 2;
            }
        },
        BLUE; // SITE blue

        int weight() {
            return 1;
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long warm = 0;
        for (int i = 0; i < Known.N; i++) {
            Color color = Color.values()[i % 3];
            switch (color) { // SITE switch
                case RED:
                case GREEN:
                    sum += color.weight() + (new Object() == null ? 1 : 0); // SITE warm
                    warm++;
                    break;
                default:
                    sum += 10;
            }
        }
        Known.of(EnumValues.class)
                .count("values", Known.N + 1).count("red", 1).count("blue", 1).count("body", 1).count("switch", 1).count("warm", warm)
                .done(sum);
    }
}
