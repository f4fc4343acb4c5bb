package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedSet;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;

/** Places orders and takes payments, half of each. All lock in one order, so that there is no deadlock. For one thread. */
final class Orders {
    private static final int FEWEST_ITEMS = 5;
    private static final int MOST_ITEMS = 10;
    private static final int MOST_PAID = 5_000;

    private final UniformRandomProvider random = RandomSource.XO_RO_SHI_RO_128_PP.create();
    private final DataSource dataSource;
    private final int warehouses;

    Orders(DataSource dataSource, int warehouses) {
        this.dataSource = dataSource;
        this.warehouses = warehouses;
    }

    void run() throws SQLException {
        int warehouse = 1 + random.nextInt(warehouses);
        int district = 1 + random.nextInt(OrderTables.DISTRICTS);
        try (Connection connection = dataSource.getConnection()) {
            if (random.nextBoolean()) {
                order(connection, warehouse, district);
            } else {
                pay(connection, warehouse, district);
            }
            connection.commit();
        }
    }

    private void order(Connection connection, int warehouse, int district) throws SQLException {
        int number = number(connection, warehouse, district);
        SortedSet<Integer> items = new TreeSet<>();
        int wanted = FEWEST_ITEMS + random.nextInt(MOST_ITEMS - FEWEST_ITEMS + 1);
        while (items.size() < wanted) {
            items.add(1 + random.nextInt(OrderTables.ITEMS));
        }
        for (int item : items) {
            long taken =
                    query(connection, "select taken from stock where w = ? and item = ? for update", warehouse, item);
            update(connection, "update stock set taken = ? where w = ? and item = ?", taken + 1, warehouse, item);
        }
        update(connection, "insert into orders values (?, ?, ?, ?)", warehouse, district, number, wanted);
    }

    private static int number(Connection connection, int warehouse, int district) throws SQLException {
        return (int) query(
                connection,
                "update district set next_order = next_order + 1 where w = ? and d = ? returning next_order - 1",
                warehouse,
                district);
    }

    private void pay(Connection connection, int warehouse, int district) throws SQLException {
        int amount = 1 + random.nextInt(MOST_PAID);
        update(connection, "update warehouse set paid = paid + ? where w = ?", amount, warehouse);
        update(connection, "update district set paid = paid + ? where w = ? and d = ?", amount, warehouse, district);
        int customer = 1 + random.nextInt(OrderTables.CUSTOMERS);
        update(
                connection,
                "update customer set paid = paid + ? where w = ? and d = ? and c = ?",
                amount,
                warehouse,
                district,
                customer);
    }

    private static long query(Connection connection, String sql, long... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new InvariantViolation("No row: " + sql);
            }
            return row.getLong(1);
        }
    }

    private static void update(Connection connection, String sql, long... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values)) {
            if (statement.executeUpdate() != 1) {
                throw new InvariantViolation("Not one row: " + sql);
            }
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, long... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setLong(i + 1, values[i]);
        }
        return statement;
    }
}
