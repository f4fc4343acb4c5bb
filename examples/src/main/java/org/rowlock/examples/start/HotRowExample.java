package org.rowlock.examples.start;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.sql.DataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.examples.HotAccount;
import org.rowlock.testing.Threads;

/**
 * Compares FOR UPDATE by hand with the ways of docs/hot-rows.md. Threads pay from a few accounts over a network. Every
 * way has the same result.
 */
final class HotRowExample implements Example {
    private static final int ACCOUNTS = 5;
    private static final int PAYMENTS = 20;
    private static final long OPENING_BALANCE = 1_000_000;

    /** A way to make one payment. */
    @FunctionalInterface
    private interface Way {
        void pay(DataSource dataSource, long id) throws SQLException;
    }

    @Override
    public String title() {
        return threads() + " threads pay from " + ACCOUNTS
                + " accounts, half of the payments from one, with a round trip of "
                + roundTrip().toNanos() / 1e6 + " ms";
    }

    @Override
    public List<String> tables() {
        return List.of(
                "create table account (id bigint primary key, balance bigint not null) with (fillfactor = 50)",
                "create table entry (account bigint not null, amount bigint not null)");
    }

    @Override
    public int threads() {
        return 90;
    }

    @Override
    public Duration roundTrip() {
        return Duration.ofNanos(500_000);
    }

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        HotAccount row = new HotAccount(RowLocks.of(dataSource));
        HotAccount advisory = new HotAccount(
                RowLocks.builder(dataSource).strategy(LockStrategy.ADVISORY).build());
        List<String> lines = new ArrayList<>();
        double byHand = run(dataSource, (from, id) -> row.payByHand(from, id, 1));
        lines.add(String.format(Locale.ROOT, "FOR UPDATE by hand:             %6.0f payments a second", byHand));
        lines.add(line("ROW, writes with COMMIT", byHand, run(dataSource, (from, id) -> row.pay(id, 1))));
        lines.add(line("ADVISORY, writes with COMMIT", byHand, run(dataSource, (from, id) -> advisory.pay(id, 1))));
        lines.add(line("ROW, all in one round trip", byHand, run(dataSource, (from, id) -> row.deposit(id, -1))));
        lines.add("After each run, every balance is right, and every payment has its entry.");
        return lines;
    }

    private static String line(String name, double byHand, double rate) {
        return String.format(Locale.ROOT, "%-30s  %6.0f payments a second, %.1fx", name + ':', rate, rate / byHand);
    }

    /** Returns the number of payments per second. */
    private double run(DataSource dataSource, Way way) throws Exception {
        StartExample.execute(
                dataSource,
                List.of(
                        "truncate account, entry",
                        "insert into account select id, " + OPENING_BALANCE + " from generate_series(1, " + ACCOUNTS
                                + ") as id"));
        // The first run opens the connections and prepares the statements, and is not measured.
        AtomicLongArray paid = new AtomicLongArray(ACCOUNTS + 1);
        pay(dataSource, way, paid);
        long start = System.nanoTime();
        pay(dataSource, way, paid);
        double seconds = (System.nanoTime() - start) / 1e9;
        check(dataSource, paid);
        return threads() * PAYMENTS / seconds;
    }

    /** Makes the payments, and counts them. Each thread pays from the same accounts in every run. */
    private void pay(DataSource dataSource, Way way, AtomicLongArray paid) throws Exception {
        Threads.run(threads(), thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < PAYMENTS; i++) {
                int account = random.nextBoolean() ? 1 : 1 + random.nextInt(ACCOUNTS);
                way.pay(dataSource, account);
                paid.incrementAndGet(account);
            }
        });
    }

    /** Checks that each account was charged the right sum. */
    private static void check(DataSource dataSource, AtomicLongArray paid) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select a.id, a.balance, (select coalesce(sum(e.amount), 0) from"
                        + " entry as e where e.account = a.id) from account as a order by a.id")) {
            while (row.next()) {
                long expected = OPENING_BALANCE - paid.get(row.getInt(1));
                if (row.getLong(2) != expected || OPENING_BALANCE + row.getLong(3) != expected) {
                    throw new IllegalStateException("Account " + row.getLong(1) + " holds " + row.getLong(2) + ", and "
                            + (OPENING_BALANCE + row.getLong(3)) + " according to its entries, instead of "
                            + expected);
                }
            }
        }
    }
}
