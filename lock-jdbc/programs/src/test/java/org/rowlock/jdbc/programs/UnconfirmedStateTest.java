package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TestDatabase;
import software.amazon.jdbc.exceptions.AbstractPgExceptionHandler;
import software.amazon.jdbc.exceptions.MultiAzDbClusterPgExceptionHandler;
import software.amazon.jdbc.exceptions.PgExceptionHandler;

/**
 * A commit that is done and not confirmed has the SQLSTATE RL001. No library around Rowlock may treat it as a lost
 * connection or retry it. The control is 08007, which all of them treat so.
 */
class UnconfirmedStateTest {
    private static final String UNCONFIRMED = "RL001";
    private static final String UNKNOWN = "08007";

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    /** The driver's error has the state as the server gives it, here by a {@code raise}. */
    private static void fail(Connection connection, String state) {
        assertThatThrownBy(() -> {
                    TestDatabase.execute(
                            connection, "do $$ begin raise 'unconfirmed' using errcode = '" + state + "'; end $$");
                })
                .hasFieldOrPropertyWithValue("SQLState", state);
    }

    /** An override as an application may configure it. Hikari's own rules decide on all other states. */
    public static final class OwnRules implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException e) {
            boolean transients = e instanceof SQLTransientException || e instanceof SQLRecoverableException;
            return transients ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hikariKeepsTheConnection(boolean ownRules) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(1);
        if (ownRules) {
            config.setExceptionOverrideClassName(OwnRules.class.getName());
        }
        try (HikariDataSource pool = new HikariDataSource(config)) {
            String first;
            try (Connection connection = pool.getConnection()) {
                first = pid(connection);
                fail(connection, UNCONFIRMED);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(pid(connection)).isEqualTo(first);
                fail(connection, UNKNOWN);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(pid(connection)).as("the control").isNotEqualTo(first);
            }
        }
    }

    private static String pid(Connection connection) throws SQLException {
        return TestDatabase.query(connection, "select pg_backend_pid()");
    }

    @Test
    void theAwsWrapperSeesNoFailover() {
        for (AbstractPgExceptionHandler each :
                new AbstractPgExceptionHandler[] {new PgExceptionHandler(), new MultiAzDbClusterPgExceptionHandler()}) {
            assertThat(each.isNetworkException(UNCONFIRMED)).isFalse();
            assertThat(each.isLoginException(UNCONFIRMED)).isFalse();
            assertThat(each.isReadOnlyConnectionException(UNCONFIRMED, 0)).isFalse();
            assertThat(each.isNetworkException("08006")).as("the control").isTrue();
        }
    }
}
