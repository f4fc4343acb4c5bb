package org.rowlock.jdbc.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The JFR event of a statement that waited in the JVM. Its duration is the time in the queue. */
@Name("org.rowlock.Queued")
@Label("Queued statement")
@Description("A statement that waited in the JVM before it went to the server for its row lock")
@Category("Rowlock")
@StackTrace(false)
public final class QueuedEvent extends Event {
    @Label("Row")
    @Description("The table, and the key in brackets")
    String row = "";

    @Label("Admitted")
    @Description("Whether the statement was admitted; false if its wait ended before it was admitted")
    boolean admitted;

    /**
     * Returns an event that has begun. Returns null if no recording has started, because the first event of a JVM takes
     * a tenth of a second.
     */
    public static @Nullable QueuedEvent begun() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        QueuedEvent event = new QueuedEvent();
        event.begin();
        return event;
    }

    public void end(String waitedFor, boolean wasAdmitted) {
        end();
        if (shouldCommit()) {
            row = waitedFor;
            admitted = wasAdmitted;
            commit();
        }
    }
}
