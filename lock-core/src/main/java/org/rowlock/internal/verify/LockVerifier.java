package org.rowlock.internal.verify;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.acquire.LockRequests;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.Gate;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;

/**
 * Proves that locks exclude on the way that real calls take: through the pool, pooler and server of a DataSource, by the key
 * of a real table, with the reads behind the lock.
 */
public final class LockVerifier {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** What goes to one server of several by chance is seen by looking more than once. */
    private static final int ROUNDS = 3;

    private static final int ATTEMPTS = 3;

    /** Started at another time, it is another server, whatever its address looks like from inside. */
    private static final String SERVER = "select pg_postmaster_start_time()::text,"
            + " coalesce(host(inet_server_addr()), 'local') || ':' || current_setting('port')";

    /** By a splitter's rules a read like any other: it may be sent to where the lock is not. */
    private static final String READ_BEHIND = "select current_setting('transaction_read_only')";

    private final LockRequests requests;
    private final ServerExtensions extensions;

    /** By the key alone: whatever the table's strategy, the row lock does its part in any case. */
    private final LockCalls probing;

    public LockVerifier(LockRequests requests, boolean singleEntryNode) {
        this.requests = requests;
        this.extensions = new ServerExtensions(singleEntryNode, requests.isAnyTableAdvisory(), requests.citus());
        LockConfig keysAlone = new LockConfig(LockStrategy.ADVISORY, Map.of(), Map.of(), 1, KeyNames.WITH_IDS);
        this.probing =
                new LockCalls(new LockRequests(keysAlone, requests.citus()), new LockObserver(null), new Gate(1));
    }

    public void verify(DataSource dataSource) {
        verify(dataSource, Probes.MOST);
    }

    public void verify(DataSource dataSource, int mostConnections) {
        if (dataSource == null) {
            throw new IllegalArgumentException("The DataSource is null");
        }
        for (int attempt = 1; ; attempt++) {
            try {
                verifyInRounds(dataSource, Math.min(mostConnections, Probes.MOST));
                return;
            } catch (LockVerificationException | LockTransactionException e) {
                throw e;
            } catch (LockException | SQLException e) {
                LockVerificationException refused = refusedByPooler(e);
                if (refused != null) {
                    throw refused;
                }
                if (!isConnectionLost(e) || attempt == ATTEMPTS) {
                    throw notTried(e);
                }
                LOG.log(Level.INFO, "A connection was lost while advisory locks were verified; trying again", e);
            }
        }
    }

    private void verifyInRounds(DataSource dataSource, int mostConnections) throws SQLException {
        int most = mostConnections;
        for (int round = 0; round < ROUNDS; round++) {
            try (Probes probes = openProbes(dataSource, most)) {
                most = probes.all().size();
                // First, since where statements are mixed up no other result means anything.
                verifyPreparedStatements(probes.all().get(0), probes.all().get(1));
                if (round == 0) {
                    extensions.verify(probes.all().get(0));
                }
                verify(probes.all());
            }
        }
    }

    /** Without a connection there is nothing to try again. */
    private static Probes openProbes(DataSource dataSource, int most) {
        try {
            return Probes.open(dataSource, most);
        } catch (SQLException e) {
            LockVerificationException refused = refusedByPooler(e);
            throw refused == null ? notTried(e) : refused;
        }
    }

    private void verify(List<Probe> probes) throws SQLException {
        String table = configuredTable(probes.get(0));
        Map<String, Probe> servers = new LinkedHashMap<>();
        for (Probe probe : probes) {
            servers.putIfAbsent(serverOf(probe), probe);
            verifyReads(probe, randomKey(table));
        }
        List<String> names = List.copyOf(servers.keySet());
        verifyExclusion(probes.get(0), probes.get(1), randomKey(table), names);
        List<Probe> others = new ArrayList<>(servers.values());
        for (Probe other : others.subList(1, others.size())) {
            verifyExclusion(others.get(0), other, randomKey(table), names);
        }
    }

