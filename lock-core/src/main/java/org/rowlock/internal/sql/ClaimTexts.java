package org.rowlock.internal.sql;

import org.rowlock.RowLockMode;
import org.rowlock.internal.request.RowTable;

/** The texts of claims, kept by what they depend on, since an application has few different ones. Thread-safe. */
public final class ClaimTexts {
    private final Kept<Form, String> kept = new Kept<>();

    /** All that the text of a claim depends on, see {@link ClaimSql}. */
    record Form(
            RowTable table,
            String predicate,
            String order,
            RowLockMode mode,
            boolean rowLock,
            int page,
            boolean anyTaken) {}

    /** What is sent for a look at the queue. */
    public String of(ClaimSql sql, int page, boolean anyTaken) {
        Form form = sql.form(page, anyTaken);
        String text = kept.get(form);
        return text == null ? kept.keep(form, sql.text(page, anyTaken)) : text;
    }
}
