package org.rowlock.jmh.report;

/**
 * How a variant is marked, the same all over the page: its colour is that of its method, and what it has in addition shows
 * as a hatch on areas and as dashes on lines.
 *
 * @param name of the variant
 * @param color the slot of its colour in the style sheet
 * @param pipelined dotted
 * @param admission hatched, or dashed
 */
record VariantMark(String name, String color, boolean pipelined, boolean admission) {

    /** For the small area in front of a name. */
    String css() {
        return "c-" + color + (admission ? " hatched" : "") + (pipelined ? " dotted" : "");
    }

    /** For the small line in front of a name; the script draws lines the same. */
    String dashes() {
        if (pipelined) {
            return admission ? "7 3 2 3" : "2 3";
        }
        return admission ? "7 4" : "none";
    }
}
