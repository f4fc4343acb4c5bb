package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.jmh.bench.ManyKeys;
import org.rowlock.jmh.testing.JmhRuns;
import org.rowlock.testing.ClientProgram;
import org.rowlock.testing.TestDatabase;

/**
 * Compares the benchmarks with pgbench, an independent program that runs the same SQL on the same server. Both must
 * write about the same amount of WAL.
 */
@Tag("long")
class PgbenchTest {
    private static final Pattern PROCESSED = Pattern.compile("number of transactions actually processed: (\\d+)");

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table accounts (aid int primary key, balance bigint not null) with (fillfactor = 50)",
            "insert into accounts select i, 0 from generate_series(1, 1000) i",
            "vacuum analyze accounts");

    @TempDir
    private Path directory;

    /** Returns the WAL bytes that pgbench causes per transaction. */
    private double pgbench(String sql, int clients) throws Exception {
        Path script = Files.writeString(directory.resolve("script.sql"), sql);
        String[] arguments = {
            "-n", "-M", "prepared", "-T", "1", "-c", Integer.toString(clients), "-f", script.toString()
        };
        double least = Double.MAX_VALUE;
        // Other processes of the server write WAL too, for example autovacuum. They only add to the smallest amount.
        for (int i = 0; i < 3; i++) {
            long before = wal();
            String said = ClientProgram.run(database.dataSource(), "pgbench", arguments);
            least = Math.min(least, (wal() - before) / number(said));
        }
        return least;
    }

    private static double number(String said) {
        Matcher matcher = PROCESSED.matcher(said);
        assertThat(matcher.find()).as(said).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    private long wal() throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static double ours(Class<?> benchmark, String... params) throws Exception {
        List<String> all = new ArrayList<>(List.of(params));
        // One long window, because between two windows JMH takes longer than a short window.
        all.addAll(List.of("-r", "6"));
        return JmhRuns.figures(JmhRuns.run(benchmark, all.toArray(String[]::new)))
                .get("wal");
    }

    /**
     * Requires only that the amounts differ by a factor of at most 3. After a checkpoint PostgreSQL writes whole pages,
     * which are larger than the WAL of a lock.
     */
    private static void agree(double ours, double theirs) {
        assertThat(ours).isBetween(theirs / 3, theirs * 3);
    }

    @Test
    void aRowLockAndAReadWriteTheSameWalAndAnAdvisoryLockNone() throws Exception {
        double row = pgbench(
                "\\set aid random(1, 1000)\nbegin;select balance from accounts where aid = :aid for update;commit;", 1);
        double advisory = pgbench(
                "\\set aid random(1, 1000)\nbegin;select pg_advisory_xact_lock(4711, :aid);"
                        + "select balance from accounts where aid = :aid;commit;",
                1);
        agree(reading("FOR_UPDATE"), row);
        assertThat(advisory).isLessThan(row / 5);
        assertThat(reading("NAIVE")).isLessThan(row / 5);
    }

    private static double reading(String strategy) throws Exception {
        return ours(ManyKeys.class, "strategy", strategy, "clients", "1", "keys", "1");
    }

    @Test
    void aThousandSharedRowLocksWriteTheSameWal() throws Exception {
        double row =
                pgbench("begin;select 1 from accounts where aid between 1 and 1000 order by aid for share;commit;", 2);
        agree(shared("FOR_UPDATE"), row);
        assertThat(row).isGreaterThan(20_000);
        assertThat(shared("NAIVE")).isLessThan(row / 20);
    }

    private static double shared(String strategy) throws Exception {
        return ours(ManyKeys.class, "strategy", strategy, "clients", "2", "keys", "1000", "shared", "true");
    }

    @Test
    void aHundredRowLocksWriteTheSameWalAndAdvisoryLocksNone() throws Exception {
        double row =
                pgbench("begin;select 1 from accounts where aid between 1 and 100 order by aid for update;commit;", 1);
        double ours = ours(ManyKeys.class, "strategy", "FOR_UPDATE", "clients", "1", "keys", "100");
        agree(ours, row);
        assertThat(ours(ManyKeys.class, "strategy", "NAIVE", "clients", "1", "keys", "100"))
                .isLessThan(row / 20);
    }
}
