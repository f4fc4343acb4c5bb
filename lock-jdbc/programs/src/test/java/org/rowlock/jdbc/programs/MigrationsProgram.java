package org.rowlock.jdbc.programs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;
import liquibase.resource.ResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.exception.FlywayValidateException;

/** Flyway and Liquibase, which lock their own tables. */
final class MigrationsProgram implements Program {
    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        List<String> out = new ArrayList<>();
        Path directory = Files.createTempDirectory("migrations");
        Path migration = directory.resolve("V1__colour.sql");
        Files.writeString(
                migration,
                "create table colour (id int primary key, name text);\nupdate colour set name = 'red' where id = 1;\n");
        Files.writeString(directory.resolve("R__view.sql"), "create or replace view colours as select * from colour;");
        flyway(dataSource, directory, migration, out);
        liquibase(dataSource, directory, out);
        return out;
    }

    private static void flyway(DataSource dataSource, Path directory, Path migration, List<String> out)
            throws Exception {
        Flyway flyway = Flyway.configure()
                .dataSource(dataSource)
                .locations("filesystem:" + directory)
                .load();
        flyway.migrate();
        out.add("migrated to " + flyway.info().current().getDescription());
        Files.writeString(migration, "\n-- changed\n", java.nio.file.StandardOpenOption.APPEND);
        out.add("changed: " + Concurrently.outcome(flyway::validate, FlywayValidateException.class));
        flyway.repair();
        out.add("repaired: " + Concurrently.outcome(flyway::validate, FlywayValidateException.class));
    }

    private static void liquibase(DataSource dataSource, Path directory, List<String> out) throws Exception {
        Files.writeString(directory.resolve("changes.xml"), """
                <databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog"
                    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                    xsi:schemaLocation="http://www.liquibase.org/xml/ns/dbchangelog
                        http://www.liquibase.org/xml/ns/dbchangelog/dbchangelog-latest.xsd">
                  <changeSet id="1" author="test">
                    <createTable tableName="shape">
                      <column name="id" type="int"><constraints primaryKey="true"/></column>
                      <column name="name" type="text"/>
                    </createTable>
                    <insert tableName="shape"><column name="id" value="1"/></insert>
                    <update tableName="shape"><column name="name" value="round"/><where>id = 1</where></update>
                    <rollback><dropTable tableName="shape"/></rollback>
                  </changeSet>
                  <changeSet id="2" author="test" runAlways="true">
                    <delete tableName="shape"><where>id = 2</where></delete>
                    <rollback/>
                  </changeSet>
                </databaseChangeLog>
                """);
        ResourceAccessor resources = new DirectoryResourceAccessor(directory);
        for (int i = 0; i < 2; i++) {
            var database = DatabaseFactory.getInstance()
                    .findCorrectDatabaseImplementation(new JdbcConnection(dataSource.getConnection()));
            try (Liquibase liquibase = new Liquibase("changes.xml", resources, database)) {
                liquibase.update(new Contexts());
                out.add("not yet run "
                        + liquibase.listUnrunChangeSets(new Contexts(), null).size());
                if (i == 1) {
                    liquibase.rollback(1, "");
                    liquibase.clearCheckSums();
                    liquibase.forceReleaseLocks();
                }
            }
        }
    }
}
