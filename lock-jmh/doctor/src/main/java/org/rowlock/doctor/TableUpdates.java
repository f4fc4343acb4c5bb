package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How much a table is updated, its partitions together.
 *
 * @param updates so far, or in a while
 * @param hotUpdates those that had room on the row's own page and touched no index
 * @param live rows, estimated
 * @param dead rows, estimated
 * @param sinceVacuum since vacuum last ended there; null if never
 */
record TableUpdates(
        String table,
        long updates,
        long hotUpdates,
        long live,
        long dead,
        @Nullable Duration sinceVacuum) {
    private static final int MOST = 1_000;

    private static final String SELECT = """
            select root::regclass::text as table_name, updates, hot_updates, live, dead,
                   (extract(epoch from clock_timestamp() - vacuumed))::int8 as seconds
            from (select coalesce(pg_partition_root(relid), relid) as root, sum(n_tup_upd)::int8 as updates,
                    sum(n_tup_hot_upd)::int8 as hot_updates, sum(n_live_tup)::int8 as live, sum(n_dead_tup)::int8 as dead,
                    max(greatest(last_vacuum, last_autovacuum)) as vacuumed
                  from pg_catalog.pg_stat_user_tables where n_tup_upd > 0
                  group by 1 order by 2 desc limit
            """ + MOST + ") as t";

    /** By name. */
    static Map<String, TableUpdates> read(Connection connection) throws SQLException {
        Map<String, TableUpdates> tables = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            while (row.next()) {
                long seconds = row.getLong("seconds");
                Duration sinceVacuum = row.wasNull() ? null : Duration.ofSeconds(Math.max(0, seconds));
                String table = row.getString("table_name");
                tables.put(
                        table,
                        new TableUpdates(
                                table,
                                row.getLong("updates"),
                                row.getLong("hot_updates"),
                                row.getLong("live"),
                                row.getLong("dead"),
                                sinceVacuum));
            }
        }
        return tables;
    }

    /** What was updated in between, most first; live and dead rows as they are afterwards. */
    static List<TableUpdates> growth(Map<String, TableUpdates> before, Map<String, TableUpdates> after) {
        List<TableUpdates> grown = new ArrayList<>();
        after.forEach((table, now) -> {
            TableUpdates then = before.getOrDefault(table, new TableUpdates(table, 0, 0, 0, 0, null));
            long updates = now.updates - then.updates;
            if (updates > 0) {
                grown.add(new TableUpdates(
                        table, updates, now.hotUpdates - then.hotUpdates, now.live, now.dead, now.sinceVacuum));
            }
        });
        grown.sort((one, other) -> Long.compare(other.updates, one.updates));
        return List.copyOf(grown);
    }

    double hotShare() {
        return updates == 0 ? 0 : (double) hotUpdates / updates;
    }

    /** Dead rows per live one. */
    double deadPerLive() {
        return (double) dead / Math.max(1, live);
    }
}
