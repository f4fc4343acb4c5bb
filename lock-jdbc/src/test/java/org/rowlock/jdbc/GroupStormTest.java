package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.jdbc.Waiters.Waiter;
import org.rowlock.jdbc.internal.settings.JdbcSettings;
import org.rowlock.testing.LedgerStorm;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;

/** Members drawn at random. Each UPDATE leaves a tag of its own in its row, beside the balance: their ledger. */
class GroupStormTest {
    private static final int THREADS = 16;
    private static final int ROWS = 2;
    private static final String UPDATE =
            "update account set balance = balance + ?, code = coalesce(?, code), other = ?,"
                    + " log = log || ?, at = array_append(at, now()) where id = ? and balance >= ?";

    @RegisterExtension
    final TestDatabase database = tables();

    @RegisterExtension
    final TestDatabase byHand = tables();

    private static TestDatabase tables() {
        return new TestDatabase(
                "create table other(id int primary key)",
                "insert into other values (0), (1)",
                "create table account(id int primary key, balance int not null default 0 check (balance >= 0),"
                        + " code int unique, other int references other, log text not null default '',"
                        + " at timestamptz[] not null default '{}')",
                "insert into account(id, code) select g, g from generate_series(1, 4) g");
    }

    /** One member; what it may meet is an unmet condition, or one of the constraints. */
    private record Drawn(String tag, int row, int amount, Integer code, int other, int least) {
        /** @param oneIn of so many one each meets a constraint, or the condition */
        static Drawn of(Random random, int id, int oneIn) {
            int kind = random.nextInt(oneIn);
            return new Drawn(
                    "/" + id,
                    random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(ROWS),
                    kind == 0 ? -1_000_000 : 1,
                    kind == 1 ? Integer.valueOf(4) : null,
                    kind == 2 ? 9 : random.nextInt(2),
                    kind == 3 ? 1_000_000 : 0);
        }