    /**
     * A pooler that gives out server connections by transaction: what the first prepares stays with the server connection
     * that the second gets next, and the first goes on with another.
     */
    private static void verifyPreparedStatements(Probe first, Probe second) throws SQLException {
        if (!first.preparesStatements() || !second.preparesStatements()) {
            return;
        }
        String and = " || cast(? as text)";
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            answers.add(first.readPrepared("select 'first '" + and, "one").get(0));
            first.rollback();
            answers.add(second.readPrepared("select 'second '" + and, "two").get(0));
            answers.add(first.readPrepared("select 'first '" + and, "three").get(0));
            first.rollback();
            second.rollback();
        }
        List<String> right = List.of("first one", "second two", "first three");
        if (!answers.subList(0, 3).equals(right) || !answers.subList(3, 6).equals(right)) {
            throw new LockVerificationException(
                    "Prepared statements of two clients are mixed up: one got the answer of another. A pooler between"
                            + " them and the server keeps no account of them: " + LockErrors.POOLER_ADVICE,
                    null);
        }
    }

    private static String serverOf(Probe probe) throws SQLException {
        try {
            return String.join(
                    " ", probe.read(SERVER).stream().map(String::valueOf).toList());
        } catch (SQLException e) {
            if (!SqlState.UNDEFINED_FUNCTION.equals(e.getSQLState())) {
                throw e;
            }
            // A server of another make that does not say.
            return "unknown";
        } finally {
            probe.rollback();
        }
    }

    /** The first configured table that is there, since a splitter may decide by the table; null where none is. */
    private @Nullable String configuredTable(Probe probe) throws SQLException {
        for (String table : requests.configuredTables()) {
            List<@Nullable String> found = probe.read(
                    "select 1 from pg_catalog.pg_class as c where c.oid = to_regclass(?) and c.relkind in ('r', 'p')"
                            + " and has_any_column_privilege(c.oid, 'update')"
                            + " and has_schema_privilege(c.relnamespace, 'usage')",
                    table);
            probe.rollback();
            if (!found.isEmpty()) {
                return table;
            }
        }
        return null;
    }

    /** One that nobody else uses. */
    private static LockKey randomKey(@Nullable String table) {
        long random = ThreadLocalRandom.current().nextLong();
        return table == null ? LockKey.number(random) : LockKey.row(table, "rowlock-verify " + random);
    }

    /** Reads behind a lock, in its round trip and after it, have to run where the lock is. */
    private void verifyReads(Probe probe, LockKey key) throws SQLException {
        LockQuery<String> read = LockQuery.of(READ_BEHIND, row -> row.getString(1));
        String together = lock(probe, key, LockWait.forever(), read).get(0);
        String after = probe.read(READ_BEHIND).get(0);
        probe.rollback();
        if (!Objects.equals(together, "off") || !Objects.equals(after, "off")) {
            throw new LockVerificationException(
                    "The lock " + key + " was taken on a server that can write, and a read behind it in the same"
                            + " transaction ran on one that cannot (a standby). A pooler in between sends reads"
                            + " elsewhere, where they do not see what the last holder of the lock wrote. Switch its read"
                            + " splitting off for this application (Pgpool-II: disable_load_balance_on_write ="
                            + " 'transaction' or stricter, or load_balance_mode = off), or connect to the primary.",
                    null);
        }
    }

    private void verifyExclusion(Probe holder, Probe other, LockKey key, List<String> servers) throws SQLException {
        lock(holder, key, LockWait.forever(), null);
        if (tryLock(other, key)) {
            throw new LockVerificationException(
                    "Two connections were both granted the exclusive advisory lock " + key + " by " + holder.product()
                            + (servers.size() > 1
                                    ? ". They lead to different servers " + servers
                                            + ", each of which locks for itself: connect all to one, use strategy ROW"
                                            + " where a row is on one server for all, or none at all."
                                    : ". This server or the pooler in front of it accepts advisory locks without locking:"
                                            + " use strategy ROW, or connect to PostgreSQL itself."),
                    null);
        }
        holder.rollback();
        if (!tryLock(other, key)) {
            throw new LockVerificationException(
                    "The advisory lock " + key + " was not granted after its holder had rolled back, by "
                            + holder.product() + ". Locks do not end with their transaction there: use strategy"
                            + " ROW, or connect to PostgreSQL itself.",
                    null);
        }
        other.rollback();
        verifySessionLocks(holder, other);
    }

    /** The handover in front of a REPEATABLE READ or SERIALIZABLE transaction waits for a lock of the session. */
    private static void verifySessionLocks(Probe holder, Probe other) throws SQLException {
        String key = Long.toString(ThreadLocalRandom.current().nextLong());
        boolean bothGranted;
        try {
            holder.read("select pg_catalog.pg_try_advisory_lock(cast(? as bigint))", key);
            bothGranted = "t"
                    .equals(other.read("select pg_catalog.pg_try_advisory_lock(cast(? as bigint))", key)
                            .get(0));
            if (bothGranted) {
                other.read("select pg_catalog.pg_advisory_unlock(cast(? as bigint))", key);
            }
            holder.read("select pg_catalog.pg_advisory_unlock(cast(? as bigint))", key);
        } catch (SQLException e) {
            // No rollback lets go of a lock of the session.
            holder.kill();
            other.kill();
            throw e;
        }
        holder.rollback();
        other.rollback();
        if (bothGranted) {
            throw new LockVerificationException(
                    "Two connections were both granted one exclusive advisory lock of the session by "
                            + holder.product()
                            + ", though not of the transaction. REPEATABLE READ and SERIALIZABLE need both: use strategy"
                            + " ROW.",
                    null);
        }
    }

    private boolean tryLock(Probe probe, LockKey key) throws SQLException {
        try {
            lock(probe, key, LockWait.noWait(), null);
            return true;
        } catch (LockNotAvailableException e) {
            return false;
        }
    }

    private <T> List<T> lock(Probe probe, LockKey key, LockWait wait, @Nullable LockQuery<T> query)
            throws SQLException {
        try (query) {
            PgSession session = PgSession.inTransaction(probe.connection());
            probing.acquire(session, probing.requests().of(key, RowLockMode.FOR_UPDATE, wait), query);
            return query == null ? List.of() : query.rows();
        }
    }

    private static boolean isConnectionLost(Exception e) {
        return e instanceof LockConnectionLostException
                || (e instanceof SQLException sql && SqlState.isConnectionLost(sql.getSQLState()));
    }

    /** What a pooler says of itself, or does to prepared statements; null for anything else. */
    private static @Nullable LockVerificationException refusedByPooler(Exception e) {
        SQLException sql =
                e instanceof SQLException own ? own : e.getCause() instanceof SQLException cause ? cause : null;
        if (sql == null) {
            return null;
        }
        if (ServerErrors.isPreparedStatementMixedUp(sql)) {
            return new LockVerificationException(
                    "Statements fail through this DataSource: " + LockErrors.mixedUpStatements(sql), sql);
        }
        String message = String.valueOf(sql.getMessage());
        if (message.contains("statement pooling mode")) {
            return new LockVerificationException(
                    "The pooler allows no transactions (" + message + "), and a lock lasts as long as its transaction."
                            + " Set pool_mode = transaction, or session, in PgBouncer.",
                    sql);
        }
        return null;
    }

    private static LockVerificationException notTried(Exception e) {
        boolean lost = isConnectionLost(e);
        return new LockVerificationException(
                "Advisory locks could not be verified, which takes two connections at a time: " + e.getMessage()
                        + (lost
                                ? ". That says nothing about the locks: the server is not there, or fails over. Try again"
                                        + " when it is. Check the server and its address."
                                : ". Check the server and that the pool has at least two connections."),
                false,
                e);
    }
}
