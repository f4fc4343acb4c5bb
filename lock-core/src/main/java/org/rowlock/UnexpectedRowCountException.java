package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * A statement of {@link CommitWrites} did not change as many rows as {@linkplain CommitWrite#expectRows it was to}.
 * Nothing of the transaction is stored; it is rolled back, or aborted where they were sent without a commit. The
 * SQLSTATE is that of {@code INTO STRICT}: P0002 where there were fewer rows (no_data_found), P0003 where there were
 * more (too_many_rows).
 */
public final class UnexpectedRowCountException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What were to be changed. */
    private final long expected;

    /** What were. */
    private final long found;

    UnexpectedRowCountException(Exceptions.Parts parts) {
        super(parts, false);
        this.expected = ((long[]) parts.detail())[0];
        this.found = ((long[]) parts.detail())[1];
    }

    /** {@return how many rows were to be changed, as given to {@link CommitWrite#expectRows}} */
    public long expected() {
        return expected;
    }

    /** {@return how many rows were changed, before it was undone} */
    public long found() {
        return found;
    }
}
