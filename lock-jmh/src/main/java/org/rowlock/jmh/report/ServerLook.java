package org.rowlock.jmh.report;

import java.util.List;

/**
 * What the doctor saw on the user's own server before the run: which of its tables come first.
 *
 * @param verdict whether row locks hurt it, in a sentence or two
 * @param steps what to do there, in this order
 * @param text all that was seen, in lines
 */
public record ServerLook(String verdict, List<Step> steps, String text) {
    /**
     * Something to do.
     *
     * @param subject a table, or what else it is about
     * @param action what to do
     * @param reason why, with the figures behind it
     */
    public record Step(String subject, String action, String reason) {}
}
