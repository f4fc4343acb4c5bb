package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What pg_stat_statements knows of statements with a locking clause, in our database.
 *
 * @param since when it began to count; null if it does not tell
 * @param totalMillis of all statements
 * @param hidden how many statements belong to other roles and may not be read
 * @param statements those that lock rows, most time first
 */
record LockingStatements(@Nullable Instant since, double totalMillis, long hidden, List<LockingStatement> statements) {
    private static final int MOST = 100;

    /** The extension may be in any schema. Version 1.8 (PostgreSQL 13) named its columns as they are now. */
    private static final String INSTALLED = """
            select quote_ident(n.nspname) as schema, e.extversion as version,
                   exists (select from pg_catalog.pg_class as c
                     join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attname = 'wal_bytes'
                     where c.relnamespace = n.oid and c.relname = 'pg_stat_statements') as is_current,
                   exists (select from pg_catalog.pg_class as c
                     where c.relnamespace = n.oid and c.relname = 'pg_stat_statements_info') as has_info
            from pg_catalog.pg_extension as e join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
            where e.extname = 'pg_stat_statements'
            """;

    private static final String SELECT = """
            with all_statements as materialized (
              select * from {schema}.pg_stat_statements
              where dbid = (select oid from pg_catalog.pg_database where datname = current_database())),
            total as (select coalesce(sum(total_exec_time), 0) as millis,
                count(*) filter (where query = '<insufficient privilege>') as hidden from all_statements),
            locking as (select query, sum(calls)::int8 as calls, sum(total_exec_time) as millis, min(min_exec_time) as least,
                sum(rows)::int8 as rows, sum(wal_bytes)::float8 as wal
              from all_statements
              where query ~* '\\mfor\\s+(no\\s+key\\s+update|update|key\\s+share|share)\\M' and calls > 0
              group by query order by 3 desc limit ?)
            select t.millis as total_millis, t.hidden, l.* from total as t left join locking as l on true
            order by l.millis desc
            """;

    /**
     * A statement.
     *
     * @param sql normalized
     * @param calls how often it ran
     * @param callsMeanwhile how many of those while the doctor looked
     * @param millis how long in all, waiting included
     * @param leastMillis its shortest run, which did not have to wait
     * @param rows returned in all
     * @param walBytes written in all
     */
    record LockingStatement(
            String sql,
            long calls,
            long callsMeanwhile,
            double millis,
            double leastMillis,
            long rows,
            double walBytes) {
        double meanMillis() {
            return millis / calls;
        }

        boolean isForeignKeyCheck() {
            return StatementKind.isForeignKeyCheck(sql);
        }

        /** Whether it never waits: the clause passes rows that are locked, or fails at them. */
        boolean skipsLocked() {
            return sql.toLowerCase(java.util.Locale.ROOT).contains("skip locked");
        }

        boolean isShared() {
            return StatementKind.clause(sql).map(mode -> mode.isShared()).orElse(false);
        }
    }

    /**
     * Where the extension is.
     *
     * @param schema quoted
     * @param isCurrent whether its columns are those we know
     * @param hasInfo whether it tells since when it counts
     */
    record Installation(String schema, String version, boolean isCurrent, boolean hasInfo) {
        static Optional<Installation> find(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(INSTALLED)) {
                return row.next()
                        ? Optional.of(new Installation(
                                row.getString("schema"),
                                row.getString("version"),
                                row.getBoolean("is_current"),
                                row.getBoolean("has_info")))
                        : Optional.empty();
            }
        }
    }

    static LockingStatements read(Connection connection, Installation installation) throws SQLException {
        double total = 0;
        long hidden = 0;
        List<LockingStatement> statements = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement(SELECT.replace("{schema}", installation.schema()))) {
            select.setInt(1, MOST);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    total = row.getDouble("total_millis");
                    hidden = row.getLong("hidden");
                    String query = row.getString("query");
                    if (query != null
                            && StatementKind.clause(SqlText.normalize(query)).isPresent()) {
                        statements.add(new LockingStatement(
                                SqlText.normalize(query),
                                row.getLong("calls"),
                                0,
                                row.getDouble("millis"),
                                row.getDouble("least"),
                                row.getLong("rows"),
                                row.getDouble("wal")));
                    }
                }
            }
        }
        return new LockingStatements(since(connection, installation), total, hidden, List.copyOf(statements));
    }

    /** The same with what ran since an earlier reading. */
    LockingStatements after(LockingStatements before) {
        Map<String, Long> calls = new HashMap<>();
        before.statements.forEach(statement -> calls.merge(statement.sql, statement.calls, Long::sum));
        return new LockingStatements(
                since,
                totalMillis,
                hidden,
                statements.stream()
                        .map(statement -> new LockingStatement(
                                statement.sql,
                                statement.calls,
                                Math.max(0, statement.calls - calls.getOrDefault(statement.sql, 0L)),
                                statement.millis,
                                statement.leastMillis,
                                statement.rows,
                                statement.walBytes))
                        .toList());
    }

    private static @Nullable Instant since(Connection connection, Installation installation) throws SQLException {
        if (!installation.hasInfo()) {
            return null;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select (extract(epoch from stats_reset) * 1000)::int8 from "
                        + installation.schema() + ".pg_stat_statements_info")) {
            return row.next() ? Instant.ofEpochMilli(row.getLong(1)) : null;
        }
    }
}
