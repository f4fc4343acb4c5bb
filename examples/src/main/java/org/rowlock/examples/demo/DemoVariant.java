package org.rowlock.examples.demo;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.LockStrategy;

/**
 * One of the six ways to lock that the demo compares.
 *
 * @param strategy which of PostgreSQL's locks
 * @param admission whether to queue in the JVM before a connection is borrowed
 */
record DemoVariant(LockStrategy strategy, boolean admission) {
    /** What programs do today, and what all others are measured against. */
    static final DemoVariant BASELINE = new DemoVariant(LockStrategy.ROW, false);

    static List<DemoVariant> all() {
        List<DemoVariant> all = new ArrayList<>();
        for (boolean admission : new boolean[] {false, true}) {
            for (LockStrategy strategy : LockStrategy.values()) {
                all.add(new DemoVariant(strategy, admission));
            }
        }
        return all;
    }

    @Override
    public String toString() {
        return strategy + (admission ? " with admission" : " without admission");
    }
}
