package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLocks;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.testing.TestDatabase;

class HotAccountTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id bigint primary key, balance bigint not null)",
            "insert into account values (1, 10)",
            "create table entry (account bigint not null, amount bigint not null)");

    @ParameterizedTest
    @EnumSource
    void everyWayLeavesTheSameRows(LockStrategy strategy) throws Exception {
        HotAccount account = new HotAccount(
                RowLocks.builder(database.dataSource()).strategy(strategy).build());
        PGSimpleDataSource dataSource = database.dataSource();
        assertThat(account.payByHand(dataSource, 1, 3)).isTrue();
        assertThat(account.pay(1, 3)).isTrue();
        account.deposit(1, -2);
        assertThat(rows()).isEqualTo("2, entries -3 -3 -2");
        assertThat(account.payByHand(dataSource, 1, 3)).isFalse();
        assertThat(account.pay(1, 3)).isFalse();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(account.pay(connection, 1, 3)).isFalse();
            assertThat(account.pay(connection, 1, 1)).isTrue();
        }
        assertThat(rows()).isEqualTo("1, entries -3 -3 -2 -1");
        assertThatThrownBy(() -> account.deposit(9, 1))
                .isInstanceOf(
                        strategy == LockStrategy.ADVISORY
                                ? UnexpectedRowCountException.class
                                : RowAbsentException.class);
        assertThat(rows()).isEqualTo("1, entries -3 -3 -2 -1");
    }

    private String rows() throws SQLException {
        return database.query("select balance || ', entries ' || (select string_agg(amount::text, ' ') from entry)"
                + " from account");
    }
}
