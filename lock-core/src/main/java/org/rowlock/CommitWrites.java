package org.rowlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.text.Given;

/**
 * Statements whose results are not needed before the commit. They are sent with the COMMIT, in one flush. Each of them
 * saves a round trip for which the locks of the transaction would be held:
 *
 * <pre>{@code
 * locks.lock(forUpdate(key)).read("select balance from account where id = ?", Long.class, 42).inTransaction(tx -> {
 *     tx.atCommit("update account set balance = ? where id = ?", tx.row() - 5, 42).expectOneRow();
 *     tx.atCommit("insert into entry(account, amount) values (?, ?)", 42, -5);
 *     return tx.row() - 5;
 * });
 * }</pre>
 *
 * <p>They are executed in their order, after everything else in the transaction, so reads of the work do not see them.
 * If one fails, nothing is committed. More than 100 executions take more round trips, with the same outcome. So does an
 * expected number of rows that only Rowlock can check ({@link CommitWrite#expectRows}).
 *
 * <p>They can be sent again until they are committed, or may be after a {@link CommitOutcomeUnknownException}. From
 * then on sending and adding is an {@link IllegalStateException}. A null and blank SQL are an {@link
 * IllegalArgumentException}. Not thread-safe.
 *
 * @see LockedTransaction#atCommit()
 * @see TransactionLocks#commit(CommitWrites)
 * @see LockOperation#execute(CommitWrites)
 */
public final class CommitWrites {
    private final List<Write> writes = new ArrayList<>(2);

    /** Creates an empty list of writes. */
    public CommitWrites() {}

    /**
     * Adds a statement.
     *
     * @param sql one statement, with {@code ?} for parameters; not one that begins or ends a transaction
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}; read when
     *     they are sent
     * @return the statement, to set its expected rows, and to read its results afterwards
     */
    public CommitWrite add(String sql, @Nullable Object... binds) {
        return added(new Write(sql).again(binds));
    }

    /**
     * Adds a statement that is executed once for each list of values, in their order.
     *
     * @param sql one statement, with {@code ?} for parameters
     * @param binds for each execution, a list with a value per parameter, or the value itself of the only parameter;
     *     may be empty. A collection that is no list has no order, and is refused
     * @return the statement
     */
    public CommitWrite addBatch(String sql, Iterable<? extends Object> binds) {
        Given.notNull(binds, "The binds are null; give a list of values per execution");
        Write write = new Write(sql);
        for (Object each : binds) {
            if (each == null || (each instanceof Collection && !(each instanceof List))) {
                throw new IllegalArgumentException(
                        "The binds of an execution are " + (each == null ? "null" : "no list, and so in no order")
                                + "; give a list with a value per parameter, such as List.of(1, \"a\"). A null value"
                                + " must be in a list, too: Collections.singletonList(null)");
            }
            write.again(each instanceof List<?> values ? values.toArray() : new Object[] {each});
        }
        return added(write);
    }

    /**
     * Adds the statements of another, after its own. Both report their counts and rows.
     *
     * @param others the writes to add; not these themselves, and none that were added already
     */
    public void addAll(CommitWrites others) {
        writes.forEach(Write::refuseIfSent);
        List<Write> more = toSend(others);
        if (!Collections.disjoint(writes, more)) {
            throw new IllegalArgumentException("The other writes are among these already; each can be done once");
        }
        writes.addAll(more);
    }

    private CommitWrite added(Write write) {
        writes.forEach(Write::refuseIfSent);
        writes.add(write);
        return write;
    }

    /** {@return whether nothing was added} */
    public boolean isEmpty() {
        return writes.isEmpty();
    }

    static List<Write> toSend(@Nullable CommitWrites given) {
        List<Write> writes =
                Given.notNull(given, "The writes are null; make new CommitWrites() and add statements").writes;
        writes.forEach(Write::refuseIfSent);
        return List.copyOf(writes);
    }
}
