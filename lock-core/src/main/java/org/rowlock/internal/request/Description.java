package org.rowlock.internal.request;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * Describes a request in exception messages.
 *
 * @param ids the parts of all ids that the server may reject
 * @param readOnlyBy the reason why every transaction of the session is read-only; null if there is none
 */
public record Description(
        String what,
        LockStrategy strategy,
        boolean isForUpdate,
        int keys,
        List<String> tables,
        List<String> ids,
        @Nullable String readOnlyBy) {
    /** Returns the description of a request. The rows are empty if they have not been looked up. */
    public static Description of(
            RequestParts request, LockStrategy strategy, List<RowGroup> rows, @Nullable String readOnlyBy) {
        List<LockKey> keys = request.keys();
        String first = keys.get(0).toString();
        String what = keys.size() == 1
                ? first
                : keys.size() + " keys (" + first + ", " + keys.get(1) + (keys.size() > 2 ? ", ..." : "") + ")";
        String modes = keys.stream()
                .map(request::modeOf)
                .distinct()
                .sorted()
                .map(each -> each.name().replace('_', ' '))
                .collect(Collectors.joining(" and "));
        return new Description(
                what + ' ' + modes + " (strategy " + strategy + ", wait " + request.lockWait() + ')',
                strategy,
                request.mode() == RowLockMode.FOR_UPDATE,
                keys.size(),
                ResolvedRequest.tablesOf(keys),
                // The server can reject only ids that Rowlock has not checked.
                rows.stream()
                        .filter(group -> group.table().isAny(type -> type == IdType.ENUM || type == IdType.KEYLESS))
                        .flatMap(group -> group.keys().stream().flatMap(key -> RowKey.givenId(key).stream()))
                        .toList(),
                readOnlyBy);
    }

    /** Returns an exception with the SQLSTATE of the cause. */
    public <E extends RowlockException> E cannot(Constructor<E> made, String why, SQLException cause) {
        return cannot(made, why, cause.getSQLState(), cause);
    }

    public <E extends RowlockException> E cannot(
            Constructor<E> made, String why, @Nullable String sqlState, @Nullable SQLException cause) {
        return made.of("Cannot lock " + what + ": " + why, sqlState, cause);
    }

    public interface Constructor<E extends RowlockException> {
        E of(String message, @Nullable String sqlState, @Nullable Throwable cause);
    }
}
