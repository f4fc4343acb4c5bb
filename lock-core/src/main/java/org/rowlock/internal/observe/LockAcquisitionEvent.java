package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every attempt to lock. Its duration is the attempt's. */
@Name(LockAcquisitionEvent.NAME)
@Label("Lock acquisition")
@Description("An attempt to lock one or more keys")
@Category("Rowlock")
@StackTrace(false)
public final class LockAcquisitionEvent extends Event {
    static final String NAME = "org.rowlock.LockAcquisition";

    @Label("Key")
    @Description("The first key asked for")
    String key = "";

    @Label("Keys")
    @Description("How many distinct keys were asked for")
    int keys;

    @Label("Mode")
    String mode = "";

    @Label("Strategy")
    String strategy = "";

    @Label("Wait")
    String lockWait = "";

    @Label("Outcome")
    String outcome = "";
}
