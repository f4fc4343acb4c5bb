package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.internal.commit.CommitWay.KEY;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Refusals.state;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.servers.DriverModesTest;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * What ends the wait behind an early COMMIT is told apart from what kept it from committing, and from what nobody
 * knows. The server's own function, which is too quick to be met, is replaced by one that can be held.
 */
class EarlyConfirmationTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of("synchronous_commit", "on"));

    /** Whoever holds it holds all confirmations. */
    private static final int HELD = 4711;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(SERVER, 1);

    @BeforeAll
    static void replaceTheFunction() throws Exception {
        boolean four = SERVER.query("select current_setting('server_version_num')::int >= 170000")
                .equals("t");
        String own = "pg_catalog.pg_logical_emit_message(boolean, text, text";
        SERVER.execute(
                "set allow_system_table_mods = on",
                "alter function " + own + (four ? ", boolean" : "") + ") rename to own_message",
                "create function " + own + (four ? ", boolean default false" : "")
                        + ") returns pg_lsn language plpgsql as 'begin perform pg_advisory_xact_lock(" + HELD
                        + "); return ''0/0''; end'",
                // Otherwise the WAL writer may be quicker than the wait, which then has nothing to wait for.
                "alter function pg_catalog.pg_current_wal_flush_lsn() rename to own_flush_lsn",
                "create function pg_catalog.pg_current_wal_flush_lsn() returns pg_lsn language plpgsql"
                        + " as 'begin return ''0/0''; end'");
    }

    private final RowLocks locks =
            LockAccess.builder().release(LockRelease.EARLY).build();

    private static Stream<Arguments> waysAndModes() {
        return Stream.of(CommitWay.values())
                .flatMap(way -> Stream.of("extended", "simple").map(mode -> Arguments.of(way, mode)));
    }

    private PGSimpleDataSource dataSource(String mode) throws SQLException {
        return DriverModesTest.set(database.dataSource(), "preferQueryMode=" + mode);
    }

    private String balance() throws SQLException {
        return database.query("select balance from account where id = 1");
    }

    private static Step<Void> start(Session session, RowLocks locks, CommitWay way) {
        return session.startAction(connection -> way.add(locks, connection, 1));
    }

    private Step<Void> startHeld(Session holder, Session writer, CommitWay way) throws Exception {
        start(writer, locks, way).get();
        holder.execute("select pg_advisory_xact_lock(" + HELD + ")");
        Step<Void> step = start(writer, locks, way);
        step.awaitBlockedBy(holder);
        return step;
    }

    @ParameterizedTest
    @EnumSource
    void aCancelBehindTheCommitIsCommittedAndNotConfirmed(CommitWay way, Session holder, Session writer)
            throws Exception {
        Step<Void> step = startHeld(holder, writer, way);
        assertThat(balance()).as("committed and visible").isEqualTo("2");
        writer.cancel();
        assertNotConfirmed(step, "57014");
        holder.rollback();
        // The session is as good as new, and the database still releases early.
        start(writer, locks, way).get();
        assertThat(balance()).isEqualTo("3");
    }

    /** What is behind a COMMIT would be a message of its own, and a pooler may send it elsewhere. */
    @ParameterizedTest
    @EnumSource
    void inSimpleModeACommitWaitsUnderItsLocksForWhatItHasRead(CommitWay way, Session holder) throws Exception {
        Session writer = database.session("writer", dataSource("simple"));
        Step<Void> step = startHeld(holder, writer, way);
        assertThat(balance()).as("not committed yet").isEqualTo("1");
        holder.rollback();
        step.get();
        assertThat(balance()).isEqualTo("2");
    }

    /** All in one flush, also where the wait for the lock is in front of the transaction. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("strategiesAndLevels")
    void aCancelBehindTheCommitOfALockIsCommittedAndNotConfirmed(LockStrategy strategy, String level, Session holder)
            throws Exception {
        RowLocks own = LockAccess.builder()
                .strategy(strategy)
                .release(LockRelease.EARLY)
                .build();
        Session writer = database.session(
                "writer", database.dataSourceWith("-c default_transaction_isolation=" + level.replace(" ", "\\ ")));
        DataSource one = OneConnection.of(writer.connection());
        CommitWay.EXECUTE.add(own, one, 1);
        holder.execute("select pg_advisory_xact_lock(" + HELD + ")");
        // Somebody else in its queue, who need not do anything: the key is wanted.
        try (var wanted = LockAccess.of(own).calls().admit(one, forUpdate(KEY), null)) {
            assertThat(wanted.isQueued()).isTrue();
            Step<Void> step = writer.startAction(connection -> CommitWay.EXECUTE.add(own, one, 1));
            step.awaitBlockedBy(holder);
            assertThat(balance()).as("committed and visible").isEqualTo("2");
            writer.cancel();
            assertNotConfirmed(step, "57014");
        }
        holder.rollback();
        CommitWay.EXECUTE.add(own, one, 1);
        assertThat(balance()).isEqualTo("3");
    }

    /** Keys alone are refused above READ COMMITTED. */
    private static Stream<Arguments> strategiesAndLevels() {
        return Stream.of(LockStrategy.values())
                .flatMap(strategy -> Stream.of("read committed", "repeatable read", "serializable")
                        .limit(strategy == LockStrategy.ADVISORY ? 1 : 3)
                        .map(level -> Arguments.of(strategy, level)));
    }

    private static void assertNotConfirmed(Step<?> step, String state) throws Exception {
        assertThat(step.failure())
                .isInstanceOf(CommitNotConfirmedException.class)
                .satisfies(state("RL001"))
                .cause()
                .satisfies(sqlState(state));
        assertThat(step.failure())
                .hasMessageContainingAll("has committed on this server and is visible", "Do not run it again");
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatIsEndedBehindTheCommitIsAnUnknownOutcome(CommitWay way, Session holder, Session writer)
            throws Exception {
        Step<Void> step = startHeld(holder, writer, way);
        writer.terminate();
        assertThat(step.failure()).isExactlyInstanceOf(CommitOutcomeUnknownException.class);
        holder.rollback();
        assertThat(balance()).isEqualTo("2");
    }

    @ParameterizedTest
    @MethodSource("waysAndModes")
    void aConnectionThatIsLostInTheFlushIsAnUnknownOutcome(CommitWay way, String mode) throws Exception {
        TcpProxy proxy = database.closing(TcpProxy.to(database.dataSource()));
        PGSimpleDataSource proxied = proxy.through(dataSource(mode));
        way.add(locks, proxied, 1);
        for (boolean executed : new boolean[] {false, true}) {
            if (executed) {
                proxy.cutAfter("COMMIT");
            } else {
                proxy.cutBefore("COMMIT");
            }
            Session writer = database.session("writer", proxied);
            assertThat(start(writer, locks, way).failure()).isExactlyInstanceOf(CommitOutcomeUnknownException.class);
            // In simple mode the server answers each statement, and may see that its client is gone.
            boolean surely = executed && !mode.equals("simple");
            assertThat(balance()).isIn(surely ? "2" : "1", executed ? "2" : "1");
        }
    }

    /** From then on the database gets plain commits. */
    @Test
    void whatCannotBeDoneBehindTheCommitIsNotTriedAgain() throws Exception {
        String role = database.role("all on account");
        String function =
                database.query("select oid::regprocedure from pg_proc where proname = 'pg_logical_emit_message'"
                        + " and prolang = (select oid from pg_language where lanname = 'plpgsql')");
        try (HikariDataSource pool = Pools.of(database.dataSourceOf(role), 1)) {
            CommitWay.WRITES.add(locks, pool, 1);
            database.execute("revoke execute on function " + function + " from public");
            Session writer = database.session("writer", pool);
            assertNotConfirmed(start(writer, locks, CommitWay.WRITES), "42501");
            writer.close();
            CommitWay.WRITES.add(locks, pool, 1);
            // Who asks now is told before anything has happened.
            CommitWay.EXECUTE.add(
                    LockAccess.builder().release(LockRelease.EARLY).build(), pool, 1);
            assertThat(balance()).isEqualTo("4");
        } finally {
            database.execute("grant execute on function " + function + " to public");
        }
    }

    @Test
    void aPlainCommitDoesNotWaitForIt(Session holder) throws Exception {
        holder.execute("select pg_advisory_xact_lock(" + HELD + ")");
        CommitWay.WRITES.add(LockAccess.builder().build(), database.dataSource(), 1);
        assertThat(balance()).isEqualTo("1");
    }
}
