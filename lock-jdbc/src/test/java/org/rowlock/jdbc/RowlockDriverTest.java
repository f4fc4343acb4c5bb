package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.testing.Failures.assertIllegal;

import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;

/** The driver: found by its URL, and PostgreSQL's in all else. */
class RowlockDriverTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(0);

    private String url(String parameters) {
        PGSimpleDataSource plain = database.dataSource();
        String url = plain.getURL().replace("jdbc:", "jdbc:rowlock:");
        return url + (url.contains("?") ? "&" : "?") + parameters;
    }

    @Test
    void isFoundByTheServiceLoader() {
        assertThat(ServiceLoader.load(Driver.class)).anyMatch(RowlockDriver.class::isInstance);
    }

    @Test
    void connectsByItsUrl() throws Exception {
        String url = url("rowlock.mode=observe&rowlock.exclude=a,b");
        try (Connection connection = DriverManager.getConnection(url, database.login());
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery("select count(*) from account").next())
                    .isTrue();
            assertThat(connection.unwrap(PGConnection.class).getBackendPID()).isPositive();
            assertThat(statement.getConnection()).isSameAs(connection);
        }
        RowlockJdbcMXBean control = RowlockDriver.control(url, null);
        assertThat(control.getSettings()).containsEntry("mode", "observe").containsEntry("exclude", "a,b");
    }

    @Test
    void decodesItsParametersAsPostgresqlsDriverDoes() throws Exception {
        String url = url("rowlock%2Emode=off&rowlock.exclude=%22a%20b%22%2Cc&ApplicationName=a%20b");
        try (Connection connection = DriverManager.getConnection(url, database.login())) {
            assertThat(connection.getClientInfo("ApplicationName")).isEqualTo("a b");
        }
        assertThat(RowlockDriver.control(url, null).getSettings())
                .containsEntry("mode", "off")
                .containsEntry("exclude", "\"a b\",c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock.Mode=off", "RowLock.modus=off", "ROWLOCK%2EMODE=off", "rowlock.mode=%zz"})
    void refusesWhatItDoesNotKnowInWhateverCase(String parameter) {
        assertThatThrownBy(() -> DriverManager.getConnection(url(parameter), database.login()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("cannot be used");
    }

    @Test
    void isGoneFromJmxWhenItIsClosed() throws Exception {
        String url = url("ApplicationName=closed");
        ObjectName names = new ObjectName("org.rowlock:type=Jdbc,*");
        int before = ManagementFactory.getPlatformMBeanServer()
                .queryNames(names, null)
                .size();
        try (Connection connection = DriverManager.getConnection(url, database.login())) {
            assertThat(RowlockDriver.control(url, null)).isNotNull();
            RowlockDriver.close();
            assertThat(RowlockDriver.control(url, null)).isNull();
            assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(names, null))
                    .hasSizeLessThanOrEqualTo(before);
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.execute("update account set id = 1 where id = 2"))
                        .isFalse();
            }
        }
        DriverManager.getConnection(url, database.login()).close();
        assertThat(RowlockDriver.control(url, null)).isNotNull();
    }

    @Test
    void isGoneFromJmxWhenItIsDeregistered() throws Exception {
        String url = url("ApplicationName=deregistered");
        DriverManager.getConnection(url, database.login()).close();
        assertThat(RowlockDriver.control(url, null)).isNotNull();
        Driver registered = DriverManager.drivers()
                .filter(RowlockDriver.class::isInstance)
                .findFirst()
                .orElseThrow();
        DriverManager.deregisterDriver(registered);
        try {
            assertThat(RowlockDriver.control(url, null)).isNull();
        } finally {
            DriverManager.registerDriver(registered, RowlockDriver::close);
        }
    }

    @Test
    void takesSettingsAsPropertiesToo() throws Exception {
        String url = url("ApplicationName=properties");
        Properties properties = database.login();
        properties.setProperty("rowlock.mode", "OFF");
        DriverManager.getConnection(url, properties).close();
        assertThat(RowlockDriver.control(url, properties).getSettings().get("mode"))
                .isEqualTo("off");
    }

    /** As PostgreSQL's driver: tools ask every driver that they know. */
    @Test
    void aUrlOfAnotherDriverIsNoError() throws Exception {
        Driver driver = new RowlockDriver();
        assertThat(driver.connect("jdbc:other:db", database.login())).isNull();
        assertThat(driver.connect("jdbc:postgresql://localhost/x", null)).isNull();
        assertThat(driver.connect(null, database.login())).isNull();
        assertThat(driver.acceptsURL("jdbc:postgresql://localhost/x")).isFalse();
        assertThat(driver.acceptsURL(null)).isFalse();
        assertThat(driver.getPropertyInfo("jdbc:other", null)).isNotEmpty();
    }

    @Test
    void aUrlThatCannotBeReadIsRefusedAsByPostgresqlsDriver() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:rowlock:postgresql://localhost:999999/db"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Unable to parse URL");
    }

    @Test
    void whatIsNullIsSaid() {
        DataSource plain = database.dataSource();
        assertIllegal(() -> RowlockDataSource.wrap(null), "is null");
        assertIllegal(() -> RowlockDataSource.wrap(plain, null, Map.of()), "is null");
        assertIllegal(() -> RowlockDataSource.wrap(plain, "test", null), "is null");
        assertIllegal(() -> RowlockDataSource.wrap(plain, "test", Collections.singletonMap("mode", null)), "is null");
        assertIllegal(() -> RowlockDataSource.wrap(plain).control().set("mode", null), "is null");
    }

    /** A program that connects again by it comes to the same driver and settings. */
    @Test
    void itsUrlIsTheOneThatItWasGiven() throws Exception {
        String url = url("rowlock.mode=observe");
        try (Connection connection = DriverManager.getConnection(url, database.login())) {
            assertThat(connection.getMetaData().getURL()).isEqualTo(url);
        }
        try (Connection connection =
                RowlockDataSource.wrap(database.dataSource()).getConnection()) {
            assertThat(connection.getMetaData().getURL()).startsWith("jdbc:postgresql:");
        }
    }

    @Test
    void everyPoolHasTheSettingsOfItsProperties() throws Exception {
        String url = url("ApplicationName=pools");
        Properties first = database.login();
        first.setProperty("rowlock.mode", "observe");
        Properties second = database.login();
        second.setProperty("rowlock.mode", "queue");
        second.setProperty("rowlock.exclude", "account");
        for (Properties pool : List.of(first, second, first)) {
            try (Connection connection = DriverManager.getConnection(url, pool)) {
                String delete = "delete from account where id = 1";
                TestDatabase.execute(connection, delete, delete);
            }
        }
        RowlockJdbcMXBean observing = RowlockDriver.control(url, first);
        assertThat(observing.getFigures().get("account")).containsEntry("recognised", 4L);
        RowlockJdbcMXBean queueing = RowlockDriver.control(url, second);
        assertThat(queueing.getSettings().get("mode")).isEqualTo("queue");
        assertThat(queueing.getFigures().get("account")).containsEntry("passed.EXCLUDED", 2L);
        assertThat(RowlockDriver.control(url, database.login())).isNull();
        assertThat(RowlockDriver.control("jdbc:x", null)).isNull();
    }

    /** Among them are ours for all DataSources, and those of others that begin like ours. */
    @Test
    void takesTheSystemPropertiesAsProperties() throws Exception {
        String url = url("ApplicationName=system");
        System.setProperty("rowlock.jdbc.mode", "observe");
        System.setProperty("rowlock.key", "a key of the application's");
        try {
            Properties properties = new Properties();
            properties.putAll(System.getProperties());
            properties.putAll(database.login());
            DriverManager.getConnection(url, properties).close();
            assertThat(RowlockDriver.control(url, null).getSettings().get("mode"))
                    .isEqualTo("observe");
        } finally {
            System.clearProperty("rowlock.jdbc.mode");
            System.clearProperty("rowlock.key");
        }
    }

    @Test
    void saysWhichModeThereIsNot() {
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.mode=fast"), database.login()))
                .hasFieldOrPropertyWithValue("SQLState", "22023")
                .hasMessageContaining("mode is <fast>; use off, observe or queue");
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.front=sometimes"), database.login()))
                .hasMessageContaining("front is <sometimes>; use adaptive, always or never");
    }

    @Test
    void saysWhichSettingThereIsNot() {
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.mod=off"), database.login()))
                .hasMessageContaining(
                        "no setting <rowlock.mod>; use rowlock.mode, rowlock.include, rowlock.exclude, rowlock.front");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:rowlock:postgresql://localhost/db?mode=observe"))
                .hasMessageContaining("<mode> lacks the prefix; use rowlock.mode");
        assertThatThrownBy(() -> RowlockDataSource.wrap(database.dataSource(), "test", Map.of("mod", "off")))
                .hasMessageContaining("no setting <mod>; use mode, include, exclude, front");
        assertThatThrownBy(() -> RowlockDataSource.wrap(database.dataSource(), "test", Map.of("exclude", "a b")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** What they lead to is tested with the drivers themselves, in lock-jdbc/programs. */
    @Test
    void takesUrlsOfDriversInFrontOfPostgres() throws Exception {
        RowlockDriver driver = new RowlockDriver();
        for (String url : List.of("jdbc:rowlock:aws-wrapper:postgresql://h/d", "jdbc:rowlock:tc:postgresql:18:///d")) {
            assertThat(driver.acceptsURL(url)).isTrue();
        }
        for (String url : List.of("jdbc:rowlock:mysql://h/d", "jdbc:rowlock://postgresql:5432/d?password=secret")) {
            assertThat(driver.acceptsURL(url)).isTrue();
            assertThatThrownBy(() -> DriverManager.getConnection(url))
                    .hasMessageContaining("there is no postgresql:, as in jdbc:rowlock:postgresql://host:port/database")
                    .hasMessageNotContaining("secret");
        }
        assertThat(driver.acceptsURL("jdbc:x:rowlock:postgresql:d")).isFalse();
        assertThat(driver.connect("jdbc:x:rowlock:postgresql:d", database.login()))
                .isNull();
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:rowlock:nobody:postgresql://h/d?password=secret"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("No driver accepts the URL jdbc:nobody:postgresql:..")
                .hasMessageNotContaining("secret");
    }
}
