package org.rowlock.examples.start;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.rowlock.RowLocks;
import org.rowlock.examples.MoneyTransfer;
import org.rowlock.testing.Threads;

/** Threads move money between three accounts, back and forth and all at once. */
final class TransferExample implements Example {
    private static final int ACCOUNTS = 3;
    private static final int TRANSFERS = 100;
    private static final long OPENING_BALANCE = 1_000;

    @Override
    public String title() {
        return THREADS + " threads make " + TRANSFERS + " transfers each between " + ACCOUNTS + " accounts";
    }

    @Override
    public List<String> tables() {
        return List.of(
                "create table account (id bigint primary key, balance bigint not null)",
                "insert into account select id, " + OPENING_BALANCE + " from generate_series(1, " + ACCOUNTS
                        + ") as id");
    }

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        MoneyTransfer bank = new MoneyTransfer(RowLocks.of(dataSource));
        int covered = Threads.query(THREADS, thread -> transfers(bank, new Random(thread))).stream()
                .mapToInt(Integer::intValue)
                .sum();
        List<String> lines = new ArrayList<>();
        lines.add(covered + " transfers were covered, " + (THREADS * TRANSFERS - covered) + " were not.");
        long sum = 0;
        for (long balance : balances(dataSource)) {
            lines.add("Balance: " + balance);
            if (balance < 0) {
                throw new IllegalStateException("A balance is " + balance + ": two transfers spent the same money");
            }
            sum += balance;
        }
        if (sum != ACCOUNTS * OPENING_BALANCE) {
            throw new IllegalStateException("The sum is " + sum + " instead of " + ACCOUNTS * OPENING_BALANCE);
        }
        lines.add("The sum is still " + sum + ", and no balance is below zero.");
        return lines;
    }

    private static int transfers(MoneyTransfer bank, Random random) throws SQLException {
        int covered = 0;
        for (int i = 0; i < TRANSFERS; i++) {
            int from = random.nextInt(ACCOUNTS);
            int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            covered += bank.transfer(from + 1, to + 1, 1 + random.nextInt(700)) ? 1 : 0;
        }
        return covered;
    }

    private static List<Long> balances(DataSource dataSource) throws SQLException {
        List<Long> balances = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select balance from account order by id")) {
            while (row.next()) {
                balances.add(row.getLong(1));
            }
        }
        return balances;
    }
}
