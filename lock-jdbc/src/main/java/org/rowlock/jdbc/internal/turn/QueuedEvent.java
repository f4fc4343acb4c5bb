package org.rowlock.jdbc.internal.turn;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every statement that waited in the JVM. Its duration is the time in the queue. */
@Name("org.rowlock.Queued")
@Label("Queued statement")
@Description("A statement that waited in the JVM for its turn to wait for a row lock at the server")
@Category("Rowlock")
@StackTrace(false)
final class QueuedEvent extends Event {
    @Label("Row")
    @Description("Its table, and its key in brackets")
    String row = "";

    @Label("Admitted")
    @Description("Whether it was its turn; else the wait was over")
    boolean admitted;
}
