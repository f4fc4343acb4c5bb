package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.SortedSet;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;

/**
 * Places orders and takes payments, half of each. All lock in one order, so that there is no deadlock. For one thread.
 */
final class Orders {
    private static final int DISTRICTS = 10;
    private static final int CUSTOMERS = 100;
    private static final int ITEMS = 1_000;

    /** Each must be true: what was paid arrived in both, every number has its order, and what was ordered is gone. */
    private static final String[] CHECKS = {
        "(select sum(paid) from warehouse) = (select sum(paid) from district)",
        "(select sum(paid) from warehouse) = (select sum(paid) from customer)",
        "(select sum(next_order - 1) from district) = (select count(*) from orders)",
        "(select coalesce(sum(items), 0) from orders) = (select sum(taken) from stock)"
    };

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

    /** Makes warehouses with their districts, customers, stock and orders. */
    static void create(BenchmarkServer server, int warehouses) throws SQLException {
        server.execute(
                "create table warehouse (w int primary key, paid bigint not null default 0) with (fillfactor = 50)",
                "create table district (w int, d int, next_order int not null default 1, paid bigint not null"
                        + " default 0, primary key (w, d)) with (fillfactor = 50)",
                "create table customer (w int, d int, c int, paid bigint not null default 0, primary key (w, d, c))",
                "create table stock (w int, item int, taken bigint not null default 0, primary key (w, item))",
                "create table orders (w int, d int, number int, items int not null, primary key (w, d, number))",
                "insert into warehouse select g from generate_series(1, " + warehouses + ") g",
                "insert into district select w, g from warehouse, generate_series(1, " + DISTRICTS + ") g",
                "insert into customer select w, d, g from district, generate_series(1, " + CUSTOMERS + ") g",
                "insert into stock select w, g from warehouse, generate_series(1, " + ITEMS + ") g",
                "vacuum analyze warehouse, district, customer, stock, orders");
    }

    static void check(BenchmarkServer server) throws SQLException {
        for (String check : CHECKS) {
            if (server.numbers("select count(*) where " + check)[0] != 1) {
                throw new InvariantViolation("This does not hold: " + check);
            }
        }
    }

    void run() throws SQLException {
        int warehouse = 1 + random.nextInt(warehouses);
        int district = 1 + random.nextInt(DISTRICTS);
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
            items.add(1 + random.nextInt(ITEMS));
        }
        for (int item : items) {
            long taken = Sql.number(
                    connection, "select taken from stock where w = ? and item = ? for update", warehouse, item);
            Sql.updateOne(
                    connection, "update stock set taken = ? where w = ? and item = ?", taken + 1, warehouse, item);
        }
        Sql.updateOne(connection, "insert into orders values (?, ?, ?, ?)", warehouse, district, number, wanted);
    }

    private static int number(Connection connection, int warehouse, int district) throws SQLException {
        return (int) Sql.number(
                connection,
                "update district set next_order = next_order + 1 where w = ? and d = ? returning next_order - 1",
                warehouse,
                district);
    }

    private void pay(Connection connection, int warehouse, int district) throws SQLException {
        int amount = 1 + random.nextInt(MOST_PAID);
        Sql.updateOne(connection, "update warehouse set paid = paid + ? where w = ?", amount, warehouse);
        Sql.updateOne(
                connection, "update district set paid = paid + ? where w = ? and d = ?", amount, warehouse, district);
        int customer = 1 + random.nextInt(CUSTOMERS);
        Sql.updateOne(
                connection,
                "update customer set paid = paid + ? where w = ? and d = ? and c = ?",
                amount,
                warehouse,
                district,
                customer);
    }
}
