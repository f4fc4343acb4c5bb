package org.rowlock.jmh.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.internal.text.TableName;
import org.rowlock.jmh.report.Summary;
import org.rowlock.jmh.run.Comparison;
import org.rowlock.jmh.run.ComparisonSettings;
import org.rowlock.jmh.run.Results;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.UserError;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Checks that a statement of the user is measured in a copy of its table, and that the table itself is only read. */
class OwnStatementTest {
    private static final Path SHOP = Path.of("../examples/shop/src/main/resources/schema.sql");

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @TempDir
    private Path directory;

    private final List<String> remarks = new ArrayList<>();

    @Command
    private static final class Own {
        @Mixin
        private final OwnOptions own = new OwnOptions();
    }

    @AfterEach
    void noSchemaIsLeft() throws SQLException {
        assertThat(database.query("select to_regnamespace('rowlock_bench')")).isNull();
    }

    private void createShop() throws IOException, SQLException {
        database.execute(Files.readString(SHOP));
        database.execute(
                "insert into orders (customer, state) select 'c' || n, 'NEW' from generate_series(1, 200) as n",
                "insert into stock select n, 100, 100 from generate_series(1, 20) as n",
                "insert into order_line select n, 1 + n % 20, 1 from generate_series(1, 200) as n");
    }

    @Test
    void theOrdersOfTheShopAreMeasured() throws Exception {
        createShop();
        String before = content();
        Own command = given(
                "select state from orders where id = $1 for no key update",
                "select l.order_id, l.product from order_line as l join orders as o on o.id = l.order_id order by 1",
                """
                update stock set available = available - 1, initial = initial - 1 where product = $2 and available > 0;
                update orders set state = 'SHIPPED' where id = $1; -- the end
                insert into orders (customer, state) values ('a copy; of ' || $1, 'NEW')
                """);
        Scenario scenario = command.own.scenario(address(), null, remarks);
        assertThat(scenario.title()).contains(database.schema() + ".orders");
        assertThat(scenario.question())
                .contains("select state from orders where id = ? for no key update", "zipf(1..200");
        assertThat(remarks).anySatisfy(remark -> assertThat(remark).contains("only read", "foreign keys (1)"));

        Results results = run(scenario.with(List.of(point(scenario)), scenario.variants()), command);
        assertThat(results.failures()).isEmpty();
        assertThat(results.scenarios().get(0).points().get(0).variants())
                .extracting(Results.VariantResult::label)
                .containsExactlyElementsOf(
                        scenario.variants().stream().map(Variant::label).toList());
        assertThat(results.scenarios().get(0).points().get(0).variants())
                .allSatisfy(
                        variant -> assertThat(variant.figures().get("score")).isPositive());
        assertThat(Summary.of(results)).contains("own", "by hand", "drop-in queue");
        assertThat(content()).as("the shop's own rows").isEqualTo(before);
        assertThat(database.query("select last_value from orders_id_seq")).isEqualTo("200");
    }

