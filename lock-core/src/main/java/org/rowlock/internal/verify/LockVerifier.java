package org.rowlock.internal.verify;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowlockException;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.value.LockWait;

/**
 * Checks that locks exclude each other, through the pool, the pooler and the server of a DataSource. The verification
 * locks keys of a configured table, if a table is configured, and reads under the lock.
 */
public final class LockVerifier {
    /**
     * How many pairs of connections are checked; also the largest number of connections. With fewer connections each
     * pair is checked several times, because a pooler may send transactions to several servers at random.
     */
    public static final int LOOKS = 16;

    /**
     * A query for an extension of a database that spans several machines. Such a database reports the version of
     * PostgreSQL, so only the extension reveals that there are several machines.
     */
    private static final String INSTALLED = "select extname from pg_catalog.pg_extension where extname in "
            + CatalogSql.OF_SEVERAL_MACHINES + " order by 1 limit 1";

    /** A query for the number of Citus workers, which accept clients since Citus 11. The coordinator is group 0. */
    private static final String WORKERS = "select count(*) from pg_dist_node where groupid <> 0";

    private final KnownTables tables;
    private final boolean singleEntryNode;

    /** Acquires the locks with strategy ADVISORY, whatever the strategies of the tables are. */
    private final LockCalls probing;

    public LockVerifier(KnownTables tables, boolean singleEntryNode) {
        this.tables = tables;
        this.singleEntryNode = singleEntryNode;
        // The id column of each table is set to a column that does not exist. Such a column has no type, so Rowlock
        // accepts any text as an id.
        Map<String, List<String>> noId =
                tables.configured().stream().collect(Collectors.toMap(Function.identity(), table -> List.of("")));
        this.probing = new LockCalls(
                new KnownTables(LockStrategy.ADVISORY, Map.of(), noId, 2, tables.idColumns()),
                new LockObserver(List.of()),
                KeyQueues.adaptive(1),
                Integer.MAX_VALUE,
                null,
                LockFront.NEVER);
    }

    public void verify(DataSource dataSource, int connections) {
        Arguments.notNull(dataSource, "The DataSource is null");
        // A failover changes the session only once, so the verification is repeated once if it finds a changed session.
        for (boolean again = false; ; again = true) {
            List<Probe> probes = new ArrayList<>();
            try {
                ProbeOpener.open(dataSource, Math.min(connections, LOOKS), probes);
                verify(probes);
                return;
            } catch (Probe.MovedException e) {
                probes.forEach(probe -> probe.session.kill(e));
                if (again) {
                    throw Verdicts.moved(e);
                }
            } catch (LockVerificationException | LockTransactionException e) {
                throw e;
            } catch (RowlockException | SQLException e) {
                // If the server hangs, a rollback would wait for another timeout, so the sessions are closed without a
                // rollback.
                probes.forEach(probe -> probe.session.kill(e));
                throw Verdicts.of(e);
            } finally {
                probes.forEach(Probe::close);
            }
        }
    }

    private void verify(List<Probe> probes) throws SQLException {
        Probe holder = probes.get(0);
        verifyMachines(holder);
        String table = configuredTable(holder);
        try {
            for (int i = 0; i < LOOKS; i++) {
                verifyExclusion(holder, probes.get(1 + i % (probes.size() - 1)), randomKey(table));
            }
        } catch (LockTransactionException e) {
            // Perhaps the connections lead to several servers, some of which are standbys.
            refuseSeveralServers(probes, e);
            throw e;
        }
        LockForms.verify(probing, holder, table);
    }

    private static void refuseSeveralServers(List<Probe> probes, @Nullable Exception cause) throws SQLException {
        Set<String> servers = new TreeSet<>();
        for (Probe probe : probes) {
            servers.add(probe.server());
        }
        if (servers.size() > 1) {
            throw Verdicts.severalServers(servers, cause);
        }
    }

    /**
     * Refuses strategy ADVISORY on a database of several machines with separate advisory locks, unless the application
     * connects to only one machine. If no table has strategy ADVISORY, only logs a warning.
     */
    private void verifyMachines(Probe probe) throws SQLException {
        String extension = probe.askAlone(INSTALLED);
        if (extension.equals("citus")) {
            if ("t".equals(probe.askAlone("select " + CatalogSql.IS_CITUS))) {
                tables.idColumns().foundCitus(PgSession.of(probe.connection));
            }
            if ("0".equals(probe.askAlone(WORKERS))) {
                return;
            }
        }
        if (extension.isEmpty() || singleEntryNode) {
            return;
        }
        String why = "According to its extension " + extension + ", the database consists of several machines, and an"
                + " advisory lock of one machine excludes no session on another";
        if (tables.isAnyTableAdvisory()) {
            throw Verdicts.wrong(why + ". Connect every client to the same machine and declare it with"
                    + " RowLocks.builder(..).singleEntryNode(true) (with Spring Boot rowlock.single-entry-node=true),"
                    + " and use strategy BOTH.");
        }
        Log.warn(why + ": keys that are names or numbers exclude only sessions of the same machine.", null);
    }

    /**
     * Returns the first configured table that exists and that the role may lock, or null. The verification locks keys
     * of this table, because a pooler may choose the server by the table.
     */
    private @Nullable String configuredTable(Probe probe) throws SQLException {
        // Each query has one table, because to_regclass fails if the role lacks access to the schema of the table.
        for (String table : tables.configured()) {
            String found = probe.askIfPermitted(
                    "select 1 from pg_catalog.pg_class as c where c.oid = to_regclass(?) and c.relkind in ('r', 'p')"
                            + " and has_any_column_privilege(c.oid, 'update')"
                            + " and has_schema_privilege(c.relnamespace, 'usage')",
                    table);
            if (!found.isEmpty()) {
                return table;
            }
        }
        return null;
    }

    private static LockKey randomKey(@Nullable String table) {
        long random = ThreadLocalRandom.current().nextLong();
        return table == null ? LockKey.number(random) : LockKey.row(table, "rowlock-verify " + random);
    }

    /**
     * Verifies that two connections exclude each other. If both connections acquire the lock, this method first checks
     * the session of the holder. If the session of the holder has ended, the server has released the lock, and the
     * second grant proves nothing.
     */
    private void verifyExclusion(Probe holder, Probe other, LockKey key) throws SQLException {
        String held = Objects.requireNonNull(holder.lockAndRead(probing, key, LockWait.FOREVER));
        if (other.lock(probing, key, LockWait.NO_WAIT, null)) {
            Probe.requireSame(held, holder.session.ask(Probe.TRANSACTION));
            refuseSeveralServers(List.of(holder, other), null);
            throw Verdicts.wrong("Two connections were both granted the exclusive advisory lock " + key + " by "
                    + holder.product() + ". This server or the pooler in front of it accepts advisory locks without"
                    + " locking: use strategy ROW, or connect to PostgreSQL itself.");
        }
        holder.connection.rollback();
        other.connection.rollback();
        String passedOn = other.lockAndRead(probing, key, LockWait.NO_WAIT);
        if (passedOn == null) {
            throw Verdicts.wrong("The advisory lock " + key + " was not granted after its holder had rolled back, by "
                    + holder.product() + ". Locks do not end with their transaction there: use strategy"
                    + " ROW, or connect to PostgreSQL itself.");
        }
        other.connection.rollback();
        holder.connection.rollback();
    }
}
