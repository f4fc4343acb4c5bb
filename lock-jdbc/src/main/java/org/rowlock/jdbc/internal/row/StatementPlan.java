package org.rowlock.jdbc.internal.row;

import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;

/** The facts about a statement that follow from its text alone, and the figures of its table. */
public final class StatementPlan {
    private final String sql;
    private final StatementShape shape;
    private final boolean changesSettings;
    private final boolean locksSession;
    private final TableFigures figures;
    private volatile @Nullable SessionEffect effect;
    private volatile @Nullable String target;

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
        this.figures = figures.apply(shape.table());
    }

    public StatementShape shape() {
        return shape;
    }

    public String sql() {
        return sql;
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

    /**
     * Returns the table in which the statement inserts, updates or deletes rows. Returns null for any other statement,
     * for a statement that returns rows, and for a text with a semicolon. To the driver, even a comment after a
     * semicolon is a further statement.
     */
    public @Nullable String written() {
        return sql.indexOf(';') >= 0 || shape.returnsRows() || shape.table().isEmpty() ? null : shape.table();
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
            boolean isUpdate =
                    shape.isRecognised() && shape.mode() == RowLockMode.FOR_NO_KEY_UPDATE && !shape.returnsRows();
            String found = isUpdate ? GroupRule.target(sql) : null;
            known = found == null ? "" : found;
            target = known;
        }
        return known.isEmpty() ? null : known;
    }
}
