package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.TestDatabase;

/** The driver: found by its URL, and PostgreSQL's in all else. */
class RowlockDriverTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table account(id int primary key)");

    private String url(String parameters) {
        PGSimpleDataSource plain = database.dataSource();
        String url = plain.getURL().replace("jdbc:", "jdbc:rowlock:");
        return url + (url.contains("?") ? "&" : "?") + parameters;
    }

    private Properties login() {
        PGSimpleDataSource plain = database.dataSource();
        Properties login = new Properties();
        login.setProperty("user", plain.getUser());
        if (plain.getPassword() != null) {
            login.setProperty("password", plain.getPassword());
        }
        return login;
    }

    @Test
    void isFoundByTheServiceLoader() {
        assertThat(ServiceLoader.load(Driver.class)).anyMatch(RowlockDriver.class::isInstance);
    }

    @Test
    void connectsByItsUrl() throws Exception {
        String url = url("rowlock.mode=observe&rowlock.exclude=a,b&rowlock.release=early");
        try (Connection connection = DriverManager.getConnection(url, login());
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery("select count(*) from account").next())
                    .isTrue();
            assertThat(connection.unwrap(PGConnection.class).getBackendPID()).isPositive();
            assertThat(statement.getConnection()).isSameAs(connection);
        }
        RowlockJdbcMXBean control = RowlockDriver.control(url);
        assertThat(control.getMode()).isEqualTo("observe");
        assertThat(control.getExclude()).containsExactly("a", "b");
        assertThat(control.getRelease()).isEqualTo("early");
    }

    @Test
    void takesSettingsAsPropertiesToo() throws Exception {
        String url = url("ApplicationName=properties");
        Properties properties = login();
        properties.setProperty("rowlock.mode", "OFF");
        DriverManager.getConnection(url, properties).close();
        assertThat(RowlockDriver.control(url).getMode()).isEqualTo("off");
    }

    @Test
    void leavesOtherUrlsToOthers() throws Exception {
        assertThat(new RowlockDriver().acceptsURL("jdbc:postgresql://localhost/x"))
                .isFalse();
        assertThat(new RowlockDriver().connect("jdbc:postgresql://localhost/x", null))
                .isNull();
    }

    @Test
    void saysWhichModeThereIsNot() {
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.mode=fast"), login()))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22023"))
                .hasMessageContaining("no mode <fast>; use off, observe, queue or front");
    }

    @Test
    void saysWhichReleaseThereIsNot() {
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.release=soon"), login()))
                .hasMessageContaining("no release <soon>; use plain or early");
    }

    @Test
    void saysWhichSettingThereIsNot() {
        assertThatThrownBy(() -> DriverManager.getConnection(url("rowlock.mod=off"), login()))
                .hasMessageContaining(
                        "no setting <rowlock.mod>; use rowlock.mode, rowlock.include, rowlock.exclude, rowlock.release");
    }
}
