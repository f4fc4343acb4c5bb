package org.rowlock.jdbc.internal.observe;

/** What is counted of the statements on a table, beside the reasons why others went to the server as they are. */
public enum Figure {
    RECOGNISED("recognised"),
    QUEUED("queued"),
    WOULD_QUEUE("wouldQueue"),
    /** Counted in nanoseconds. */
    QUEUED_TIME("queuedMillis"),
    FRONTED("fronted"),
    FRONT_GIVEN_UP("frontGivenUp"),
    /** Sent with the COMMIT, or shortly before. */
    KEPT("kept"),
    GROUPED("grouped"),
    GROUPS("groups"),
    GROUPS_UNDONE("groupsUndone"),
    /** No group: not a plain prepared UPDATE of well-known functions, or a value that is not kept. */
    ALONE_STATEMENT("alone.STATEMENT"),
    /** No group: its session was altered, or nobody knows. */
    ALONE_SESSION("alone.SESSION"),
    /** No group: its table has triggers, rules, policies, partitions or deferred constraints. */
    ALONE_TABLE("alone.TABLE");

    private final String text;

    Figure(String text) {
        this.text = text;
    }

    /** As it is called where it is shown. */
    @Override
    public String toString() {
        return text;
    }
}
