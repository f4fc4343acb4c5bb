package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.ServerQuery.Row;

/**
 * What a statement that locks rows, by a clause or as UPDATE or DELETE do, has done while the doctor looked, by
 * pg_stat_statements.
 *
 * @param sql normalized
 * @param table the first that it reads; null if its text does not show it
 * @param mode of its first locking clause
 * @param calls that ended
 * @param sessions in it at a time, waiting included
 * @param millis a call
 * @param rows all together
 * @param walBytes all together
 * @param walShare of the WAL of the server
 * @param blocks read, from shared_buffers or not
 */
record LockingStatement(
        String sql,
        @Nullable String table,
        RowLockMode mode,
        long calls,
        double sessions,
        double millis,
        long rows,
        double walBytes,
        double walShare,
        long blocks) {

    /**
     * The difference of two readings, most time first; without checks of foreign keys, which nobody can write
     * otherwise.
     */
    static List<LockingStatement> between(List<Row> before, List<Row> after, double seconds, long walBytes) {
        Map<String, Row> first = new HashMap<>();
        before.forEach(row -> first.put(row.string("queryid") + row.string("query"), row));
        List<LockingStatement> statements = new ArrayList<>();
        for (Row now : after) {
            String sql = now.string("query");
            Row then = first.get(now.string("queryid") + now.string("query"));
            // After a reset all of it is new.
            Row base = then == null || then.count("calls") > now.count("calls") ? new Row(Map.of()) : then;
            long calls = now.count("calls") - base.count("calls");
            RowLockMode mode = StatementKind.mode(sql).orElse(null);
            if (calls > 0 && mode != null && !StatementKind.isForeignKeyCheck(sql)) {
                double millis = now.number("ms") - base.number("ms");
                double wal = now.number("wal_bytes") - base.number("wal_bytes");
                statements.add(new LockingStatement(
                        sql,
                        StatementKind.table(sql),
                        mode,
                        calls,
                        millis / 1e3 / seconds,
                        millis / calls,
                        now.count("rows") - base.count("rows"),
                        wal,
                        walBytes <= 0 ? 0 : Math.min(1, wal / walBytes),
                        now.count("blocks") - base.count("blocks")));
            }
        }
        statements.sort(Comparator.comparingDouble(LockingStatement::sessions).reversed());
        return List.copyOf(statements);
    }

    String subject() {
        return table == null ? "statement" : table;
    }

    double walPerCall() {
        return walBytes / calls;
    }

    double blocksPerRow() {
        return (double) blocks / Math.max(1, rows);
    }

    boolean skipsLocked() {
        return sql.toLowerCase(Locale.ROOT).contains("skip locked");
    }

    /** Whether it locks rows of a table, whose name may have a schema here and none there. */
    boolean locks(String name) {
        return table != null && (name.equals(table) || name.endsWith('.' + table) || table.endsWith('.' + name));
    }
}
