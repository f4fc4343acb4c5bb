package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.Jdbc;

/** The work of {@link Zipfian} while autovacuum processes the hot rows as often as the server permits. */
public class Autovacuum extends Zipfian {
    private final LongAccumulator longestGapNanos = new LongAccumulator(Math::max, 0);
    private final AtomicLong latest = new AtomicLong();
    private Connection monitor;

    @Override
    Map<String, String> settings() {
        return Map.of("autovacuum_naptime", "1s");
    }

    /** The settings that the owner of a table may choose. How often autovacuum runs is a setting of the server. */
    @Override
    String storage() {
        return "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_cost_delay = 0,"
                + " autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50";
    }

    @Override
    void prepare() throws SQLException {
        super.prepare();
        monitor = server.closeWith(server.connect());
    }

    @Override
    void committed() {
        long now = System.nanoTime();
        longestGapNanos.accumulate(now - latest.getAndSet(now));
    }

    @Override
    void begins(boolean measured) {
        latest.set(System.nanoTime());
        longestGapNanos.reset();
    }

    @Override
    void ends(boolean measured, Published results) throws SQLException {
        long last = Math.max(longestGapNanos.get(), System.nanoTime() - latest.get());
        results.put("autovacuum.stall", last / (double) TimeUnit.MILLISECONDS.toNanos(1), "ms");
        long[] seen = Jdbc.numbers(
                monitor,
                "select autovacuum_count, n_dead_tup from pg_stat_user_tables where relid = 'accounts'::regclass");
        results.put("autovacuum.runs", (double) seen[0], "");
        results.put("autovacuum.deadTuples", (double) seen[1], "");
    }
}
