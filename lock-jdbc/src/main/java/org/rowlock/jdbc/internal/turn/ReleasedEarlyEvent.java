package org.rowlock.jdbc.internal.turn;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/** The JFR event of every commit that let go of its row before it was durable. Its duration is that of the commit. */
@Name("org.rowlock.ReleasedEarly")
@Label("Early release")
@Description("A commit that let go of a row that others wanted before it was durable, and returned when it was")
@Category("Rowlock")
@StackTrace(false)
final class ReleasedEarlyEvent extends Event {
    @Label("Table")
    @Description("That of the row")
    String table = "";

    void commit(StatementPlan plan) {
        end();
        if (shouldCommit()) {
            table = plan.shape() instanceof Recognised row ? row.table() : "";
            commit();
        }
    }
}
