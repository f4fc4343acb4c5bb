package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.RowTable;

/** The texts of claims, kept by what they depend on, since an application has few different ones. Thread-safe. */
public final class ClaimTexts {
    /** Beyond this many the predicate is not a constant, and keeping it would be a leak. */
    private static final int MOST_KEPT = 1_000;

    private final ConcurrentMap<Form, String> kept = new ConcurrentHashMap<>();

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
        if (text == null) {
            text = sql.text(page, anyTaken);
            if (kept.size() < MOST_KEPT) {
                kept.put(form, text);
            }
        }
        return text;
    }
}
