package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowlockException;
import org.rowlock.internal.text.Exceptions;

/**
 * What was asked, for messages.
 *
 * @param keys how many distinct keys
 * @param id the parts of the first id, if only the server knows whether its column takes it
 */
public record Asked(
        String what, int keys, @Nullable String table, List<String> id, boolean hotStandby, KeyNames names) {
    public static Asked of(
            LockRequest request,
            LockWait wait,
            LockStrategy strategy,
            KeyNames names,
            List<String> id,
            boolean hotStandby) {
        List<LockKey> keys = request.keys();
        String first = names.of(keys.get(0));
        String what = keys.size() == 1
                ? first
                : keys.size() + " keys (" + first + ", " + names.of(keys.get(1)) + (keys.size() > 2 ? ", ..." : "")
                        + ")";
        String modes = keys.stream()
                .map(request::modeOf)
                .distinct()
                .sorted()
                .map(each -> each.name().replace('_', ' '))
                .collect(Collectors.joining(" and "));
        return new Asked(
                what + ' ' + modes + " (strategy " + strategy + ", wait " + wait + ')',
                keys.size(),
                keys.get(0).tableOrNull(),
                id,
                hotStandby,
                names);
    }

    /** The exception that says why this cannot be locked, with the SQLSTATE of its cause. */
    public <E extends RowlockException> E cannot(Class<E> type, String why, SQLException cause) {
        return cannot(type, why, cause.getSQLState(), cause);
    }

    public <E extends RowlockException> E cannot(
            Class<E> type, String why, @Nullable String sqlState, @Nullable SQLException cause) {
        return Exceptions.of(type, "Cannot lock " + what + ": " + why, sqlState, cause);
    }
}
