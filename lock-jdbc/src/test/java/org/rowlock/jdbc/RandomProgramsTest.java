package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.xa.PGXADataSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;
import org.rowlock.jdbc.RandomProgram.Kind;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;

/**
 * The same random program of JDBC calls on a plain and a wrapped connection sees the same: values, counts, errors with
 * their positions, warnings and state; and leaves the same rows. In mode queue the lock goes in front wherever it may.
 */
class RandomProgramsTest {
    private static TestDatabase database;
    private static GatedDatabase queueing;
    private static GatedDatabase keeping;
    private static GatedDatabase grouping;
    private static List<Programs> all;
    private static PGXADataSource managed;
    private static XAConnection managedConnection;
    private static Connection other;

    /** Whether the first caller who waits for a row waits for a second one. */
    private static volatile boolean gathers;

    private record Programs(Kind kind, DataSource plain, List<GatedDatabase> wrapped) {}

    /** Programs are run through the driver alone, or through the drop-in with other callers. */
    private record Around(boolean inGroups) implements RandomProgram.Surroundings {
        /** The other UPDATE of the row changes nothing, and waits for the row too. */
        @Override
        public Object beside(String sql, int row, RandomProgram.Call update) throws SQLException {
            if (!inGroups) {
                return update.run();
            }
            gathers = true;
            Waiters.Waiter<Integer> waiter = new Waiters.Waiter<>(
                    other, connection -> Waiters.update(connection, sql, sql.contains("/") ? 1 : 0, row));
            try {
                if (row % 2 == 0) {
                    TestDatabase.await().until(() -> grouping.gate.queued() > 0 || waiter.isDone());
                }
                return update.run();
            } finally {
                gathers = false;
                // A caller who still waits alone waits no longer.
                waiter.thread.interrupt();
                assertThatCode(waiter::get).doesNotThrowAnyException();
            }
        }

        @Override
        public XAResource manager() throws SQLException {
            return managedConnection.getXAResource();
        }
    }

    @BeforeContainer
    static void open() throws Exception {
        database = new TestDatabase(
                "create table account(id int primary key, balance int not null check (balance > -100))",
                // A number that is the same again after a rollback.
                "create function next_note() returns int language plpgsql as"
                        + " 'begin return (select coalesce(max(id), 0) + 1 from note); end'",
                "create table note(id int primary key default next_note(), number int)",
                "create function warned(number int) returns boolean language plpgsql as"
                        + " 'begin raise warning ''number %'', number; return true; end'",
                "create function changed(number int) returns int language sql as"
                        + " 'update account set balance = balance + 1 where id = number returning balance'");
        database.beforeEach(null);
        // No wait for the row that another session holds takes long.
        PGSimpleDataSource impatient = database.dataSourceWith("-c lock_timeout=20ms");
        PGSimpleDataSource patient = database.dataSourceWith("-c lock_timeout=20s");
        managed = new PGXADataSource();
        managed.setUrl(impatient.getURL());
        managed.setUser(impatient.getUser());
        managed.setPassword(impatient.getPassword());
        DataSource handles = TestDataSource.of(() -> managedConnection.getConnection());
        QueuePolicy pairs = (kept, waiting) -> {
            gathers &= waiting < 2;
            return gathers ? 0 : 1;
        };
        GatedDatabase observing = new GatedDatabase(impatient, DropInMode.OBSERVE, fronts());
        GatedDatabase managing = new GatedDatabase(handles, DropInMode.QUEUE, fronts());
        queueing = new GatedDatabase(impatient, DropInMode.QUEUE, fronts());
        keeping = new GatedDatabase(impatient, settings(LockFront.ALWAYS, 1, true), fronts());
        grouping = new GatedDatabase(
                patient, settings(LockFront.NEVER, 2, false), new KeyQueues(() -> pairs, GatedDatabase.NEVER_OVER));
        all = List.of(
                new Programs(Kind.ALONE, impatient, List.of(observing, queueing)),
                new Programs(Kind.KEEPING, impatient, List.of(keeping)),
                new Programs(Kind.SHARING, patient, List.of(grouping)),
                new Programs(Kind.MANAGED, handles, List.of(managing)));
        managedConnection = managed.getXAConnection();
        for (GatedDatabase each : List.of(observing, queueing, keeping, grouping, managing)) {
            each.learn("account", "note");
        }
        managedConnection.close();
        other = database.closing(grouping.dataSource.getConnection());
    }

    private static KeyQueues fronts() {
        return GatedDatabase.fronts(1, GatedDatabase.NEVER_OVER, GatedDatabase.NEVER_OVER);
    }

    private static JdbcSettings settings(LockFront front, int largestGroup, boolean keepsWrites) {
        return new JdbcSettings("random", DropInMode.QUEUE, List.of(), List.of(), front, largestGroup, keepsWrites);
    }

    @AfterContainer
    static void close() throws Exception {
        database.afterEach(null);
    }

    /** The same programs in every build. */
    @Property(tries = 10, seed = "47", shrinking = ShrinkingMode.OFF)
    void seesTheSame(@ForAll long seed) throws Exception {
        for (Programs each : all) {
            List<String> expected = outcome(each.kind, each.plain, false, seed, null);
            for (GatedDatabase wrapped : each.wrapped) {
                List<String> seen = outcome(each.kind, wrapped.dataSource, true, seed, expected);
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(seen.get(i))
                            .as(
                                    "%s %s behind %s",
                                    each.kind, wrapped.dropIn.getSettings(), expected.subList(Math.max(0, i - 12), i))
                            .isEqualTo(expected.get(i));
                }
                assertThat(wrapped.gate.inside()).isZero();
                assertThat(wrapped.gate.queued()).isZero();
            }
        }
    }

    /** The seed is fixed, so that only a change of the code can fail a build. Change the seed to run other programs. */
    @Property(tries = 120, seed = "816", shrinking = ShrinkingMode.OFF)
    @Tag("long")
    void seesTheSameInManyPrograms(@ForAll long seed) throws Exception {
        seesTheSame(seed);
    }

    @AfterContainer
    static void actedWhereItIsToAct() {
        for (String figure : List.of("fronted", "passed.BATCH", "passed.NO_KEY")) {
            assertThat(queueing.figure("account", figure)).as(figure).isPositive();
        }
        assertThat(keeping.figure("account", "kept")).isPositive();
        assertThat(grouping.figure("account", "groups")).isPositive();
    }

    private static List<String> outcome(
            Kind kind, DataSource dataSource, boolean inGroups, long seed, List<String> expected) throws Exception {
        database.execute("truncate account, note", "insert into account select g, g * 10 from generate_series(1, 5) g");
        List<String> seen;
        managedConnection = managed.getXAConnection();
        try (Session holder = database.session("holder")) {
            holder.execute("select from account where id = 5 for update");
            if (kind == Kind.SHARING) {
                holder.rollback();
            }
            seen = new ArrayList<>(
                    RandomProgram.run(dataSource.getConnection(), seed, kind, new Around(inGroups), expected));
            holder.rollback();
        } finally {
            managedConnection.close();
        }
        seen.add(database.query("select string_agg(a::text, ' ' order by id) from account a"));
        seen.add(database.query("select coalesce(string_agg(n::text, ' ' order by id), '') from note n"));
        return seen;
    }
}
