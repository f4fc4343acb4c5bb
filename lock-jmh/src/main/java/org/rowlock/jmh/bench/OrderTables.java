package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jmh.server.BenchmarkServer;

/** Warehouses with their districts, customers, stock and orders. */
record OrderTables(BenchmarkServer server) {
    static final int DISTRICTS = 10;
    static final int CUSTOMERS = 100;
    static final int ITEMS = 1_000;

    /** Each must be true: what was paid arrived in both, every number has its order, and what was ordered is gone. */
    private static final String[] CHECKS = {
        "(select sum(paid) from warehouse) = (select sum(paid) from district)",
        "(select sum(paid) from warehouse) = (select sum(paid) from customer)",
        "(select sum(next_order - 1) from district) = (select count(*) from orders)",
        "(select coalesce(sum(items), 0) from orders) = (select sum(taken) from stock)"
    };

    static OrderTables create(BenchmarkServer server, int warehouses) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : new String[] {
                "create table warehouse (w int primary key, paid bigint not null default 0) with (fillfactor = 50)",
                "create table district (w int, d int, next_order int not null default 1, paid bigint not null default 0,"
                        + " primary key (w, d)) with (fillfactor = 50)",
                "create table customer (w int, d int, c int, paid bigint not null default 0, primary key (w, d, c))",
                "create table stock (w int, item int, taken bigint not null default 0, primary key (w, item))",
                "create table orders (w int, d int, number int, items int not null, primary key (w, d, number))",
                "insert into warehouse select g from generate_series(1, " + warehouses + ") g",
                "insert into district select w, g from warehouse, generate_series(1, " + DISTRICTS + ") g",
                "insert into customer select w, d, g from district, generate_series(1, " + CUSTOMERS + ") g",
                "insert into stock select w, g from warehouse, generate_series(1, " + ITEMS + ") g",
                "vacuum analyze warehouse, district, customer, stock, orders"
            }) {
                statement.execute(sql);
            }
        }
        return new OrderTables(server);
    }

    void check() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String check : CHECKS) {
                try (ResultSet row = statement.executeQuery("select " + check)) {
                    row.next();
                    if (!row.getBoolean(1)) {
                        throw new InvariantViolation("This does not hold: " + check);
                    }
                }
            }
        }
    }
}
