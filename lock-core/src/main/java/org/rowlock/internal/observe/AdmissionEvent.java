package org.rowlock.internal.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of every passage through the admission queue. Its duration is the time in the queue. */
@Name(AdmissionEvent.NAME)
@Label("Admission")
@Description("A passage through the in-JVM queue of one or more keys")
@Category("Rowlock")
@StackTrace(false)
public final class AdmissionEvent extends Event {
    static final String NAME = "org.rowlock.Admission";

    @Label("Key")
    @Description("The first key in the order of the queues")
    String key = "";

    @Label("Keys")
    @Description("How many distinct keys were asked for")
    int keys;

    @Label("Mode")
    String mode = "";

    @Label("Admitted")
    boolean admitted;
}
