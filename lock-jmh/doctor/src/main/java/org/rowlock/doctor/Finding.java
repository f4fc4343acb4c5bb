package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that was seen.
 *
 * @param isBad whether it calls for something to be done
 * @param figure what it is measured by
 * @param text what it is
 * @param details more of it
 */
record Finding(boolean isBad, String figure, String text, List<Detail> details) {
    /** A line of it. */
    record Detail(String label, String text) {}

    static Finding of(boolean isBad, String figure, String text) {
        return new Finding(isBad, figure, text, List.of());
    }

    /** The same with one more line. */
    Finding with(String label, String detail) {
        List<Detail> more = new ArrayList<>(details);
        more.add(new Detail(label, detail));
        return new Finding(isBad, figure, text, List.copyOf(more));
    }
}
