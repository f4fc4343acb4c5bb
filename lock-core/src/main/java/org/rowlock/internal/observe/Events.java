package org.rowlock.internal.observe;

import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;

/** The JFR events. */
public final class Events {
    private Events() {}

    @Category("Rowlock")
    @StackTrace(false)
    abstract static class OfKeys extends Event {
        @Label("Key")
        @Description("The first key")
        String key = "";

        @Label("Keys")
        @Description("The number of distinct keys")
        int keys;

        @Label("Mode")
        String mode = "";

        /** Ends it, and reports whether a recording takes it. If none does, no text is made of the key. */
        final boolean isTaken(List<LockKey> all, RowLockMode strongest) {
            end();
            if (!shouldCommit()) {
                return false;
            }
            key = all.isEmpty() ? "" : all.get(0).toString();
            keys = all.size();
            mode = strongest.name();
            return true;
        }
    }

    /** Of every attempt to lock. Its duration is the attempt's. */
    @Name("org.rowlock.LockAcquisition")
    @Label("Lock acquisition")
    @Description("An attempt to lock one or more keys")
    public static final class OfAcquisition extends OfKeys {
        @Label("Strategy")
        String strategy = "";

        @Label("Wait")
        String lockWait = "";

        @Label("Outcome")
        String outcome = "";
    }

    /** Of every passage through the admission queue. Its duration is the time in the queue. */
    @Name("org.rowlock.Admission")
    @Label("Admission")
    @Description("A passage through the in-JVM queue of one or more keys")
    public static final class OfAdmission extends OfKeys {
        @Label("Admitted")
        boolean admitted;
    }

    /** Of every lock whose end is seen. Its duration is the time it was held. */
    @Name("org.rowlock.LockHold")
    @Label("Lock hold")
    @Description("One or more keys that a transaction held")
    static final class OfHold extends OfKeys {
        @Label("Strategy")
        String strategy = "";

        @Label("Committed")
        boolean committed;
    }
}
