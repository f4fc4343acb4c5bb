package org.rowlock.jmh.cli;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.jmh.run.Selection;

/**
 * A scenario as the user wants it.
 *
 * @param selection what is run
 * @param remarks in what it differs from what a reader may expect; complete sentences
 */
record Choice(Selection selection, List<String> remarks) {
    /** The same with another selection, and the reason. */
    Choice with(Selection other, String remark) {
        List<String> more = new ArrayList<>(remarks);
        more.add(remark);
        return new Choice(other, List.copyOf(more));
    }

    String name() {
        return selection.scenario().name();
    }
}
