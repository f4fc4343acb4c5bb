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

/** The facts about a statement that follow from its text and from the primary key of its table. */
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
     * The columns of a primary key, and the statement's values for them; null if the statement lacks one of these
     * values. Rowlock never calls equals() of this record. After such a call, JDK 17 would keep a reference to this
     * class, and therefore to the class loader of a stopped application.
     */
    private record Resolved(List<String> columns, @Nullable List<Value> key) {}

    public StatementPlan(String sql, Function<String, TableFigures> figures) {
        this.sql = sql;
        this.shape = StatementRecogniser.recognise(sql);
        String lower = sql.toLowerCase(Locale.ROOT);
        this.changesSettings =
                Stream.of("timeout", "set_config", "reset", "discard").anyMatch(lower::contains)
                        // The test for SET ROLE and SET SESSION AUTHORIZATION accepts the words anywhere in the text,
                        // so some harmless statements match too.
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

    /** Returns the table whose rows the statement locks; an empty string if this is not known. */
    public String table() {
        return shape instanceof Recognised statement ? statement.table() : "";
    }

    public TableFigures figures() {
        return figures;
    }

    /** Whether the statement may change the timeouts or the role of the session. */
    public boolean changesSettings() {
        return changesSettings;
    }

    /** Whether the statement may acquire an advisory lock that outlasts the transaction. */
    public boolean locksSession() {
        return locksSession;
    }

    /** Returns the number of parameters; -1 if the number is unknown. */
    public int parameters() {
        return shape instanceof Recognised statement ? statement.parameters() : ((PassedThrough) shape).parameters();
    }

    /**
     * Returns the table in which the statement inserts, updates or deletes rows. Returns null for any other statement,
     * for a statement that returns rows, and for a text with a semicolon. To the driver, even a comment after a
     * semicolon is a further statement.
     */
    public @Nullable String written() {
        if (sql.indexOf(';') >= 0) {
            return null;
        }
        if (shape instanceof PassedThrough passed) {
            return passed.parameters() < 0 ? null : passed.table();
        }
        return ((Recognised) shape).kind() == Kind.SELECT || returnsRows() ? null : table();
    }

    /** Whether the statement returns rows; false if this is not known. */
    public boolean returnsRows() {
        return shape instanceof Recognised statement && statement.returnsRows();
    }

    /**
     * Returns how the statement may change the state of its session. The first call computes the result, because only
     * groups need this result.
     */
    public SessionEffect effect() {
        SessionEffect known = effect;
        if (known == null) {
            known = SessionEffect.of(sql);
            effect = known;
        }
        return known;
    }

    /**
     * Returns the table that an UPDATE changes. Returns null if the statement is not an UPDATE, or if the same text may
     * have a different effect in another session.
     */
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

    /** Returns the values of the statement for a primary key; null if the statement lacks one of these values. */
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
