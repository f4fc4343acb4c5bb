package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;

/**
 * The same random program of JDBC calls on a plain and a wrapped connection sees the same: values, counts, errors with
 * their positions, warnings and state; and leaves the same rows. In mode queue the lock goes in front wherever it may.
 */
class RandomProgramsTest {
    private static TestDatabase database;
    private static PGSimpleDataSource plain;
    private static final Map<String, GatedDatabase> WRAPPED = new LinkedHashMap<>();

    @BeforeContainer
    static void open() throws Exception {
        database = new TestDatabase(
                "create table account(id int primary key, balance int not null check (balance > -100))",
                "create table note(id serial primary key, number int)",
                "create function warned(number int) returns boolean language plpgsql as"
                        + " 'begin raise warning ''number %'', number; return true; end'");
        database.beforeEach(null);
        // No wait for the row that another session holds takes long.
        plain = database.dataSourceWith("-c lock_timeout=20ms");
        for (DropInMode mode : List.of(DropInMode.OBSERVE, DropInMode.QUEUE)) {
            GatedDatabase gated = new GatedDatabase(
                    plain, mode, GatedDatabase.fronts(1, GatedDatabase.NEVER_OVER, GatedDatabase.NEVER_OVER));
            gated.learn("account");
            WRAPPED.put(mode.name(), gated);
        }
    }

    @AfterContainer
    static void close() throws Exception {
        database.afterEach(null);
    }

    @Property(tries = 30, shrinking = ShrinkingMode.OFF)
    void seesTheSame(@ForAll long seed) throws Exception {
        List<String> expected = outcome(plain, seed);
        for (Map.Entry<String, GatedDatabase> each : WRAPPED.entrySet()) {
            assertThat(outcome(each.getValue().dataSource, seed))
                    .as(each.getKey())
                    .isEqualTo(expected);
            assertThat(each.getValue().gate.inside()).isZero();
        }
    }

    @Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
    @Tag("long")
    void seesTheSameInManyPrograms(@ForAll long seed) throws Exception {
        seesTheSame(seed);
    }

    @AfterContainer
    static void actedWhereItIsToAct() {
        for (String figure : List.of("fronted", "passed.BATCH", "passed.KEY_VALUE")) {
            assertThat(WRAPPED.get(DropInMode.QUEUE.name()).figure("account", figure))
                    .as(figure)
                    .isPositive();
        }
    }

    private static List<String> outcome(DataSource dataSource, long seed) throws Exception {
        database.execute(
                "truncate account, note restart identity",
                "insert into account select g, g * 10 from generate_series(1, 5) g");
        List<String> seen;
        try (Session holder = database.session("holder")) {
            holder.execute("select from account where id = 5 for update");
            seen = new ArrayList<>(RandomProgram.run(dataSource.getConnection(), seed));
            holder.rollback();
        }
        seen.add(database.query("select string_agg(a::text, ' ' order by id) from account a"));
        seen.add(database.query("select coalesce(string_agg(n::text, ' ' order by id), '') from note n"));
        return seen;
    }
}
