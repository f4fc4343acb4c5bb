package org.rowlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.text.Arguments;

/**
 * Statements whose results are not needed before the commit. Rowlock sends these statements with the COMMIT, in one
 * round trip. Each statement that runs under the locks prolongs the hold by a round trip. A statement added with {@code
 * atCommit} does not:
 *
 * <pre>{@code
 * locks.lock(forUpdate(key)).read("select balance from account where id = ?", Long.class, 42).inTransaction(tx -> {
 *     tx.atCommit("update account set balance = ? where id = ?", tx.row() - 5, 42).expectOneRow();
 *     tx.atCommit("insert into entry(account, amount) values (?, ?)", 42, -5);
 *     return tx.row() - 5;
 * });
 * }</pre>
 *
 * <p>The statements run in the order in which they were added, after all other statements of the transaction. Queries
 * of the work therefore do not see the changes of these statements. If one statement fails, nothing is committed. More
 * than 100 executions take several round trips, with the same outcome. If a statement returns rows, arrays or more than
 * 64 kB after the first execution also take several round trips.
 *
 * <p>After a failed commit, the same writes can be sent again. After a commit that succeeded or has an unknown outcome,
 * any attempt to send the writes or to add a write throws an {@link IllegalStateException}. A null or blank SQL causes
 * an {@link IllegalArgumentException}. Not thread-safe.
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
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}; mutable
     *     values are read only when the statement is sent
     * @return the statement; use it to set the expected number of rows, and to read the results after the commit
     */
    public CommitWrite add(String sql, @Nullable Object... binds) {
        return added(new Write(sql).again(binds));
    }

    /**
     * Adds a statement that is executed once for each given list of values, in the given order.
     *
     * @param sql one statement, with {@code ?} for parameters
     * @param binds one element for each execution: a list with a value per parameter, or the value itself if there is
     *     only one parameter. Collections other than lists are refused, because they may have no order. If there are no
     *     elements, the statement is not executed
     * @return the statement
     */
    public CommitWrite addBatch(String sql, Iterable<? extends Object> binds) {
        Arguments.notNull(binds, "The binds are null; give a list of values per execution");
        Write write = new Write(sql);
        for (Object each : binds) {
            if (each == null || (each instanceof Collection && !(each instanceof List))) {
                throw new IllegalArgumentException(
                        "The binds of an execution are " + (each == null ? "null" : "not a list, so they have no order")
                                + "; give a list with a value per parameter, such as List.of(1, \"a\"). A null value"
                                + " must be in a list, too: Collections.singletonList(null)");
            }
            write.again(each instanceof List<?> values ? values.toArray() : new Object[] {each});
        }
        return added(write);
    }

    /** Appends the writes of another object. Both objects then contain these writes. */
    void addAll(CommitWrites others) {
        writes.addAll(toSend(others));
    }

    private CommitWrite added(Write write) {
        writes.forEach(Write::refuseIfSent);
        writes.add(write);
        return write;
    }

    static List<Write> toSend(@Nullable CommitWrites given) {
        List<Write> writes =
                Arguments.notNull(given, "The writes are null; make new CommitWrites() and add statements").writes;
        writes.forEach(Write::refuseIfSent);
        return List.copyOf(writes);
    }
}
