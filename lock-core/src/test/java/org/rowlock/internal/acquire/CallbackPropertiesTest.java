package org.rowlock.internal.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.TestDatabase.begin;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.LockStrategy;
import org.rowlock.LockedTransaction;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowMapper;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Pools;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/**
 * Code of the caller's that Rowlock calls, and that throws or uses the connection for something else. A ledger that
 * another session reads says whether what Rowlock reports is true.
 */
@Tag("long")
class CallbackPropertiesTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    private static final Logger LOGGER = Logger.getLogger("org.rowlock");

    private static TestDatabase database;
    private static final Map<Pool, HikariDataSource> POOLS = new EnumMap<>(Pool.class);

    /** The connection that was borrowed last, for callbacks that are given none. */
    private static Connection borrowed;

    private static int number;

    /** What a pool hands out. */
    private enum Pool {
        IN_AUTOCOMMIT,
        IN_TRANSACTION
    }

    /** Where Rowlock calls code of the caller's. */
    private enum Callback {
        MAPPER_OF_QUERY,
        WORK,
        ON_ADMISSION,
        ON_ACQUISITION,
        ON_HOLD
    }

    /** What that code does. */
    private enum Deed {
        THROWS_RUNTIME_EXCEPTION,
        THROWS_ERROR,
        THROWS_SQL_EXCEPTION,
        ASKS_FOR_METADATA,
        OPENS_BLOB,
        READS,
        WRITES,
        FAILS_IN_SQL,
        ROLLS_BACK,
        COMMITS,
        CLOSES,
        SETS_AUTOCOMMIT;

        void run(@Nullable ResultSet row) throws SQLException {
            switch (this) {
                case THROWS_RUNTIME_EXCEPTION -> throw new IllegalArgumentException("thrown by the caller's code");
                case THROWS_ERROR -> throw new AssertionError("thrown by the caller's code");
                case THROWS_SQL_EXCEPTION -> throw new SQLException("thrown by the caller's code", "40001");
                case ASKS_FOR_METADATA -> {
                    if (row != null) {
                        assertThat(row.getMetaData().isAutoIncrement(1)).isFalse();
                    }
                }
                case OPENS_BLOB -> {
                    if (row != null) {
                        row.getBlob(1).free();
                    }
                }
                case READS -> execute("select 1");
                case WRITES -> execute("insert into other values (1)");
                case FAILS_IN_SQL -> {
                    try {
                        execute("select 1 / 0");
                    } catch (SQLException e) {
                        assertThat(e.getSQLState()).isEqualTo("22012");
                    }
                }
                case ROLLS_BACK -> borrowed.rollback();
                case COMMITS -> borrowed.commit();
                case CLOSES -> borrowed.close();
                case SETS_AUTOCOMMIT -> borrowed.setAutoCommit(true);
            }
        }

        private static void execute(String sql) throws SQLException {
            TestDatabase.execute(borrowed, sql);
        }
    }

    /** The ways to lock, write and commit. */
    private enum Way {
        COMMIT,
        IN_TRANSACTION,
        WITH_QUERY,
        WITH_CLAIM,
        EXECUTE,
        EXECUTE_WITH_ROW
    }

    /** Does a deed in one callback, until it is disarmed. */
    private static final class Caller implements LockListener {
        private final Callback callback;
        private final Deed deed;
        private boolean armed = true;

        Caller(Callback callback, Deed deed) {
            this.callback = callback;
            this.deed = deed;
        }

        int map(ResultSet row) throws SQLException {
            called(Callback.MAPPER_OF_QUERY, row);
            return row.getInt(1);
        }

        void called(Callback at, @Nullable ResultSet row) throws SQLException {
            if (armed && at == callback) {
                deed.run(row);
            }
        }

        @Override
        public void onEvent(LockEvent event) {
            try {
                called(Callback.valueOf("ON_" + event.kind()), null);
            } catch (SQLException e) {
                throw CallbackPropertiesTest.<RuntimeException>sneaky(e);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> X sneaky(Throwable e) throws X {
        throw (X) e;
    }

    @BeforeContainer
    static void createTables() throws SQLException {
        // Each listener that throws is logged.
        LOGGER.setLevel(Level.OFF);
        database = TestDatabase.accounts(1, "create table ledger(id int primary key)", "create table other(id int)");
        database.beforeEach(null);
        for (Pool each : Pool.values()) {
            HikariDataSource pool = Pools.of(database.dataSource(), 1);
            pool.setAutoCommit(each == Pool.IN_AUTOCOMMIT);
            POOLS.put(each, pool);
        }
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        POOLS.values().forEach(HikariDataSource::close);
        POOLS.clear();
        LOGGER.setLevel(null);
        database.afterEach(null);
    }

    @Property(tries = 600)
    void whatIsReportedIsWhatIsStored(
            @ForAll Callback callback,
            @ForAll Deed deed,
            @ForAll Way way,
            @ForAll LockStrategy strategy,
            @ForAll LockRelease release,
            @ForAll Pool kind)
            throws SQLException {
        if (way == Way.EXECUTE_WITH_ROW && strategy == LockStrategy.ADVISORY) {
            return;
        }
        HikariDataSource pool = POOLS.get(kind);
        Caller caller = new Caller(callback, deed);
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .release(release)
                .listener(caller)
                .build();
        number++;
        List<CommitWrites> sent = new ArrayList<>();
        List<CommitWrite> inserted = new ArrayList<>();
        Throwable failure = null;
        try {
            run(
                    way,
                    locks,
                    remembered(pool),
                    writes -> {
                        sent.add(writes);
                        writes.add("update account set balance = balance + 1 where id = ?", 1)
                                .expectOneRow();
                        inserted.add(writes.add("insert into ledger values (?) returning id", number));
                    },
                    caller);
        } catch (Throwable e) {
            failure = e;
        }
        caller.armed = false;
        boolean committed = failure == null || failure instanceof CommitNotConfirmedException;

        if (!committed) {
            assertThat(failure).isNotInstanceOf(CommitOutcomeUnknownException.class);
        }
        assertThat(stored()).as("stored, and reported: " + failure).isEqualTo(committed ? 1 : 0);
        assertNothingIsLeft(pool);
        if (committed) {
            assertThat(inserted.get(0).count()).isOne();
            assertThat(inserted.get(0).rows()).containsExactly(List.of(number));
            assertThatIllegalStateException()
                    .isThrownBy(() -> on(locks, pool).lock(forUpdate(KEY)).execute(sent.get(0)));
        } else if (!sent.isEmpty()) {
            assertThatIllegalStateException().isThrownBy(inserted.get(0)::count);
            on(locks, pool).lock(forUpdate(KEY)).execute(sent.get(0));
        }
        assertThat(stored()).isEqualTo(sent.isEmpty() ? 0 : 1);
        if (callback == Callback.WORK
                && Set.of(Deed.ROLLS_BACK, Deed.COMMITS, Deed.SETS_AUTOCOMMIT).contains(deed)) {
            assertThat(committed).as("committed without the lock").isEqualTo(!isWorking(way));
        }
        assertNothingIsLeft(pool);
    }

    private static boolean isWorking(Way way) {
        return way == Way.IN_TRANSACTION || way == Way.WITH_QUERY || way == Way.WITH_CLAIM;
    }

    /** Adds the writes of one transaction. */
    @FunctionalInterface
    private interface Adding {
        void add(CommitWrites writes);
    }

    private static void run(Way way, RowLocks locks, DataSource from, Adding adding, Caller caller)
            throws SQLException {
        RowMapper<Integer> mapper = row -> caller.map(row);
        String query = "select id from account where id = ?";
        CommitWrites writes = new CommitWrites();
        switch (way) {
            case COMMIT -> {
                adding.add(writes);
                try (Connection connection = begin(from)) {
                    try {
                        locks.in(connection).lockAndRead(forUpdate(KEY), query, mapper, 1);
                        locks.in(connection).commit(writes);
                    } catch (Throwable e) {
                        if (!connection.isClosed() && !connection.getAutoCommit()) {
                            connection.rollback();
                        }
                        throw e;
                    }
                }
            }
            case IN_TRANSACTION -> on(locks, from).lock(forUpdate(KEY)).inTransaction(tx -> work(tx, adding, caller));
            case WITH_QUERY ->
                on(locks, from)
                        .lock(forUpdate(KEY))
                        .read(query, mapper, 1)
                        .inTransaction(tx -> work(tx, adding, caller));
            case WITH_CLAIM -> {
                Claim claim =
                        Claim.from("account").where("id = ?", 1).orderBy("id").limit(1);
                List<Integer> claimed =
                        on(locks, from).claim(claim, mapper).inTransaction(tx -> work(tx, adding, caller));
                assertThat(claimed).hasSize(1);
            }
            case EXECUTE -> {
                adding.add(writes);
                on(locks, from).lock(forUpdate(KEY).allowAbsent()).execute(writes);
            }
            case EXECUTE_WITH_ROW -> {
                adding.add(writes);
                on(locks, from).lock(forUpdate(KEY)).execute(writes);
            }
        }
    }

    private static <T> List<T> work(LockedTransaction<T> tx, Adding adding, Caller caller) throws SQLException {
        caller.called(Callback.WORK, null);
        adding.add(tx.atCommit());
        return tx.rows();
    }

    private static DataSource remembered(DataSource pool) {
        return TestDataSource.of(() -> {
            borrowed = pool.getConnection();
            return borrowed;
        });
    }

    private static int stored() throws SQLException {
        return Integer.parseInt(database.query("select count(*) from ledger where id = " + number));
    }

    private static void assertNothingIsLeft(HikariDataSource pool) throws SQLException {
        assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                .as("connections not handed back")
                .isZero();
        TestDatabase.await("no lock and no transaction is left")
                .until(() -> database.query("select count(*) from pg_stat_activity a where a.application_name = '"
                                + database.schema() + "' and a.pid <> pg_backend_pid() and (a.state like 'idle in%'"
                                + " or a.xact_start is not null or exists (select 1 from pg_locks l where l.pid = a.pid"
                                + " and l.locktype = 'advisory'))")
                        .equals("0"));
    }
}
