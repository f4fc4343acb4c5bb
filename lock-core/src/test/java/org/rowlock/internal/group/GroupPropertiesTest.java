package org.rowlock.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.testing.Locks.on;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.rowlock.CommitWrite;
import org.rowlock.CommitWrites;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.group.Crowd.Caller;
import org.rowlock.testing.TestDatabase;

/**
 * Callers drawn at random, in groups; and the same callers, one at a time and in the same order, through a plain FOR
 * UPDATE say what is right: the counts and rows of each, or its SQLSTATE, and the tables in the end.
 */
class GroupPropertiesTest {
    private static final String EXPECTATION = "unexpected";

    private static final String[] TABLES = {
        "create table account(id int primary key, balance bigint not null check (balance >= 0))",
        "insert into account select g, 2 from generate_series(1, 4) g",
        "create table child(account int references account deferrable initially deferred, amount bigint)",
        "create function half() returns trigger language plpgsql as $$begin if new.amount = 3 then"
                + " raise exception 'three' using errcode = 'ZZ003'; elsif new.amount = 2 then return null; end if;"
                + " return new; end$$",
        "create trigger half before insert on child for each row execute function half()"
    };

    /** With how many parameters. */
    private enum Sql {
        ADD("update account set balance = balance + ? where id = ?", 2),
        TAKE("update account set balance = balance - ? where id = ? returning balance", 2),
        ADD_TO_MANY("update account set balance = balance + 1 where id > ?", 1),
        INSERT("insert into account values (?, ?)", 2),
        UPSERT(
                "insert into account values (?, ?) on conflict (id) do update set balance = account.balance + 9 returning balance",
                2),
        CHILD("insert into child(account, amount) values (?, ?)", 2),
        CHILDREN("insert into child(account, amount) select id, ? from account where balance < ?", 2),
        DELETE("delete from account where id = ? returning balance", 1),
        SELECT("select balance from account where id = ?", 1);

        final String text;
        final int parameters;

        Sql(String text, int parameters) {
            this.text = text;
            this.parameters = parameters;
        }
    }

    /** One statement with values, and how many rows it has to change, or none. */
    private record Drawn(Sql sql, int first, int second, Integer expected) {
        Object[] values() {
            return sql.parameters == 1 ? new Object[] {first} : new Object[] {first, second};
        }
    }

    private static TestDatabase ours;
    private static TestDatabase byHand;

    @BeforeContainer
    static void createTables() throws SQLException {
        ours = new TestDatabase(TABLES);
        byHand = new TestDatabase(TABLES);
        ours.beforeEach(null);
        byHand.beforeEach(null);
    }

    @AfterContainer
    static void dropTables() throws SQLException {
        ours.afterEach(null);
        byHand.afterEach(null);
    }

    @Provide
    Arbitrary<List<List<Drawn>>> callers() {
        Arbitrary<Integer> value = Arbitraries.integers().between(0, 4);
        Arbitrary<Integer> expected = Arbitraries.of(1, 1, 1, 0).injectNull(0.6);
        return Combinators.combine(Arbitraries.of(Sql.class), value, value, expected)
                .as((sql, first, second, rows) -> new Drawn(sql, first, second, sql == Sql.SELECT ? null : rows))
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .list()
                .ofMinSize(2)
                .ofMaxSize(6);
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void theOutcomeOfEachIsThatOfOneAfterTheOther(
            @ForAll("callers") List<List<Drawn>> callers, @ForAll LockStrategy strategy) throws Exception {
        assertThat(inGroups(callers, strategy)).isEqualTo(oneAfterTheOther(callers));
        assertThat(rows(ours)).isEqualTo(rows(byHand));
        for (TestDatabase each : List.of(ours, byHand)) {
            each.execute("truncate account, child", "insert into account select g, 2 from generate_series(1, 4) g");
        }
    }

    private static List<String> inGroups(List<List<Drawn>> callers, LockStrategy strategy) throws Exception {
        List<List<CommitWrite>> added = new ArrayList<>();
        List<Caller> waiting = new ArrayList<>();
        RowLocks locks = Crowd.builder(8).strategy(strategy).build();
        DataSource dataSource = ours.dataSource();
        // One of them may delete the row, as by hand.
        LockRequest account = LockRequest.forUpdate(Crowd.KEY).allowAbsent();
        try (Crowd crowd = Crowd.behind(ours, locks, dataSource)) {
            for (List<Drawn> each : callers) {
                CommitWrites writes = new CommitWrites();
                added.add(each.stream().map(drawn -> add(writes, drawn)).toList());
                waiting.add(crowd.add(() -> on(locks, dataSource).lock(account).execute(writes)));
            }
        }
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < waiting.size(); i++) {
            Throwable failure = waiting.get(i).failure();
            if (failure == null) {
                outcomes.add(told(added.get(i)));
            } else if (failure instanceof UnexpectedRowCountException) {
                outcomes.add(EXPECTATION);
            } else {
                assertThat(failure).isInstanceOf(SQLException.class);
                outcomes.add(((SQLException) failure).getSQLState());
            }
        }
        return outcomes;
    }

    private static CommitWrite add(CommitWrites writes, Drawn drawn) {
        CommitWrite write = writes.add(drawn.sql().text, drawn.values());
        return drawn.expected() == null ? write : write.expectRows(drawn.expected());
    }

    private static String told(List<CommitWrite> writes) throws SQLException {
        StringBuilder told = new StringBuilder();
        for (CommitWrite each : writes) {
            told.append(each.count()).append(each.rows());
        }
        return told.toString();
    }

    private static List<String> oneAfterTheOther(List<List<Drawn>> callers) throws SQLException {
        List<String> outcomes = new ArrayList<>();
        try (Connection connection = byHand.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (List<Drawn> each : callers) {
                try {
                    outcomes.add(byHand(connection, each));
                } catch (SQLException e) {
                    connection.rollback();
                    outcomes.add(e.getSQLState());
                }
            }
        }
        return outcomes;
    }

    private static String byHand(Connection connection, List<Drawn> writes) throws SQLException {
        StringBuilder told = new StringBuilder();
        try (PreparedStatement lock = connection.prepareStatement("select 1 from account where id = 1 for update")) {
            lock.executeQuery();
        }
        for (Drawn each : writes) {
            try (PreparedStatement statement = connection.prepareStatement(each.sql().text)) {
                for (int i = 0; i < each.values().length; i++) {
                    statement.setObject(i + 1, each.values()[i]);
                }
                List<List<Long>> rows = new ArrayList<>();
                int count;
                if (statement.execute()) {
                    ResultSet row = statement.getResultSet();
                    while (row.next()) {
                        rows.add(List.of(row.getLong(1)));
                    }
                    count = rows.size();
                } else {
                    count = statement.getUpdateCount();
                }
                if (each.expected() != null && count != each.expected()) {
                    connection.rollback();
                    return EXPECTATION;
                }
                told.append(count).append(rows);
            }
        }
        connection.commit();
        return told.toString();
    }

    private static String rows(TestDatabase of) throws SQLException {
        return of.query("select string_agg(r, ',' order by r) from (select id || ':' || balance as r from account"
                + " union all select 'c' || account || ':' || amount from child) t");
    }
}
