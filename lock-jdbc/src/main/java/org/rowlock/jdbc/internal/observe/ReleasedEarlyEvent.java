package org.rowlock.jdbc.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The JFR event of every commit that let go of its row before it was durable. Its duration is that of the commit. */
@Name("org.rowlock.ReleasedEarly")
@Label("Early release")
@Description("A commit that let go of a row that others wanted before it was durable, and returned when it was")
@Category("Rowlock")
@StackTrace(false)
public final class ReleasedEarlyEvent extends Event {
    @Label("Table")
    @Description("That of the row")
    String table = "";

    /** One that has begun; null while nobody records. */
    public static @Nullable ReleasedEarlyEvent begun() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        ReleasedEarlyEvent event = new ReleasedEarlyEvent();
        event.begin();
        return event;
    }

    /** Ends and records it. */
    public void commit(String name) {
        end();
        if (shouldCommit()) {
            table = name;
            commit();
        }
    }
}
