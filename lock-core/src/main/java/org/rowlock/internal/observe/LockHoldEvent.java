package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every lock whose end is seen. Its duration is the time it was held. */
@Name("org.rowlock.LockHold")
@Label("Lock hold")
@Description("One or more keys that a transaction held")
@Category("Rowlock")
@StackTrace(false)
public final class LockHoldEvent extends KeysEvent {
    @Label("Strategy")
    String strategy = "";

    @Label("Committed")
    boolean committed;
}
