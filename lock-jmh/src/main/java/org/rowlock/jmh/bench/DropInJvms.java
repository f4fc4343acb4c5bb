package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;

/** The work of {@link DropIn} by several JVMs, each a process with a pool of its own, as the instances of a service are. */
public class DropInJvms extends Workload {
    static final Scenario SCENARIO = new Scenario(
                    "dropin-jvms",
                    "Hot rows over 10 JVMs: unchanged SQL, with and without lock-jdbc",
                    "The clients of dropin are dealt out to 10 processes, each with a pool of its own. None knows of the"
                            + " others: queue lets fewer wait at the server where other JVMs want the row too, front puts the"
                            + " advisory lock in front there.",
                    "",
                    DropInJvms.class,
                    Stream.of(90, 300).map(Point::clients).toList(),
                    DropIn.through(DropIn.PLAIN, "queue", "front"),
                    DropIn.METRICS)
            // Ten JVMs compile at once, maybe on few processors.
            .timed(new Timing(4, 20_000, 1, 4_000, false));

    @Param("90")
    public int clients;

    /** How many processes; no more than clients. */
    @Param("10")
    public int jvms;

    /** plain, or a mode of lock-jdbc. */
    @Param(DropIn.PLAIN)
    public String wrapper = DropIn.PLAIN;

    /** How many rows there are; 1 for one hot row. */
    @Param("100")
    public int rows;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    private final List<DropInProcess> processes = new ArrayList<>();

    @Override
    void prepare() throws SQLException {
        atEnd(() -> processes.forEach(DropInProcess::stop));
        atEnd(Accounts.create(server, rows)::check);
        PGSimpleDataSource target = server.dataSource();
        int count = Math.min(jvms, clients);
        try {
            for (int i = 0; i < count; i++) {
                processes.add(server.closeWith(
                        DropInProcess.start(target, wrapper, (clients - i + count - 1) / count, rows, zipf)));
            }
            processes.forEach(DropInProcess::awaitReady);
            for (DropInProcess process : processes) {
                process.begin();
            }
        } catch (IOException e) {
            throw new IllegalStateException("The clients' processes did not start", e);
        }
        threads.add("jvm", count, number -> {
            DropInProcess process = processes.get(number);
            Latency transaction = meter.latency("transaction");
            return () -> process.next(transaction);
        });
    }
}