        /** @param looks whether to ask for the counts again, which a lost connection may refuse */
        int run(Connection connection, int seconds, boolean looks) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
                statement.setQueryTimeout(seconds);
                statement.setInt(1, amount);
                if (code == null) {
                    statement.setNull(2, Types.INTEGER);
                } else {
                    statement.setInt(2, code);
                }
                statement.setInt(3, other);
                statement.setString(4, tag);
                statement.setInt(5, row);
                statement.setInt(6, least);
                int count = statement.executeUpdate();
                if (looks) {
                    assertThat(statement.getUpdateCount()).isEqualTo(count);
                    assertThat(statement.getLargeUpdateCount()).isEqualTo(count);
                    assertThat(statement.getMoreResults()).isFalse();
                    assertThat(statement.getUpdateCount()).isEqualTo(-1);
                }
                return count;
            }
        }

        String told(Connection connection) {
            try {
                return String.valueOf(run(connection, 0, true));
            } catch (SQLException e) {
                return e.getSQLState();
            }
        }
    }

    /** The same ones, one at a time and in the same order, through the driver alone say what is right. */
    @Test
    void theOutcomeOfEachIsThatOfOneAfterTheOther() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        GatedDatabase gated = GatedDatabase.inGroups(database, 64);
        gated.learn("account");
        for (int round = 0; round < 12; round++) {
            List<Drawn> drawn = new ArrayList<>();
            int members = 2 + random.nextInt(7);
            boolean failing = random.nextBoolean();
            while (drawn.size() < members) {
                Drawn next = Drawn.of(random, drawn.size(), 20);
                if (next.row == 1 && (failing || next.amount > 0 && next.code == null && next.other < 9)) {
                    drawn.add(next);
                }
            }
            List<Waiter<String>> waiting = new ArrayList<>();
            try (Waiters waiters = new Waiters(database, gated)) {
                for (Drawn each : drawn) {
                    waiting.add(waiters.add(each::told));
                }
                waiters.release();
                try (Connection plain = byHand.dataSource().getConnection()) {
                    for (int i = 0; i < drawn.size(); i++) {
                        assertThat(waiting.get(i).get())
                                .as("seed %s, round %s, %s of %s", seed, round, i, drawn)
                                .isEqualTo(drawn.get(i).told(plain));
                    }
                }
            }
            String rows =
                    "select string_agg(concat_ws(',', id, balance, code, other, log), ';' order by id) from account";
            assertThat(database.query(rows)).as("seed %s", seed).isEqualTo(byHand.query(rows));
        }
        assertThat(gated.figure("account", "grouped")).isPositive();
    }

    /** Callers of a pool in front of the drop-in. */
    private final class Storm extends LedgerStorm {
        private final HikariDataSource pool = new HikariDataSource();

        /** @param evils how many members pass between two disturbances */
        Storm(int members, int evils) {
            super(database.dataSource(), THREADS, members, evils);
        }

        GatedDatabase run() throws Exception {
            Random random = new Random(seed);
            try (TcpProxy proxy = TcpProxy.to(database.dataSource());
                    pool) {
                PGSimpleDataSource through = proxy.through(database.dataSource());
                through.setApplicationName(applicationName());
                GatedDatabase gated = new GatedDatabase(
                        through,
                        new JdbcSettings(
                                "storm",
                                DropInMode.QUEUE,
                                List.of(),
                                List.of(),
                                LockFront.values()[random.nextInt(3)],
                                2 << random.nextInt(6),
                                false),
                        GatedDatabase.queues(
                                1 + random.nextInt(2), Duration.ofSeconds(1).toNanos()));
                pool.setDataSource(gated.dataSource);
                pool.setMaximumPoolSize(THREADS);
                pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
                gated.learn("account");
                blow(proxy, random);
                assertThat(gated.gate.queued()).isZero();
                assertThat(gated.gate.inside()).isZero();
                check("select tag::int from account, unnest(string_to_array(log, '/')) as t(tag) where tag <> ''");
                assertThat(database.query("select sum(balance) - sum(cardinality(string_to_array(log, '/')) - 1)"
                                + " from account where log <> ''"))
                        .as("seed " + seed)
                        .isEqualTo("0");
                return gated;
            }
        }

        @Override
        protected Told pay(int id, Random random) {
            Told outcome = Told.NOTHING;
            Drawn drawn = Drawn.of(random, id, 100);
            try (Connection connection = pool.getConnection()) {
                outcome =
                        drawn.run(connection, random.nextInt(10) == 0 ? 1 : 0, false) == 1 ? Told.STORED : Told.FAILED;
            } catch (SQLException e) {
                failed(id, e);
                String state = String.valueOf(e.getSQLState());
                boolean lost = state.startsWith("08") || state.startsWith("57P");
                // A connection that was lost afterwards fails when it is closed.
                outcome = outcome != Told.NOTHING ? outcome : lost ? Told.UNKNOWN : Told.FAILED;
                boolean own = !state.startsWith("23")
                        || (state.equals("23514") && drawn.amount < 0)
                        || (state.equals("23505") && drawn.code != null)
                        || (state.equals("23503") && drawn.other == 9);
                if (!own) {
                    wrong(id, "was told of another's failure: " + e);
                }
            }
            return outcome;
        }
    }

    @Test
    void whatIsAcknowledgedIsThereOnce() throws Exception {
        // On a busy machine, the members of a short storm may come one after the other.
        long grouped = 0;
        for (int storms = 0; storms < 5 && grouped == 0; storms++) {
            grouped = new Storm(1_000, 40).run().figure("account", "grouped");
            database.execute("update account set balance = 0, log = '', at = '{}'");
        }
        assertThat(grouped).isPositive();
    }

    /** As many as the property rowlock.test.group.members says. */
    @Test
    @Tag("long")
    void whatIsAcknowledgedIsThereOnceInManyStorms() throws Exception {
        int members = Integer.getInteger("rowlock.test.group.members", 12_000);
        long grouped = 0;
        int killed = 0;
        for (int done = 0; done < members; done += 3_000) {
            Storm storm = new Storm(3_000, 60);
            grouped += storm.run().figure("account", "grouped");
            killed += storm.killed();
            database.execute("update account set balance = 0, log = '', at = '{}'");
        }
        assertThat(grouped).isPositive();
        System.out.println(members + " members, in groups " + grouped + ", server processes ended " + killed);
    }
}
