package org.rowlock.jmh.report;

import java.util.List;

/**
 * One or more canvases under one title, with a legend for all of them and their numbers in tables.
 *
 * @param note how to read it
 * @param panels the canvases
 * @param legend empty where the canvases name everything themselves
 * @param tables the same in numbers; empty where the section has them anyway
 */
record Figure(String title, String note, List<Panel> panels, List<LegendItem> legend, List<Table> tables) {
    /**
     * A canvas.
     *
     * @param label which point it shows; empty if there is one only
     * @param description for those who cannot see it
     * @param height in CSS pixels
     */
    record Panel(String id, String label, String description, int height) {}

    /**
     * An entry of the legend.
     *
     * @param css of the swatch
     * @param dashes of the line; empty for an area
     */
    record LegendItem(String name, String css, String dashes) {
        boolean isLine() {
            return !dashes.isEmpty();
        }

        static LegendItem line(VariantMark mark) {
            return new LegendItem(mark.name(), "c-" + mark.color(), mark.dashes());
        }

        static LegendItem area(VariantMark mark) {
            return new LegendItem(mark.name(), mark.css(), "");
        }
    }

    boolean isMany() {
        return panels.size() > 1;
    }
}
