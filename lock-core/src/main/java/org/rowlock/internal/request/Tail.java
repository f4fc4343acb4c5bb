package org.rowlock.internal.request;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last part of a flush, which is the caller's: a query, or writes and the COMMIT behind them. */
public interface Tail {
    /** One statement, or several of writes. */
    String sql();

    /** All that its text depends on, where the text itself is dear to make. */
    default Object form() {
        return sql();
    }

    List<@Nullable Object> binds();

    /**
     * Sets the parameters from index {@code at} on and gives the index behind the last one. From then on it may be
     * sent.
     */
    default int bind(PreparedStatement statement, int at) throws SQLException {
        return bind(statement, at, binds());
    }

    /**
     * Reads what each statement returned. Leaves the statement at the last result.
     *
     * @param isRows whether the first result is rows
     */
    void read(PreparedStatement statement, boolean isRows) throws SQLException;

    /** Where the statement and its results stay open until they are mapped; null where it reads all at once. */
    default @Nullable OpenRows open() {
        return null;
    }

    /** How the server is to look after its client while it commits; null where there is no COMMIT. */
    default @Nullable Watch watch() {
        return null;
    }

    /** Whether the transaction is over when its results are read. */
    default boolean isCommitting() {
        return watch() != null;
    }

    /**
     * Whether the server is not to keep what it prepares: where the driver binds a value without a type, for it to
     * find.
     */
    default boolean isOneShot() {
        return hasUntyped(binds());
    }

    /** Whether its text may be sent again, and so is to be kept. */
    default boolean isKept() {
        return true;
    }

    /** Called if the server has run none of what was sent. */
    default void unsent() {}

    /** Whether a value has no type of its own. */
    static boolean hasUntyped(List<@Nullable Object> binds) {
        for (@Nullable Object bind : binds) {
            if (bind == null || bind instanceof java.util.Date) {
                return true;
            }
        }
        return false;
    }

    /** Sets values of parameters from index {@code at} on and gives the index behind the last one. */
    static int bind(PreparedStatement statement, int at, List<@Nullable Object> binds) throws SQLException {
        for (int i = 0; i < binds.size(); i++) {
            statement.setObject(at + i, binds.get(i));
        }
        return at + binds.size();
    }
}
