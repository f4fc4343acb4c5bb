package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLocks;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Compares each forecast with the rate of the same load after the change. The load is one hot row, which clients lock,
 * update and commit. The test prints all rates. The test runs only if {@code -Drowlock.test.forecasts=true} is given, on
 * a quiet machine.
 */
@Tag("long")
@EnabledIfSystemProperty(named = "rowlock.test.forecasts", matches = "true")
@SuppressWarnings("try") // A load is there to run.
class ForecastMeasuredTest {
    private static final String READ = "select balance from account where id = 7";
    private static final String UPDATE = "update account set balance = balance + 1 where id = 7";
    private static final Duration SAMPLING = Duration.ofSeconds(20);
    private static final double CLOSE = 1.5;
    private static final double NEAR = 2;
    private static final int LEAST_CLOSE = 14;
    private static final int LEAST_NEAR = 17;

    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of("fsync", "on", "full_page_writes", "on"));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(SERVER, 100, "alter table account set (fillfactor = 10)");

    private enum Lever {
        TWO_ROUND_TRIPS("with 2 round trips"),
        ONE_ROUND_TRIP("with all in one round trip"),
        EARLY_RELEASE("with early release"),
        QUEUE("with a queue"),
        GROUPS("with groups in one JVM");

        private final String name;

        Lever(String name) {
            this.name = name;
        }
    }

    /**
     * A load and a change.
     *
     * @param roundTrips the number of round trips of a transaction, of which the first locks and the last commits
     * @param rttMillis how long a round trip takes, for which an idle transaction holds the row
     * @param commitMillis how long a commit waits before it writes to the disk
     */
    private record Case(int clients, int roundTrips, int rttMillis, int commitMillis, Lever lever) {}

    private static final List<Case> CASES = List.of(
            // The constants of the forecast were not chosen by these ten loads.
            new Case(12, 4, 4, 0, Lever.TWO_ROUND_TRIPS),
            new Case(45, 3, 4, 0, Lever.ONE_ROUND_TRIP),
            new Case(20, 6, 1, 0, Lever.TWO_ROUND_TRIPS),
            new Case(60, 4, 5, 0, Lever.ONE_ROUND_TRIP),
            new Case(20, 3, 5, 0, Lever.GROUPS),
            new Case(45, 4, 3, 0, Lever.QUEUE),
            new Case(12, 4, 3, 5, Lever.GROUPS),
            new Case(20, 4, 0, 5, Lever.EARLY_RELEASE),
            new Case(45, 3, 1, 20, Lever.EARLY_RELEASE),
            new Case(60, 2, 0, 20, Lever.GROUPS),
            // The constants were chosen by these ten loads.
            new Case(8, 5, 2, 0, Lever.TWO_ROUND_TRIPS),
            new Case(30, 5, 2, 0, Lever.ONE_ROUND_TRIP),
            new Case(90, 3, 10, 0, Lever.TWO_ROUND_TRIPS),
            new Case(8, 3, 10, 0, Lever.ONE_ROUND_TRIP),
            new Case(30, 2, 10, 0, Lever.GROUPS),
            new Case(90, 5, 2, 0, Lever.QUEUE),
            new Case(8, 5, 10, 0, Lever.GROUPS),
            new Case(30, 3, 0, 10, Lever.EARLY_RELEASE),
            new Case(90, 3, 2, 10, Lever.EARLY_RELEASE),
            new Case(30, 2, 0, 10, Lever.GROUPS));

    /**
     * The rates of a case, in transactions per second.
     *
     * @param foretoldNow the doctor's estimate of the rate before the change
     * @param foretold the doctor's estimate of the rate after the change; the rate before if the change gains nothing
     */
    private record Rates(Case at, double now, double foretoldNow, double then, double foretold) {
        double off() {
            return Math.max(foretold / then, then / foretold);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%2d clients, %d round trips of %2d ms, commit %2d ms: now %5.0f/s, foretold %5.0f/s; %-26s %5.0f/s,"
                            + " foretold %5.0f/s: %.2f",
                    at.clients,
                    at.roundTrips,
                    at.rttMillis,
                    at.commitMillis,
                    now,
                    foretoldNow,
                    at.lever.name,
                    then,
                    foretold,
                    foretold / then);
        }
    }

    @Test
    void mostForecastsAreClose() throws Exception {
        StringBuilder table = new StringBuilder();
        int closeNow = 0;
        int close = 0;
        int near = 0;
        for (Case each : CASES) {
            Rates rates = measure(each);
            table.append(rates).append(System.lineSeparator());
            closeNow += Math.max(rates.foretoldNow / rates.now, rates.now / rates.foretoldNow) <= CLOSE ? 1 : 0;
            close += rates.off() <= CLOSE ? 1 : 0;
            near += rates.off() <= NEAR ? 1 : 0;
        }
        table.append(String.format("Within %.1f: %d, within %.1f: %d%n", CLOSE, close, NEAR, near));
        System.out.println(table);
        assertThat(Math.min(closeNow, close)).as(table.toString()).isGreaterThanOrEqualTo(LEAST_CLOSE);
        assertThat(near).as(table.toString()).isGreaterThanOrEqualTo(LEAST_NEAR);
    }

    private Rates measure(Case at) throws Exception {
        try (TcpProxy network = TcpProxy.to(SERVER.dataSource())) {
            Duration half = Duration.ofNanos(at.rttMillis * 500_000L);
            network.delay(half, half);
            PGSimpleDataSource direct =
                    at.rttMillis == 0 ? database.dataSource() : network.through(database.dataSource());
            direct.setOptions("-c synchronous_commit=on -c commit_siblings=0 -c commit_delay="
                    + Math.min(100_000, at.commitMillis * 1_000));
            Diagnosis diagnosis;
            double now;
            String[] work = apart(at.roundTrips);
            try (Load load = Load.start(direct, at.clients, (client, connection) -> transact(connection, work))) {
                rate(load, at.clients);
                diagnosis = Doctor.examine(
                        Clinic.address(SERVER), samples -> samples.elapsed().compareTo(SAMPLING) > 0);
                now = rate(load, at.clients);
            }
            double then = then(at, direct);
            Forecast forecast = diagnosis.forecast();
            return forecast == null
                    ? new Rates(at, now, Double.NaN, then, Double.NaN)
                    : new Rates(
                            at,
                            now,
                            forecast.perSecond(),
                            then,
                            forecast.levers().getOrDefault(at.lever.name, forecast.perSecond()));
        }
    }

    private double then(Case at, PGSimpleDataSource direct) throws Exception {
        String[] work = apart(at.roundTrips);
        String together = String.join("; ", List.of(work).subList(1, work.length));
        switch (at.lever) {
            case TWO_ROUND_TRIPS -> {
                return rate(direct, at.clients, work[0], together);
            }
            case ONE_ROUND_TRIP -> {
                return rate(direct, at.clients, work[0] + "; " + together);
            }
            case EARLY_RELEASE -> {
                // The locks of such a commit do not wait for the disk. An early release adds a wait without a lock.
                direct.setOptions("-c synchronous_commit=off");
                return rate(direct, at.clients, work);
            }
            default -> {
                return throughRowlock(at, direct);
            }
        }
    }

    private double throughRowlock(Case at, PGSimpleDataSource direct) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(direct);
        config.setAutoCommit(false);
        config.setMaximumPoolSize(at.clients);
        LockRequest lock = forUpdate(LockKey.row("account", 7));
        try (HikariDataSource pool = new HikariDataSource(config)) {
            RowLocks locks = RowLocks.builder(pool)
                    .largestGroup(at.lever == Lever.GROUPS ? 64 : 1)
                    .build();
            Load.Round round = at.lever == Lever.GROUPS
                    ? (client, unused) -> {
                        CommitWrites writes = new CommitWrites();
                        for (int i = 0; i < updates(at.roundTrips); i++) {
                            writes.add(UPDATE);
                        }
                        locks.lock(lock).execute(writes);
                    }
                    : (client, unused) -> locks.lock(lock).useTransaction(locked -> {
                        for (int i = 0; i < updates(at.roundTrips); i++) {
                            TestDatabase.execute(locked.connection(), UPDATE);
                        }
                    });
            // The clients have a connection each, and use the pool.
            try (Load load = Load.start(database.dataSource(), at.clients, round)) {
                rate(load, at.clients);
                return rate(load, at.clients);
            }
        }
    }

    private static int updates(int roundTrips) {
        return Math.max(1, roundTrips - 2);
    }

    /** Returns the statements that lock the row, update it and commit. A transaction of 2 round trips updates too. */
    private static String[] apart(int roundTrips) {
        String lock = READ + " for update";
        return roundTrips == 2
                ? new String[] {lock + "; " + UPDATE, "commit"}
                : Stream.concat(
                                Stream.of(lock),
                                Stream.concat(
                                        Stream.generate(() -> UPDATE).limit(updates(roundTrips)), Stream.of("commit")))
                        .toArray(String[]::new);
    }

    private static void transact(Connection connection, String... work) throws SQLException {
        connection.setAutoCommit(false);
        TestDatabase.execute(connection, work);
    }

    private static double rate(PGSimpleDataSource dataSource, int clients, String... work) throws Exception {
        try (Load load = Load.start(dataSource, clients, (client, connection) -> transact(connection, work))) {
            rate(load, clients);
            return rate(load, clients);
        }
    }

    /** Waits for some rounds of each client, and returns the rate of rounds per second. */
    private static double rate(Load load, int clients) {
        long before = load.rounds();
        long began = System.nanoTime();
        long end = began + Duration.ofSeconds(3).toNanos();
        TestDatabase.await("rounds of the load")
                .until(() -> load.rounds() - before >= 2L * clients && System.nanoTime() > end);
        return (load.rounds() - before) / ((System.nanoTime() - began) / 1e9);
    }
}
