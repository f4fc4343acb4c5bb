package org.rowlock.jdbc.internal.queue;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.session.PrimaryKeys;
import org.rowlock.jdbc.internal.statement.RowKey;
import org.rowlock.jdbc.internal.statement.SessionEffect;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Kind;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;

/** What is known of the text of a statement, and of the key that it names. */
public final class StatementPlan {
    private final StatementShape shape;
    private final boolean changesSettings;
    private final boolean locksSession;
    private final int parameters;
    private final TableFigures figures;
    private volatile @Nullable Resolved resolved;
    private final String sql;
    private volatile @Nullable SessionEffect effect;

    /** The primary key that was found, and the row that the statement names by it, if it does. */
    private record Resolved(
            PrimaryKeys.Found found, @Nullable RowKey key) {}

    StatementPlan(String sql, DropIn dropIn) {
        this.sql = sql;
        this.shape = StatementRecogniser.recognise(sql);
        this.changesSettings = mayChangeSettings(sql);
        this.locksSession = sql.toLowerCase(Locale.ROOT).contains("advisory_lock");
        this.parameters = shape instanceof Recognised statement ? highestParameter(statement) : 0;
        this.figures = dropIn.figures(table());
    }

    StatementShape shape() {
        return shape;
    }

    /** The text. */
    public String sql() {
        return sql;
    }

    /** The table whose row it locks; none where that is not known. */
    String table() {
        return shape instanceof Recognised statement ? statement.table() : "";
    }

    public TableFigures figures() {
        return figures;
    }

    /** Whether it may change the timeouts of the session, or its role. */
    boolean changesSettings() {
        return changesSettings;
    }

    /** Whether it may take an advisory lock that lasts beyond the transaction. */
    boolean locksSession() {
        return locksSession;
    }

    /** The highest index of a parameter that may be of the key; 0 for none. */
    public int parameters() {
        return parameters;
    }

    /** Whether its result is rows; false where this is not known. */
    public boolean returnsRows() {
        return shape instanceof Recognised statement && statement.returnsRows();
    }

    /** The parameters that a statement with a lock in front must have; -1 where none can be. */
    public int frontable() {
        return shape instanceof Recognised statement ? statement.parameters() : -1;
    }

    /** What it may do to its session; looked for where groups are on. */
    SessionEffect effect() {
        SessionEffect known = effect;
        if (known == null) {
            known = SessionEffect.of(sql);
            effect = known;
        }
        return known;
    }

    /** Whether others may send it: by its text it does the same there. */
    public boolean groups() {
        return shape instanceof Recognised statement
                && statement.kind() == Kind.UPDATE
                && !statement.returnsRows()
                && effect() == SessionEffect.PURE;
    }

    /** The row that the statement names by a primary key, or null. */
    @Nullable
    RowKey key(Recognised statement, PrimaryKeys.Found found) {
        Resolved known = resolved;
        if (known == null || !known.found.equals(found)) {
            known = new Resolved(found, RowKey.of(statement, found.columns()));
            resolved = known;
        }
        return known.key;
    }

    private static boolean mayChangeSettings(String sql) {
        String lower = sql.toLowerCase(Locale.ROOT);
        return Stream.of("timeout", "set_config", "reset", "discard").anyMatch(lower::contains)
                // SET ROLE and SET SESSION AUTHORIZATION, wherever they stand, and some harmless ones.
                || (lower.contains("set") && (lower.contains("role") || lower.contains("authorization")));
    }

    private static int highestParameter(Recognised statement) {
        return statement.equalities().stream()
                .mapToInt(equality -> equality.value() instanceof Parameter parameter ? parameter.index() : 0)
                .max()
                .orElse(0);
    }
}
