package org.rowlock.jmh.report;

import java.util.List;

/**
 * A table of the page.
 *
 * @param caption what it shows, and in what unit
 * @param corner head of the first column
 * @param heads of the others
 */
record Table(String caption, String corner, List<String> heads, List<Row> rows) {
    /**
     * A row.
     *
     * @param note in small behind its name; empty for none
     * @param css of the swatch in front of its name; empty for none
     * @param baseline whether the others are compared with it
     */
    record Row(String name, String note, String css, boolean baseline, List<Cell> cells) {
        /** The name, where it may be broken. */
        List<String> parts() {
            return List.of(name.split("(?=\\+)"));
        }
    }

    /**
     * A cell.
     *
     * @param value the number; empty where the ratio is all there is
     * @param range least to most of any round; empty for none
     * @param ratio to the baseline; empty for none
     * @param spread of the ratio
     * @param outcome a class for its colour; empty for none
     * @param mark the same as a sign
     * @param said the same in words, for screen readers
     */
    record Cell(String value, String range, String ratio, String spread, String outcome, String mark, String said) {
        static Cell plain(String value) {
            return new Cell(value, "", "", "", "", "", "");
        }
    }
}
