package org.rowlock.jdbc.internal.observe;

/**
 * The figures that the drop-in counts for each table. The reasons why statements did not queue are counted too; see
 * {@link org.rowlock.jdbc.internal.statement.PassReason}.
 */
public enum Figure {
    RECOGNISED("recognised"),
    QUEUED("queued"),
    WOULD_QUEUE("wouldQueue"),
    /** The total time that statements spent in the queue, counted in nanoseconds and shown in milliseconds. */
    QUEUED_TIME("queuedMillis"),
    FRONTED("fronted"),
    FRONT_GIVEN_UP("frontGivenUp"),
    /**
     * The writes that Rowlock kept in memory. Rowlock later sends these writes, usually with the COMMIT, or drops them
     * in a rollback.
     */
    KEPT("kept"),
    GROUPED("grouped"),
    GROUPS("groups"),
    GROUPS_UNDONE("groupsUndone"),
    /**
     * The UPDATEs that joined no group because of their text or values: an unknown function, or a value that cannot be
     * set again.
     */
    ALONE_STATEMENT("alone.STATEMENT"),
    /** The UPDATEs that joined no group because their session was altered, or may have been. */
    ALONE_SESSION("alone.SESSION"),
    /** The UPDATEs that joined no group because of triggers, rules, policies, partitions or deferred constraints. */
    ALONE_TABLE("alone.TABLE");

    private final String text;

    Figure(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
