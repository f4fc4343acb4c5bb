package org.rowlock.examples.demo;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;

/**
 * Many clients move money between hot accounts, with each {@link org.rowlock.LockStrategy}, without and with admission,
 * on a real PostgreSQL. Ends with a table, a reading of it, the proof that no money was lost or created, and what one
 * hot row does to a service.
 *
 * <p>System properties: {@code rowlock.url}, {@code rowlock.user}, {@code rowlock.password} for a server of one's own
 * instead of an embedded one; {@code rowlock.demo.seconds} (per configuration) and {@code rowlock.demo.clients}. The
 * exit status is 0 only if everything ran and the money is right.
 */
public final class TransferDemo {
    private static final int OK = 0;
    private static final int FAILED = 1;

    private final PrintStream out;
    private final PrintStream err;

    TransferDemo(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the demo and ends the program.
     *
     * @param arguments none; see the system properties
     */
    public static void main(String[] arguments) {
        System.exit(new TransferDemo(System.out, System.err).run(System::getProperty));
    }

    int run(Function<String, @Nullable String> properties) {
        try {
            return run(DemoSettings.from(properties));
        } catch (DemoException e) {
            return failed(e);
        }
    }

    int run(DemoSettings settings) {
        CleanUp cleanUp = new CleanUp(err);
        try (cleanUp) {
            return measure(settings, cleanUp);
        } catch (DemoException e) {
            return cleanUp.isStopping() ? FAILED : failed(e);
        } catch (SQLException | RowlockException e) {
            return cleanUp.isStopping()
                    ? FAILED
                    : failed(new DemoException("The demo cannot go on: " + DemoErrors.describe(e), e));
        }
    }

    private int measure(DemoSettings settings, CleanUp cleanUp) throws SQLException {
        if (settings.url() == null) {
            out.println("Starting an embedded PostgreSQL ...");
        }
        DemoServer server = cleanUp.open(() -> DemoServer.of(settings));
        Connection observer = cleanUp.open(server::connect);
        announce(settings, server, observer);
        cleanUp.open(() -> DemoSchema.createAt(server));
        // Some servers and poolers take advisory locks and exclude nobody; an application asks once, at its start.
        RowLocks.create().verify(server.dataSource());
        DataSource pool = cleanUp.open(() -> ClientPool.open(server, settings.clients()));
        Crowd crowd = cleanUp.open(() -> new Crowd(settings.clients()));
        DemoComparison comparison = new DemoComparison(pool, observer, crowd, new DemoProgress(out));
        int status = report(comparison.run(settings.perVariant()));
        if (status == OK) {
            DataSource small = cleanUp.open(() -> ClientPool.open(server, OneRow.POOL_SIZE));
            new OneRow(small).run(settings.clients(), perWay(settings), out);
        }
        return status;
    }

    private static Duration perWay(DemoSettings settings) {
        return settings.perVariant().dividedBy(2);
    }

    private void announce(DemoSettings settings, DemoServer server, Connection observer) throws SQLException {
        DemoServerFacts facts = DemoServerFacts.of(observer);
        out.printf(
                Locale.ROOT,
                "PostgreSQL %s at %s (fsync=%s, synchronous_commit=%s)%n",
                facts.version(),
                server.name(),
                facts.fsync(),
                facts.synchronousCommit());
        int connections = settings.clients() + OneRow.POOL_SIZE;
        facts.check(server, connections);
        out.printf(
                Locale.ROOT,
                "Creates the schema %s with a table of %d accounts and a counter, opens %d connections, and"
                        + " drops the schema at the end.%n",
                DemoSchema.NAME,
                DemoAccounts.COUNT,
                connections + 1);
        out.printf(
                Locale.ROOT,
                "%d clients move money between the accounts, some of them hot; this takes about %d s.%n%n",
                settings.clients(),
                DemoComparison.total(settings.perVariant())
                                .plus(OneRow.total(perWay(settings)))
                                .toSeconds()
                        + 2);
    }

    private int report(Map<DemoVariant, DemoMeasurement> measurements) {
        out.println();
        out.print(ResultTable.of(measurements));
        out.println();
        Reading.of(measurements).forEach(out::println);
        out.println();
        MoneyCheck money =
                measurements.values().stream().map(DemoMeasurement::money).reduce(MoneyCheck.EXACT, MoneyCheck::and);
        long transfers = measurements.values().stream()
                .mapToLong(DemoMeasurement::transfers)
                .sum();
        if (!money.isExact()) {
            err.printf(
                    Locale.ROOT,
                    "MONEY CHECK FAILED: %d accounts differ from what the clients were told was committed, %,d too much"
                            + " in all. Either a lock let two in, or somebody else wrote to %s meanwhile.%n",
                    money.accountsOff(),
                    money.created(),
                    DemoAccounts.TABLE);
            return FAILED;
        }
        out.printf(
                Locale.ROOT,
                "Money check: after %,d measured transfers each of the %d accounts holds what its clients recorded, and"
                        + " the sum is the %,d of the start. Nothing lost, nothing created.%n",
                transfers,
                DemoAccounts.COUNT,
                DemoAccounts.COUNT * DemoAccounts.OPENING_BALANCE);
        return OK;
    }

    private int failed(DemoException e) {
        out.flush();
        err.println("Rowlock demo: " + e.getMessage());
        for (Throwable suppressed : e.getSuppressed()) {
            if (suppressed instanceof DemoException told) {
                err.println("Rowlock demo: " + told.getMessage());
            }
        }
        return FAILED;
    }
}
