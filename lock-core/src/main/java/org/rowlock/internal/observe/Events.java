package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.internal.value.EndedEvent;

/** The JFR events. The class is loaded only on demand, because loading takes time at startup. */
final class Events {
    private Events() {}

    static OfKeys of(Kind kind) {
        return switch (kind) {
            case ADMISSION -> new OfAdmission();
            case ACQUISITION -> new OfAcquisition();
            case HOLD -> new OfHold();
        };
    }

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

        @Label("Strategy")
        String strategy = "";

        @Label("Wait")
        String lockWait = "";

        @Label("Outcome")
        String outcome = "";

        /** Ends the event. The texts of the event are created only if a recording stores the event. */
        final void end(EndedEvent of) {
            end();
            if (shouldCommit()) {
                key = of.keys().isEmpty() ? "" : of.keys().get(0).toString();
                keys = of.keys().size();
                mode = of.mode().name();
                strategy = of.strategy().name();
                lockWait = of.lockWait().toString();
                outcome = of.outcome().name();
                commit();
            }
        }
    }

    @Name("org.rowlock.LockAcquisition")
    @Label("Lock acquisition")
    @Description("An attempt to lock one or more keys")
    static final class OfAcquisition extends OfKeys {}

    @Name("org.rowlock.Admission")
    @Label("Admission")
    @Description("A stay in the admission queues of one or more keys")
    static final class OfAdmission extends OfKeys {}

    @Name("org.rowlock.LockHold")
    @Label("Lock hold")
    @Description("One or more keys that a transaction held")
    static final class OfHold extends OfKeys {}

    static void alone(LockKey key, String why) {
        OfAlone event = new OfAlone();
        if (event.shouldCommit()) {
            event.key = key.toString();
            event.reason = why;
            event.commit();
        }
    }

    @Name("org.rowlock.NotGrouped")
    @Label("Not grouped")
    @Description("A call that joined no group, although groups are enabled")
    @Category("Rowlock")
    @StackTrace(false)
    static final class OfAlone extends Event {
        @Label("Key")
        String key = "";

        @Label("Reason")
        @Description("What prevented the call from joining a group: statement, table, session or isolation level")
        String reason = "";
    }
}
