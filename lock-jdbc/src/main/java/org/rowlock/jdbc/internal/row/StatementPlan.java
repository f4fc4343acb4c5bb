package org.rowlock.jdbc.internal.row;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Kind;
import org.rowlock.jdbc.internal.statement.StatementShape.PassedThrough;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** What is known of the text of a statement, and of the key that it names. */
public final class StatementPlan {
    private final String sql;
    private final StatementShape shape;
    private final boolean changesSettings;
    private final boolean locksSession;
    private final TableFigures figures;
    private volatile @Nullable Resolved resolved;
    private volatile @Nullable SessionEffect effect;
    private volatile @Nullable String target;

    /**
     * The columns of the primary key that was found, and the values that the statement has for them, if it has all. The
     * columns are compared as a list: JDK 17 keeps the class of the last record whose generated equals() was called,
     * and with it the class loader of an application that was stopped.
     */
    private record Resolved(List<String> columns, @Nullable List<Value> key) {}

    /** @param figures those of a table */
    public StatementPlan(String sql, Function<String, TableFigures> figures) {
        this.sql = sql;
        this.shape = StatementRecogniser.recognise(sql);
        String lower = sql.toLowerCase(Locale.ROOT);
        this.changesSettings =
                Stream.of("timeout", "set_config", "reset", "discard").anyMatch(lower::contains)
                        // SET ROLE and SET SESSION AUTHORIZATION, wherever they stand, and some harmless ones.
                        || (lower.contains("set") && (lower.contains("role") || lower.contains("authorization")));
        this.locksSession = lower.contains("advisory_lock");
        this.figures = figures.apply(table());
    }

    public StatementShape shape() {
        return shape;
    }

    public String sql() {
        return sql;
    }

    /** The table whose row it locks; none where that is not known. */
    public String table() {
        return shape instanceof Recognised statement ? statement.table() : "";
    }

    public TableFigures figures() {
        return figures;
    }

    /** Whether it may change the timeouts of the session, or its role. */
    public boolean changesSettings() {
        return changesSettings;
    }

    /** Whether it may take an advisory lock that lasts beyond the transaction. */
    public boolean locksSession() {
        return locksSession;
    }

    /** How many parameters it has; -1 where it locks no row that is known, and inserts none. */
    public int parameters() {
        return shape instanceof Recognised statement ? statement.parameters() : ((PassedThrough) shape).parameters();
    }

    /** The table whose row it inserts, updates or deletes, without returning rows; null where it does another thing. */
    public @Nullable String written() {
        if (shape instanceof PassedThrough passed) {
            return passed.parameters() < 0 ? null : passed.table();
        }
        return ((Recognised) shape).kind() == Kind.SELECT || returnsRows() ? null : table();
    }

    /** Whether its result is rows; false where this is not known. */
    public boolean returnsRows() {
        return shape instanceof Recognised statement && statement.returnsRows();
    }

    /** What it may do to its session; looked for where groups are on. */
    public SessionEffect effect() {
        SessionEffect known = effect;
        if (known == null) {
            known = SessionEffect.of(sql);
            effect = known;
        }
        return known;
    }

    /** The table that it changes, where others may send it, as by its text it does the same there; else null. */
    public @Nullable String sharedTarget() {
        String known = target;
        if (known == null) {
            boolean isUpdate = shape instanceof Recognised statement
                    && statement.kind() == Kind.UPDATE
                    && !statement.returnsRows();
            String found = isUpdate ? GroupRule.target(sql) : null;
            known = found == null ? "" : found;
            target = known;
        }
        return known.isEmpty() ? null : known;
    }

    /** The values that the statement has for a primary key, or null. */
    @Nullable
    List<Value> key(Recognised statement, PrimaryKeys.Found found) {
        Resolved known = resolved;
        if (known == null || !known.columns.equals(found.columns())) {
            known = new Resolved(found.columns(), statement.key(found.columns()));
            resolved = known;
        }
        return known.key;
    }
}
