package org.rowlock.jdbc.internal.row;

import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.internal.text.SessionEffect;
import org.rowlock.internal.text.Tokens;
import org.rowlock.internal.text.WaiterSql;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;

/**
 * The facts about a statement that follow from its text alone, and the figures of its table.
 *
 * @param sent the text that Rowlock sends in mode {@code queue}; see {@link WaiterSql#commented}
 * @param changesSettings whether the statement may change the role of the session, or a setting on which Rowlock relies
 * @param locksSession whether the statement may acquire a session-level advisory lock
 * @param callsNothing whether the statement locks or writes rows by a key, and its text contains no call and no cast
 * @param onlyLocks whether such a statement is a SELECT
 * @param sessionEffect how the statement may change the state of its session
 * @param sharedTarget the table that an UPDATE changes; null if the statement is not an UPDATE, if the same text may
 *     have a different effect in another session, or if groups are off
 */
public record StatementPlan(
        String sql,
        String sent,
        StatementShape shape,
        boolean changesSettings,
        boolean locksSession,
        boolean callsNothing,
        boolean onlyLocks,
        SessionEffect sessionEffect,
        @Nullable String sharedTarget,
        TableFigures figures) {
    public static StatementPlan of(String sql, Function<String, TableFigures> figures, boolean groups) {
        StatementShape shape = StatementRecogniser.recognise(sql);
        String lower = sql.toLowerCase(Locale.ROOT);
        boolean isUpdate =
                shape.isRecognised() && shape.mode() == RowLockMode.FOR_NO_KEY_UPDATE && !shape.returnsRows();
        boolean callsNothing = shape.isRecognised() && sql.indexOf('(') < 0 && !sql.contains("::");
        return new StatementPlan(
                sql,
                shape.isRecognised() ? WaiterSql.commented(sql) : sql,
                shape,
                Stream.of("timeout", "client_connection", "set_config", "reset", "discard")
                                .anyMatch(lower::contains)
                        // The test for SET ROLE and SET SESSION AUTHORIZATION accepts the words anywhere in the text,
                        // so some harmless statements match too.
                        || (lower.contains("set") && (lower.contains("role") || lower.contains("authorization"))),
                lower.contains("advisory_lock"),
                callsNothing,
                callsNothing && sql.regionMatches(true, Tokens.start(sql), "select", 0, "select".length()),
                SessionEffect.of(sql),
                // A DEFAULT may call nextval(), and the session that sends the UPDATE may then call lastval().
                groups && isUpdate && Tokens.of(sql).stream().noneMatch(each -> each.isWord("default"))
                        ? GroupRule.target(sql)
                        : null,
                figures.apply(shape.table()));
    }

    /**
     * Returns the table in which the statement inserts, updates or deletes rows. Returns null for any other statement,
     * for a statement that returns rows, and for a text with a semicolon. To the driver, even a comment after a
     * semicolon is a further statement.
     */
    public @Nullable String written() {
        return sql.indexOf(';') >= 0 || shape.returnsRows() || shape.table().isEmpty() ? null : shape.table();
    }
}
