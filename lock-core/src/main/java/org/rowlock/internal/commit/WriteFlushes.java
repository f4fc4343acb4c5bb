package org.rowlock.internal.commit;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

/** The writes of a transaction, split into flushes: one with the COMMIT, wherever that can be. */
public final class WriteFlushes {
    /** More would be read in parts by the driver all the same, and make a text that nothing keeps. */
    public static final int MOST_IN_ONE = 100;

    /** Of the connection as it was: one that a pool has closed gives none. */
    final PgSession session;

    final Ending ending;
    private final List<Write> writes;
    private final KeyNames names;
    /** Of which the last has the ending, if there is one. */
    private final List<WriteScript> scripts = new ArrayList<>(1);

    private final boolean checkedHere;
    private final boolean commits;
    /** Whether the COMMIT is to be a flush of its own. */
    final boolean commitsAlone;

    /**
     * Checks and splits. Runs no SQL.
     *
     * @param names how messages name keys
     * @param ending what is to go with the last, or null for nothing
     * @throws IllegalArgumentException if a write cannot go with a COMMIT
     */
    public WriteFlushes(PgSession session, List<Write> writes, KeyNames names, @Nullable Ending ending)
            throws SQLException {
        this.session = session;
        this.writes = writes;
        this.names = names;
        this.ending = ending == null ? Ending.PLAIN : ending;
        this.commits = ending != null;
        boolean uncounted = false;
        int number = 0;
        for (Write write : writes) {
            WriteForm form = WriteForms.of(session, write);
            add(write, form, ++number);
            uncounted |= write.isExpecting() && !form.changes();
        }
        this.checkedHere = uncounted;
        // A part of the branch of an XA transaction is not to be committed by itself: the driver's commit() refuses.
        this.commitsAlone = checkedHere || this.ending.isAlone() || session.isOfXa();
        if (scripts.isEmpty()) {
            scripts.add(new WriteScript(session));
        }
        if (commits && !commitsAlone) {
            last().end(this.ending);
        }
    }

    /** Whether all of them are an INSERT, UPDATE or DELETE, and can be sent. Runs no SQL. */
    public static boolean areChanges(PgSession session, List<Write> writes) {
        try {
            for (Write write : writes) {
                if (!WriteForms.of(session, write).changes()) {
                    return false;
                }
            }
            return true;
        } catch (SQLException | IllegalArgumentException e) {
            // Reported to the caller that has made them, when they are sent alone.
            return false;
        }
    }

    private void add(Write write, WriteForm form, int number) {
        write.begin();
        for (List<@Nullable Object> binds : write.executions()) {
            if (scripts.isEmpty() || last().size() == MOST_IN_ONE) {
                scripts.add(new WriteScript(session));
            }
            last().add(write, form, number, binds);
        }
    }

    WriteScript last() {
        return scripts.get(scripts.size() - 1);
    }

    /** Whether all of it, with the COMMIT, is one flush. */
    public boolean isOne() {
        return scripts.size() == 1 && !commitsAlone;
    }

    /**
     * Sends them one after the other.
     *
     * @throws UnexpectedRowCountException if not as many rows are changed as expected; then nothing is committed
     */
    void send() throws SQLException {
        for (WriteScript script : scripts) {
            script.send();
        }
        if (checkedHere) {
            checkCounts();
        }
    }

    private void checkCounts() {
        for (int i = 0; i < writes.size(); i++) {
            long expected = writes.get(i).expected();
            for (long count : writes.get(i).answers()) {
                if (writes.get(i).isExpecting() && count != expected) {
                    throw unexpected(i + 1, count, null);
                }
            }
        }
    }

    /** As the last part of a flush that locks; only where it {@link #isOne}. */
    public Tail behindLock() throws SQLException {
        return last().watched();
    }

    boolean isExpecting() {
        return writes.stream().anyMatch(Write::isExpecting);
    }

    /** Whether the flush with the COMMIT may have left. */
    public boolean isSent() {
        return last().sent;
    }

    /** Hands out what the writes did. */
    void done() {
        writes.forEach(Write::done);
    }

    /** The writes may be stored, and what they did is not known: they are not to be sent again. */
    public void untold(CommitOutcomeUnknownException why) {
        writes.forEach(write -> write.untold(why));
    }

    /** @param number of the write, from 1 */
    UnexpectedRowCountException unexpected(int number, long found, @Nullable Throwable cause) {
        Write write = writes.get(number - 1);
        return Exceptions.of(
                UnexpectedRowCountException.class,
                "Nothing is stored: write " + number + " of " + writes.size() + " was to change "
                        + write.expected()
                        + " row(s) and changed " + found
                        + ". The transaction is " + (commits ? "rolled back" : "aborted; roll back")
                        + ". Look why the row(s) are not"
                        + " as expected, or leave out expectRows"
                        + (names == KeyNames.WITH_IDS ? ": " + write.sql() : "."),
                found < write.expected() ? SqlState.NO_DATA_FOUND : SqlState.TOO_MANY_ROWS,
                cause);
    }
}
