package org.rowlock.internal.commit;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Kept;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.text.Insert;

/** The forms of an application's writes, which are few, and refusal of those that cannot go with a COMMIT. */
public final class WriteForms {
    private static final Kept<String, WriteForm> KEPT = new Kept<>();

    private WriteForms() {}

    /**
     * @throws IllegalArgumentException if it is not one statement, ends the transaction, is no write, or its values do
     *     not fit
     */
    static WriteForm of(PgSession session, Write write) throws SQLException {
        WriteForm form = of(session, write.sql());
        String refusal = refusal(write, form);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal + ". Nothing is stored: " + write.sql());
        }
        return form;
    }

    private static WriteForm of(PgSession session, String sql) throws SQLException {
        WriteForm form = KEPT.get(sql);
        return form == null ? KEPT.keep(sql, session.formOf(sql)) : form;
    }

    /**
     * Refuses what cannot make a row that is to be locked.
     *
     * @throws IllegalArgumentException if it is not one INSERT, or its values do not fit
     */
    public static void check(PgSession session, Insert insert) throws SQLException {
        WriteForm form = of(session, insert.sql());
        if (form.statements() != 1 || !form.keyword().equals("insert") || form.returning()) {
            throw new IllegalArgumentException("The SQL given to orInsert() must be one INSERT, without RETURNING."
                    + " Nothing is locked: " + insert.sql());
        }
        if (insert.binds().size() != form.parameters()) {
            throw new IllegalArgumentException("The INSERT given to orInsert() has " + form.parameters()
                    + " parameter(s), and " + insert.binds().size() + " value(s) are given. Nothing is locked: "
                    + insert.sql());
        }
    }

    /** Why it cannot go with a COMMIT, or null. */
    private static @Nullable String refusal(Write write, WriteForm form) {
        if (form.statements() != 1) {
            return "The SQL of a write is " + form.statements() + " statements, and must be one; add each by itself";
        }
        if (form.isTransactionControl()) {
            return "A write cannot begin or end a transaction, or a part of one: the COMMIT behind it has to be the"
                    + " transaction's own. Leave it out";
        }
        for (List<@Nullable Object> binds : write.executions()) {
            if (binds.size() != form.parameters()) {
                return "The SQL of a write has " + form.parameters() + " parameter(s), and " + binds.size()
                        + " value(s) are given. Give one per parameter; in addBatch a list of them for each execution";
            }
        }
        return switch (form.keyword()) {
            case "copy" ->
                "COPY cannot be a write, as its data goes past the statement: run it in the work with the driver's"
                        + " CopyManager";
            case "explain" ->
                "EXPLAIN cannot be a write, as it returns a plan and no counts: run it in the work, or by itself";
            default -> null;
        };
    }
}
