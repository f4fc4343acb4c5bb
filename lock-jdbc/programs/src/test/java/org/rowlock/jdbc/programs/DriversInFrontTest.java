package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.instrumentation.jdbc.internal.OpenTelemetryConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockDriver;
import org.rowlock.testing.TestDatabase;
import org.testcontainers.jdbc.ContainerDatabaseDriver;
import software.amazon.jdbc.wrapper.ConnectionWrapper;

/** Tests URLs of the drop-in that lead to other drivers, and programs that get such a URL. */
class DriversInFrontTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private String url(String driver) {
        return database.dataSource().getURL().replace("jdbc:", "jdbc:rowlock:" + driver);
    }

    @ParameterizedTest
    @CsvSource({
        "aws-wrapper:, software.amazon.jdbc.wrapper.ConnectionWrapper",
        "otel:, io.opentelemetry.instrumentation.jdbc.internal.OpenTelemetryConnection"
    })
    void leadsToTheDriverThatItNames(String driver, Class<?> connectionOfIt) throws Exception {
        assertThat(connectionOfIt).isIn(ConnectionWrapper.class, OpenTelemetryConnection.class);
        String url = url(driver);
        try (Connection connection = DriverManager.getConnection(url, database.login());
                Statement statement = connection.createStatement()) {
            assertThat(connection.isWrapperFor(connectionOfIt)).isTrue();
            assertThat(connection.getMetaData().getURL()).isEqualTo(url);
            for (int i = 0; i < 3; i++) {
                connection.setAutoCommit(false);
                statement.execute("select balance from account where id = 1 for update");
                statement.execute("update account set balance = balance + 1 where id = 1");
                connection.commit();
            }
        }
        assertThat(RowlockDriver.control(url, null).getFigures().get("account"))
                .containsEntry("recognised", 6L)
                .containsEntry("passed.NOT_FIRST", 3L);
        assertThat(database.query("select balance from account")).isEqualTo("3");
    }

    /** Without Docker the test reaches the driver of Testcontainers, which reports that Docker is missing. */
    @Test
    void leadsToTestcontainers() throws Exception {
        String url = "jdbc:rowlock:tc:postgresql:18:///d";
        assertThat(DriverManager.getDriver("jdbc:tc:postgresql:18:///d")).isInstanceOf(ContainerDatabaseDriver.class);
        if (Boolean.getBoolean("rowlock.test.testcontainers")) {
            try (Connection connection = DriverManager.getConnection(url)) {
                assertThat(connection.getMetaData().getURL()).isEqualTo(url);
            }
        } else {
            assertThatThrownBy(() -> DriverManager.getConnection(url))
                    .hasStackTraceContaining("org.testcontainers.jdbc.ContainerDatabaseDriver");
        }
    }

    /** Flyway does not know the drop-in's URL. It needs a DataSource, or the URL of PostgreSQL's driver. */
    @Test
    void flywayMigratesByADataSource(@TempDir Path migrations) throws Exception {
        Files.writeString(migrations.resolve("V1__colour.sql"), "create table colour (id int primary key);\n");
        PGSimpleDataSource plain = database.dataSource();
        assertThatThrownBy(() -> Flyway.configure()
                        .dataSource(url(""), plain.getUser(), plain.getPassword())
                        .load()
                        .migrate())
                .isInstanceOf(FlywayException.class)
                .hasMessageContaining("jdbc:rowlock");

        try (RowlockDataSource dataSource = RowlockDataSource.wrap(database.dataSource())) {
            dataSource.control().set("mode", DropInMode.QUEUE.name());
            var result = Flyway.configure()
                    .dataSource(dataSource)
                    .locations("filesystem:" + migrations)
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .load()
                    .migrate();
            assertThat(result.migrationsExecuted).isOne();
        }
        assertThat(database.query("select count(*) from colour")).isEqualTo("0");
    }

    /** Liquibase needs the name of the driver for a URL that it does not know. */
    @Test
    void liquibaseMigratesByTheUrl(@TempDir Path changes) throws Exception {
        Files.writeString(changes.resolve("changes.sql"), """
                --liquibase formatted sql
                --changeset test:1
                create table shape (id int primary key);
                """);
        var connected = DatabaseFactory.getInstance()
                .openDatabase(
                        url(""),
                        database.dataSource().getUser(),
                        database.dataSource().getPassword(),
                        RowlockDriver.class.getName(),
                        null,
                        null,
                        null,
                        new DirectoryResourceAccessor(changes));
        try (Liquibase liquibase = new Liquibase("changes.sql", new DirectoryResourceAccessor(changes), connected)) {
            liquibase.update(new Contexts());
        }
        assertThat(database.query("select count(*) from shape")).isEqualTo("0");
    }
}
