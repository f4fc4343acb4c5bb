package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.rowlock.testing.TestDatabase;

/**
 * Accounts with ids of three kinds, and a ledger. A balance is read, changed in Java and written back, so that two who
 * do it at a time lose an update; the ledger row of the change is written in the same transaction, so that it is the
 * truth, also about commits whose outcome the client never heard.
 */
final class Bank {
    static final int ACCOUNTS = 12;
    static final String[] TABLES = {
        "create table account(id int primary key, n int unique, balance bigint not null)",
        "create table client(id uuid primary key, n int unique, balance bigint not null)",
        "create table shop(country text, no int, n int unique, balance bigint not null, primary key (country, no))",
        "create table ledger(tx bigint, n int, amount bigint)",
        "create index on ledger(n)",
        "insert into account select g - 2, g, 100 from generate_series(0, 3) g",
        "insert into client select md5(g::text)::uuid, g, 100 from generate_series(4, 7) g",
        "insert into shop select 'c' || g % 2, g, g, 100 from generate_series(8, 11) g",
    };

    private final TestDatabase database;
    private final AtomicLong lastTransaction = new AtomicLong();
    private final Map<Long, Long> committed = new ConcurrentHashMap<>();
    private final Map<Long, Long> unknown = new ConcurrentHashMap<>();
    private final Set<Long> rolledBack = ConcurrentHashMap.newKeySet();

    Bank(TestDatabase database) {
        this.database = database;
    }

    static LockKey key(int n) {
        if (n < 4) {
            return LockKey.row("account", n - 2);
        }
        // The id that md5(n)::uuid gives.
        return n < 8 ? LockKey.row("client", UUID.fromString(md5AsUuid(n))) : LockKey.row("shop", "c" + n % 2, n);
    }

    private static String md5AsUuid(int n) {
        return switch (n) {
            case 4 -> "a87ff679-a2f3-e71d-9181-a67b7542122c";
            case 5 -> "e4da3b7f-bbce-2345-d777-2b0674a318d5";
            case 6 -> "1679091c-5a88-0faf-6fb5-e6087eb1b2dc";
            default -> "8f14e45f-ceea-167a-5a36-dedd4bea2543";
        };
    }

    static String table(int n) {
        return n < 4 ? "account" : n < 8 ? "client" : "shop";
    }

    static String balanceQuery(int n) {
        return "select balance from " + table(n) + " where n = ?";
    }

    static long balance(Connection connection, int n) throws SQLException {
        return number(connection, balanceQuery(n), n);
    }

    /** What the balance must be, in a statement of its own. */
    static long balanceByLedger(Connection connection, int n) throws SQLException {
        return 100 + number(connection, "select coalesce(sum(amount), 0) from ledger where n = ?", n);
    }

    private static long number(Connection connection, String sql, int n) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, n);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getLong(1);
            }
        }
    }

    /** Writes what was computed from a balance that was read before, and the ledger row. */
    static void write(Connection connection, long transaction, int n, long balanceRead, long amount)
            throws SQLException {
        try (PreparedStatement update =
                        connection.prepareStatement("update " + table(n) + " set balance = ? where n = ?");
                PreparedStatement insert = connection.prepareStatement("insert into ledger values (?, ?, ?)")) {
            update.setLong(1, balanceRead + amount);
            update.setInt(2, n);
            assertThat(update.executeUpdate()).isOne();
            insert.setLong(1, transaction);
            insert.setInt(2, n);
            insert.setLong(3, amount);
            insert.executeUpdate();
        }
    }

    long newTransaction() {
        return lastTransaction.incrementAndGet();
    }

    /** The client saw the commit succeed. */
    void committed(long transaction, long amount) {
        committed.put(transaction, amount);
    }

    /** The client never sent the commit. */
    void rolledBack(long transaction) {
        rolledBack.add(transaction);
    }

    /** The connection was lost during the commit. */
    void unknown(long transaction, long amount) {
        unknown.put(transaction, amount);
    }

    int commits() {
        return committed.size();
    }

    /** Nothing lost, nothing created. */
    void check() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            long sum = 0;
            for (int n = 0; n < ACCOUNTS; n++) {
                long balance = balance(connection, n);
                assertThat(balance).as("balance of " + key(n)).isEqualTo(balanceByLedger(connection, n));
                sum += balance;
            }
            Set<Long> inLedger = new TreeSet<>();
            try (PreparedStatement statement = connection.prepareStatement("select distinct tx from ledger");
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    inLedger.add(row.getLong(1));
                }
            }
            assertThat(inLedger).as("what was committed").containsAll(committed.keySet());
            Set<Long> inVain = new TreeSet<>(inLedger);
            inVain.retainAll(rolledBack);
            assertThat(inVain).as("what was rolled back").isEmpty();
            long known = 100L * ACCOUNTS;
            for (long transaction : inLedger) {
                Long amount = committed.getOrDefault(transaction, unknown.get(transaction));
                assertThat(amount).as("a transaction that somebody made").isNotNull();
                known += amount;
            }
            assertThat(sum).as("sum of all balances").isEqualTo(known);
        }
    }
}
