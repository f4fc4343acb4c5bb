package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every attempt to lock. Its duration is the attempt's. */
@Name("org.rowlock.LockAcquisition")
@Label("Lock acquisition")
@Description("An attempt to lock one or more keys")
@Category("Rowlock")
@StackTrace(false)
public final class LockAcquisitionEvent extends KeysEvent {
    @Label("Strategy")
    String strategy = "";

    @Label("Wait")
    String lockWait = "";

    @Label("Outcome")
    String outcome = "";
}
