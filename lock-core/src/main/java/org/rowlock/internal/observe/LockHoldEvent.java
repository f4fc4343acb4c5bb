package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every lock whose end is seen. Its duration is the time it was held. */
@Name(LockHoldEvent.NAME)
@Label("Lock hold")
@Description("One or more keys that a transaction held")
@Category("Rowlock")
@StackTrace(false)
public final class LockHoldEvent extends Event {
    static final String NAME = "org.rowlock.LockHold";

    @Label("Key")
    @Description("The first key asked for")
    String key = "";

    @Label("Keys")
    @Description("How many distinct keys were held")
    int keys;

    @Label("Mode")
    String mode = "";

    @Label("Strategy")
    String strategy = "";

    @Label("Committed")
    boolean committed;
}
