package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** A query of the locked row by its id locks the row itself. Any other query follows a statement that locks. */
class LockingQueryTest {
    private static final UUID ID = UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    private static final String QUERY = "select balance from account where id = ?";

    private static final String PREFIX = "with rowlock_identity as (";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance int not null default 0, \"Owner\" text)",
            "insert into account values (1, 10, 'a'), (2, 20, 'b')",
            "create function total(account) returns int language sql stable as 'select sum(balance)::int from account'",
            "create table other(id int primary key, balance int not null default 0)",
            "insert into other values (1, 7)",
            "create table \"Word\"(\"Id\" text primary key, balance int not null default 0)",
            "insert into \"Word\" values ('x', 1), ('y', 2)",
            "create table document(id uuid primary key, balance int not null default 0)",
            "insert into document values ('" + ID + "', 1)");

    private final RowLocks locks = locks(LockStrategy.ROW);

    private List<String> statements(RowLocks of, LockRequest request, String sql, Object... binds) throws Exception {
        Session session = database.session("alice");
        try {
            return session.run(connection -> Wire.statements(
                    connection, c -> of.in(c).lockAndRead(request, sql, row -> row.getString(1), binds)));
        } finally {
            session.rollback();
        }
    }

    private boolean isOne(LockKey key, String sql, Object bind) throws Exception {
        // A first call may look up the columns of the id.
        statements(locks, forUpdate(key), sql, bind);
        List<String> sent = statements(locks, forUpdate(key), sql, bind);
        assertThat(sent).as(sql).hasSize(1);
        return sent.get(0).startsWith(PREFIX) && sent.get(0).endsWith(sql + " for update");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                QUERY,
                "SELECT * FROM Account WHERE ID=?",
                "  select balance,\"Owner\"\n\tfrom account\n where id = ?\n",
                "select id,balance , \"Owner\" from account where \"id\" =?",
                "select \"balance\" from \"account\" where \"id\" = ?"
            })
    void aQueryOfTheRowByItsIdLocksTheRow(String sql) throws Exception {
        assertThat(isOne(LockKey.row("account", 1), sql, 1)).isTrue();
        assertThat(isOne(LockKey.row("account", "1"), sql, 1L)).isTrue();
        assertThat(isOne(LockKey.row("account", 1L), sql, (short) 1)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select balance + 0 from account where id = ?",
                "select a.balance from account a where a.id = ?",
                "select balance as b from account where id = ?",
                "select a.total from account a where id = ?",
                "select null union all select balance from account where id = ?",
                "select distinct balance from account where id = ?",
                "select count(*) from account where id = ?",
                "select 1 from account where id = ?",
                "select 'x' from account where id = ?",
                "select (select 1) from account where id = ?",
                "select balance from account where id = ? and true",
                "select balance from account where id = ? or id = 2",
                "select balance from account where id = ? limit 1",
                "select balance from account where id = ? order by id",
                "select balance from account where id = ? for update",
                "select balance from account where id = ?;",
                "select balance from account where id = ? -- the row",
                "/* the row */ select balance from account where id = ?",
                "select balance from account where id = abs(?)",
                "select balance from account where id = (?)",
                "select balance from account where id >= ?",
                "select balance from account where balance = ?",
                "select balance from only account where id = ?",
                "select balance from account natural join other where id = ?",
                "select a.balance from account a, other o where a.id = ?",
                "select balance from other where id = ?",
                "select id from account union select balance from other where id = ?",
                "with x as (select 1) select balance from account where id = ?",
                "update account set balance = balance where id = ? returning balance"
            })
    void anyOtherQueryFollowsTheLock(String sql) throws Exception {
        assertThat(isOne(LockKey.row("account", 1), sql, 1)).isFalse();
    }

    @Test
    void theIdOfTheQueryMustBeThatOfTheKey() throws Exception {
        assertThat(isOne(LockKey.row("account", 1), QUERY, 2)).isFalse();
        assertThat(isOne(LockKey.row("account", 1), QUERY, BigDecimal.ONE)).isFalse();
        assertThat(isOne(LockKey.row("\"Word\"", "x"), "select balance from \"Word\" where \"Id\" = ?", "x"))
                .isTrue();
        assertThat(isOne(LockKey.row("\"Word\"", "x"), "select balance from \"Word\" where \"Id\" = ?", "y"))
                .isFalse();
        assertThat(isOne(LockKey.row("document", ID), "select balance from document where id = ?", ID))
                .isTrue();
        assertThat(isOne(LockKey.row("document", ID.toString()), "select balance from document where id = ?", ID))
                .isTrue();
        String schema = database.schema();
        assertThat(isOne(
                        LockKey.row(schema + ".account", 1),
                        "select balance from " + schema + ".account where id=?",
                        1))
                .isTrue();
        assertThat(isOne(LockKey.row(schema + ".account", 1), QUERY, 1)).isFalse();
    }

    @Test
    void otherStrategiesAndWaitsTakeTheirOwnStatement() throws Exception {
        LockKey key = LockKey.row("account", 1);
        List<List<String>> sent = List.of(
                statements(locks(LockStrategy.BOTH), forUpdate(key), QUERY, 1),
                statements(locks(LockStrategy.ADVISORY), forUpdate(key), QUERY, 1),
                statements(locks, forUpdate(key).noWait(), QUERY, 1),
                statements(locks, forShare(key), QUERY, 1));
        assertThat(sent)
                .allSatisfy(statements -> assertThat(statements)
                        .isNotEmpty()
                        .allSatisfy(sql -> assertThat(sql).doesNotContain(QUERY + " for")));
    }

    /** The oracle is the same query behind a statement that locks. */
    @Test
    void theQuerySeesWhatTheHolderOfTheLockCommitted() throws Exception {
        List<String> writes = List.of(
                "update account set balance = balance + 1 where id = 1",
                "update account set \"Owner\" = 'z' where id = 1",
                "delete from account where id = 1",
                "delete from account where id = 1; insert into account values (1, 99)",
                "update account set id = 3 where id = 1",
                "select from account where id = 1 for update");
        List<String> queries = List.of(
                QUERY, "select \"Owner\" from account where id = ?", "select id, \"Owner\" from account where id = ?");
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            String write = writes.get(random.nextInt(writes.size()));
            String sql = queries.get(random.nextInt(queries.size()));
            boolean commits = random.nextInt(4) > 0;
            boolean begun = random.nextBoolean();
            boolean allows = random.nextBoolean();
            List<String> told = new ArrayList<>();
            for (String as : List.of(sql + " and true", sql)) {
                told.add(told(as, write, commits, begun, allows));
                database.execute("delete from account", "insert into account values (1, 10, 'a'), (2, 20, 'b')");
            }
            assertThat(told.get(1))
                    .as("seed %d: %s / %s, commits %s, begun %s, allows %s", seed, write, sql, commits, begun, allows)
                    .isEqualTo(told.get(0));
        }
    }

    private String told(String sql, String write, boolean commits, boolean begun, boolean allows) throws Exception {
        LockRequest required = forUpdate(LockKey.row("account", 1));
        LockRequest request = allows ? required.allowAbsent() : required;
        try (Session alice = database.session("alice");
                Session bob = database.session("bob");
                Session carol = database.session("carol")) {
            alice.execute(write);
            if (begun) {
                bob.execute("select 1");
            }
            Step<List<String>> read = bob.start(c -> locks.in(c).lockAndRead(request, sql, row -> row.getString(1), 1));
            read.awaitBlockedBy(alice);
            if (commits) {
                alice.commit();
            } else {
                alice.rollback();
            }
            String told;
            try {
                told = String.valueOf(read.get());
            } catch (RowlockException e) {
                told = e.getClass().getSimpleName();
            }
            return told + (carol.run(LockingQueryTest::isFree) ? " free" : " locked");
        }
    }

    private static boolean isFree(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("select 1 from account where id = 1 for update skip locked");
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    @Test
    void anAbsentRowIsAnErrorUnlessItIsAllowed(Session alice) throws Exception {
        LockRequest request = forUpdate(LockKey.row("account", 7));
        assertThatThrownBy(() -> alice.run(c -> locks.in(c).lockAndRead(request, QUERY, Long.class, 7)))
                .isInstanceOf(RowAbsentException.class);
        alice.rollback();
        List<Long> none = alice.run(c -> locks.in(c).lockAndRead(request.allowAbsent(), QUERY, Long.class, 7));
        assertThat(none).isEmpty();
    }

    /** A word such as user is a value unless it is quoted, and would find other rows than that of the key. */
    @Test
    void aWordThatIsAValueIsNoColumn() throws Exception {
        database.execute(
                "create table login(\"user\" text primary key, balance int not null default 0)",
                "insert into login values ('x'), ('y')");
        LockKey key = LockKey.row("login", "x");
        assertThat(isOne(key, "select balance from login where \"user\" = ?", "x"))
                .isTrue();
        assertThat(isOne(key, "select balance from login where user = ?", "x")).isFalse();
        assertThat(isOne(key, "select balance from login where USER = ?", "x")).isFalse();
    }

    @Test
    void anErrorOfTheQueryIsTheServersOwn(Session alice) throws Exception {
        String sql = "select nothing from account where id = ?";
        assertThatThrownBy(() -> alice.run(
                        c -> locks.in(c).lockAndRead(forUpdate(LockKey.row("account", 1)), sql, Long.class, 1)))
                .isInstanceOf(PSQLException.class)
                .hasMessageContaining("\"nothing\"");
    }

    /** The row of the key is then another than that of the query. */
    @Test
    void anotherPrimaryKeyIsFollowed(Session alice, Session bob) throws Exception {
        database.execute("update account set balance = 3 - id");
        LockRequest request = forUpdate(LockKey.row("account", 1));
        assertThat(read(alice, request)).containsExactly(2L);
        alice.rollback();
        database.execute("alter table account drop constraint account_pkey, add primary key (balance)");

        assertThat(read(alice, request)).containsExactly(2L);

        bob.execute("select 1 from account where id = 1 for update nowait");
        assertThatThrownBy(() -> bob.execute("select 1 from account where id = 2 for update nowait"))
                .hasMessageContaining("could not obtain lock");
    }

    private List<Long> read(Session session, LockRequest request) throws Exception {
        return session.run(c -> locks.in(c).lockAndRead(request, QUERY, Long.class, 1));
    }
}
