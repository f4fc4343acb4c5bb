package org.rowlock.jmh.cli;

import java.util.Locale;

/** Numbers for a person: as many digits as mean something. */
final class Figures {
    private static final double WITHOUT_DECIMALS = 100;
    private static final double WITH_ONE = 10;

    private Figures() {}

    /** Such as {@code 1,234} or {@code 0.52}. */
    static String text(double value) {
        double size = Math.abs(value);
        int decimals = size >= WITHOUT_DECIMALS ? 0 : size >= WITH_ONE ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
