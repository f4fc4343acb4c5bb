package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every passage through the admission queue. Its duration is the time in the queue. */
@Name("org.rowlock.Admission")
@Label("Admission")
@Description("A passage through the in-JVM queue of one or more keys")
@Category("Rowlock")
@StackTrace(false)
public final class AdmissionEvent extends KeysEvent {
    @Label("Admitted")
    boolean admitted;
}