    private String content() throws SQLException {
        return database.query(
                "select md5(string_agg(t::text, '' order by t::text)) from (select o::text, xmin::text,"
                        + " xmax::text from orders as o union all select s::text, xmin::text, xmax::text from stock as s) as t");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '`',
            value = {
                "bigint generated always as identity @ default",
                "bigserial @ default",
                "smallint @ n",
                "numeric(30) @ 1e20 + n",
                "numeric(12, 2) @ n + 0.5",
                "uuid @ md5(n::text)::uuid",
                "text @ 'ORDER ''2026''/' || n",
                "varchar(20) @ 'O' || n",
                "char(8) @ 'O' || n",
                "date @ date '2026-01-01' + n",
                "timestamp @ timestamp '2026-01-01 12:00' + n * interval '1.5 minutes'",
                "timestamptz @ timestamptz '2026-01-01 12:00+01' + n * interval '1.5 minutes'",
                "boundary @ case when n = 1 then 'low' else 'high' end::boundary"
            })
    void anyTypeOfIdIsLockedInEachWay(String type, String value) throws Exception {
        database.execute(
                "create type boundary as enum ('low', 'high')",
                "create table t (id " + type
                        + " primary key, n int not null, twice int generated always as (2 * n) stored)",
                value.equals("default")
                        ? "insert into t (n) select 0 from generate_series(1, 40) as n"
                        : "insert into t (id, n) select " + value
                                + ", 0 from generate_series(1, 40) as n on conflict do" + " nothing");
        tryOut("select * from t where id = $1 for update", "", "update t set n = n + 1 where id = $1");
        assertThat(remarks).noneMatch(remark -> remark.startsWith("Without"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '@',
            quoteCharacter = '`',
            value = {
                "citext @ 'Order ' || n @ BOTH ADVISORY",
                "float8 @ n / 3.0 @ BOTH ADVISORY",
                "real @ n @ BOTH ADVISORY",
                "text collate anycase @ 'Order ' || n @ BOTH ADVISORY",
                "interval @ n * interval '1 hour' @ BOTH ADVISORY",
                "boolean @ n = 1 @ BOTH ADVISORY",
                "inet @ '10.0.0.1'::inet + n @ BOTH ADVISORY",
            })
    void aStrategyWithoutKeysForTheTypeIsLeftOut(String type, String value, String without) throws Exception {
        database.execute(
                "create extension if not exists citext schema public",
                "create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                "create table t (id " + type + " primary key, n int not null)",
                "insert into t select " + value + ", 0 from generate_series(1, 40) as n on conflict do nothing",
                "create table two (tenant int, id " + type + ", n int not null, primary key (tenant, id))",
                "insert into two select tenant, id, 0 from t cross join generate_series(1, 2) as tenant");
        List<String> left = Arrays.asList(without.split(" "));
        List<String> expected = Stream.of("ROW", "BOTH", "ADVISORY")
                .filter(strategy -> !left.contains(strategy))
                .toList();
        for (String work : List.of("t where id = $1", "two where id = $1 and tenant = $2")) {
            remarks.clear();
            Own command = given("select * from " + work + " for update", "", "");
            Scenario scenario = command.own.scenario(address(), null, remarks);
            assertThat(scenario.variants().stream()
                            .filter(variant -> !variant.strategy().equals("FOR_UPDATE"))
                            .map(Variant::strategy)
                            .distinct())
                    .containsExactlyElementsOf(expected);
            assertThat(left)
                    .allSatisfy(strategy -> assertThat(remarks)
                            .anyMatch(remark ->
                                    remark.startsWith("Without " + strategy + ": ") && remark.contains("type")));
        }
        // The other strategies run, and the report has the reason beside their results.
        Own command = given("select * from t where id = $1 for update", "", "");
        remarks.clear();
        Scenario scenario = command.own.scenario(address(), null, remarks);
        Results results = run(scenario.with(List.of(point(scenario)), scenario.variants()), command);
        assertThat(results.failures()).isEmpty();
        assertThat(Summary.of(results)).contains("Note: Without ADVISORY: ", "strategy ROW");
    }

    @Test
    void aRunOfWhichNoStrategyIsLeftIsRefused() throws Exception {
        database.execute(
                "create extension if not exists citext schema public",
                "create table t (id public.citext primary key)",
                "insert into t values ('a')");
        Path lock = Files.writeString(directory.resolve("lock.sql"), "select * from t where id = $1 for update");
        StringWriter err = new StringWriter();
        ServerAddress address = address();
        int status = Program.run(
                new PrintWriter(new StringWriter()),
                new PrintWriter(err),
                "compare",
                "--yes",
                "--variant=both; advisory",
                "--sql=" + lock,
                "--url=" + address.url(),
                "--user=" + address.user(),
                "--password=" + address.password(),
                "--report=" + directory.resolve("report"));
        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).contains("has no variant to compare", "ROW", "Without BOTH: ", "strategy ROW");
    }

    @Test
    void compositeKeysInAnyOrderPartitionsAndQualifiedNames() throws Exception {
        String schema = database.schema();
        database.execute(
                "create table \"Order Line\" (tenant int, \"No\" text, state text default 'new',"
                        + " primary key (tenant, \"No\"))"
                        + " partition by list (tenant)",
                "create table p1 partition of \"Order Line\" for values in (1)",
                "create table p2 partition of \"Order Line\" for values in (2)",
                "insert into \"Order Line\" select 1 + n % 2, 'N' || n from generate_series(1, 60) as n");
        tryOut(
                "select * from \"" + schema
                        + "\".\"Order Line\" as l where l.\"No\" = ? and l.tenant = ? for update of l",
                "select \"No\", tenant from \"Order Line\" where tenant = 2",
                "update \"" + schema + "\".\"Order Line\" set state = 'paid' where tenant = $2 and \"No\" = $1");
        assertThat(remarks).anySatisfy(remark -> assertThat(remark).contains("partitions"));
        assertThat(database.query("select count(*) from \"Order Line\" where state <> 'new'"))
                .isEqualTo("0");
    }

    @Test
    void anyNameIsQuoted() throws Exception {
        Random random = new Random(4711);
        for (int i = 0; i < 12; i++) {
            String table = TableName.quoteIdentifier(name(random));
            String column = TableName.quoteIdentifier(name(random));
            String sequence = TableName.quoteIdentifier(name(random) + 's');
            database.execute(
                    "create sequence " + sequence,
                    "create table " + table + " (" + column + " bigint primary key default nextval('"
                            + sequence.replace("'", "''") + "'), \"other " + i + "\" int)",
                    "insert into " + table + " (\"other " + i + "\") select n from generate_series(1, 20) as n");
            tryOut(
                    "select * from " + table + " where " + column + " = $1 for share",
                    "",
                    "insert into " + table + " (\"other " + i + "\") values (1)");
            assertThat(database.query("select last_value from " + sequence))
                    .as("the sequence of %s", table)
                    .isEqualTo("20");
            database.execute("drop table " + table, "drop sequence " + sequence);
        }
    }

    private static String name(Random random) {
        String letters = "abAB09_ \"'.$?;-ä€()";
        return random.ints(1 + random.nextInt(12), 0, letters.length())
                .mapToObj(i -> letters.substring(i, i + 1))
                .collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "select * from orders where id = $1 | cannot be measured",
                "select * from orders where id in (1, 2) for update | must not have OR, IN",
                "select * from orders where id = $1 or id = $2 for update | cannot be measured",
                "select * from orders o join stock s on true where o.id = $1 for update | of one table",
                "select * from orders where customer = $1 for update | primary key (id)",
                "select * from orders where id = 42 for update | such as $1",
                "select * from orders where id = $1 for update nowait | NOWAIT",
                "select * from orders where id = $1 for update skip locked | --scenario queue",
                "update orders set state = '' where id = $1 | Give one SELECT",
                "select * from ordres where id = $1 for update | names ordres, and the user sees no such table",
                "select * from open_orders where id = $1 for update | no table",
                "select * from log where id = $1 for update | no primary key",
                "select 1; select * from orders where id = $1 for update | 2 statements",
                "select * from orders where id = $1 and state = ? for update | both forms",
                "select * from orders where id = $1 and state = $2 for update | state",
            })
    void whatCannotBeMeasuredIsRefusedWithAdvice(String lock, String said) throws Exception {
        createShop();
        database.execute("create view open_orders as select * from orders", "create table log (id int)");
        if (said.equals("state")) {
            tryOut(lock, "", "");
            assertThatThrownBy(() -> tryOut(lock, "select id from orders", ""))
                    .hasMessageContaining("parameter $2")
                    .hasMessageContaining("1 column(s)");
            return;
        }
        assertThatThrownBy(() -> tryOut(lock, "select id from orders", ""))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "select id from orders for update | --keys failed: | read-only",
                "delete from orders returning id | --keys failed: | only reads",
                "select id frm orders | --keys failed: | select id",
                "select id from orders where false | --keys returns no row | nothing to lock",
                "select null::int | --keys returns a null | is not null",
                "select 12345 | No key of --keys | $1",
                "select 'x' | failed | x",
                "select id from orders where id = $1 | without parameters | --keys",
            })
    void wrongKeysGetAnAnswer(String keys, String said, String more) throws Exception {
        createShop();
        assertThatThrownBy(() -> tryOut("select * from orders where id = $1 for update", keys, ""))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(said)
                .hasMessageContaining(more);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "drop table orders | Leave it out",
                "commit | Leave it out",
                "select write_orders() | write_orders()",
                "select nextval('public.orders_id_seq') | public.orders_id_seq",
                "update open_orders set state = '' where id = $1 | view",
                "update orders set stat = '' where id = $1 | stat",
                "insert into order_line values ($1, 777, 1) | several times",
                "update orders set state = 'PAID' where id = $1 | no row",
                "update orders set state = ' where id = $1 | rolled back",
            })
    void wrongWorkGetsAnAnswerAndChangesNothing(String work, String said) throws Exception {
        createShop();
        database.execute(
                "create view open_orders as select * from orders",
                "create function write_orders() returns void language sql as 'update orders set state = ''X'''");
        String before = content();
        assertThatThrownBy(() -> tryOut(
                        "select * from orders where id = $1 and state = 'NEW' for update",
                        "select id from orders",
                        work))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(said);
        assertThat(content()).isEqualTo(before);
    }

    /** For example, a column default can change a table that no statement names. */
    @Test
    void whatLeadsToTheUsersOwnTablesIsRefused() throws Exception {
        createShop();
        database.execute(
                "create table counter (n int)",
                "insert into counter values (0)",
                "create function next_number() returns int language sql as 'update counter set n = n + 1 returning n'",
                "create table numbered (id int primary key, number int default next_number())",
                "insert into numbered values (1, 1)");
        assertThatThrownBy(() -> tryOut(
                        "select * from numbered where id = $1 for update",
                        "",
                        "insert into numbered (id) select max(id) + 1 from numbered"))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("lock counter");
        assertThat(database.query("select n from counter")).isEqualTo("0");
    }

    @Test
    void aTableThatTheRoleMayNotReadIsNamed() throws Exception {
        createShop();
        String role = database.role("create on database " + database.query("select quote_ident(current_database())"));
        ServerAddress reader = new ServerAddress(address().url(), role, "secret");
        Own command = given("select * from orders where id = $1 for update", "", "");
        assertThatThrownBy(() -> command.own.scenario(reader, null, remarks))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("permission denied for table orders");
    }

    @Test
    void theHottestShareBecomesAnExponent() throws Exception {
        createShop();
        Own command = given("select * from orders where id = $1 for update", "", "", "--hottest", "25");
        assertThat(command.own.scenario(address(), null, remarks).question()).contains("zipf(1..200, s = 1.1");
    }

    @Test
    void whatDoctorSawIsMeasured() throws Exception {
        createShop();
        Path seen = Files.writeString(directory.resolve("doctor.json"), """
                {"hotStatement": {"statement": "select * from orders where id = $1 for update", "table": "orders",
                 "mode": "FOR_UPDATE", "hottestPercent": 50, "holdMillis": 2.5, "clients": 7}}
                """);
        Own command = parse("--from", seen.toString());
        Scenario scenario = command.own.scenario(address(), null, remarks);
        assertThat(scenario.points())
                .singleElement()
                .satisfies(point -> assertThat(point.clients()).isEqualTo(7));
        assertThat(scenario.question()).contains("a pause of 2.5 ms", "s = 1.7");
        Files.writeString(seen, "{}");
        assertThatThrownBy(() -> command.own.scenario(address(), null, remarks))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("doctor --json");
    }

    private void tryOut(String lock, String keys, String work) throws IOException {
        given(lock, keys, work).own.scenario(address(), null, remarks);
    }

    private Own given(String lock, String keys, String work, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--sql", Files.writeString(directory.resolve("lock.sql"), lock).toString(),
                "--work", Files.writeString(directory.resolve("work.sql"), work).toString()));
        if (!keys.isEmpty()) {
            arguments.addAll(List.of("--keys", keys));
        }
        arguments.addAll(Arrays.asList(more));
        return parse(arguments.toArray(String[]::new));
    }

    private Own parse(String... arguments) {
        Own command = new Own();
        new CommandLine(command).parseArgs(arguments);
        assertThat(command.own.areGiven(address())).isTrue();
        return command;
    }

    private ServerAddress address() {
        TestPostgres server = TestPostgres.shared();
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setApplicationName("");
        return new ServerAddress(dataSource.getURL(), server.user(), server.password());
    }

    private Results run(Scenario scenario, Own command) {
        return new Comparison(
                        new ComparisonSettings(
                                List.of(scenario.timed(new Timing(1, 0, 1, 300))),
                                address(),
                                0,
                                "",
                                "",
                                remarks,
                                null,
                                command.own.statement()),
                        line -> {},
                        line -> {})
                .run();
    }

    private static Point point(Scenario scenario) {
        return scenario.points().get(0).of(4);
    }
}
