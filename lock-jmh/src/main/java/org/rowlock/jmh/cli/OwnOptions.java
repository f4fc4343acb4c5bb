package org.rowlock.jmh.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowlockException;
import org.rowlock.jmh.bench.OwnWork;
import org.rowlock.jmh.bench.Strategy;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Scenarios;
import org.rowlock.jmh.server.BenchmarkSchema;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.jmh.server.OwnCheck;
import org.rowlock.jmh.server.OwnStatement;
import org.rowlock.tool.HotStatement;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.Texts;
import org.rowlock.tool.ToolCommand;
import org.rowlock.tool.UserError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command-line options that measure the user's own statement. Commands include them as a mixin. */
final class OwnOptions {
    private static final double USUAL_ZIPF = 1.1;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--sql",
            paramLabel = "<file>",
            description =
                    "Measures your own statement instead of a scenario. The statement is a SELECT that locks a row of"
                            + " one table by its primary key, such as: select * from orders where id = $1 for"
                            + " update. It runs on a copy of the table with a sample of its rows, in the schema of"
                            + " the benchmarks. Triggers, foreign keys and policies are not copied. Your own tables"
                            + " are only read, with the table lock of a plain SELECT.")
    private @Nullable Path sql;

    @Option(
            names = "--keys",
            paramLabel = "<query>",
            description =
                    "The keys to lock, the hottest first; the first column is $1. Default: the keys of the table's"
                            + " rows.")
    private @Nullable String keys;

    @Option(
            names = "--work",
            paramLabel = "<file>",
            description = "The statements between the lock and the commit, with the same parameters. The tables that"
                    + " they name are copied too. Default: none.")
    private @Nullable Path work;

    @Option(
            names = "--hottest",
            paramLabel = "<percent>",
            description = "The percentage of transactions that lock the hottest key, instead of --zipf.")
    private @Nullable Double hottest;

    @Option(
            names = "--from",
            paramLabel = "<file>",
            description = "A file that doctor --json wrote. It gives the statement, the share of the hottest row, the"
                    + " number of clients and, without --work, the time that the lock is held.")
    private @Nullable Path from;

    private @Nullable OwnStatement statement;

    @Nullable
    OwnStatement statement() {
        return statement;
    }

    boolean areGiven(@Nullable ServerAddress address) {
        boolean is = sql != null || from != null;
        String lonely = keys != null ? "--keys" : work != null ? "--work" : hottest != null ? "--hottest" : "";
        ToolCommand.refuse(
                command,
                !is && !lonely.isEmpty(),
                lonely + " needs a statement of yours. Give one with --sql or --from.");
        ToolCommand.refuse(
                command,
                is && address == null,
                (sql != null ? "--sql" : "--from") + " needs the server that has your table, and an embedded server"
                        + " has no such table. Give your server: --url jdbc:postgresql://host:port/database.");
        ToolCommand.refuse(
                command,
                hottest != null && !(hottest > 0 && hottest <= 100),
                "--hottest " + hottest + " is out of range. Give a percentage above 0 and up to 100, such as 5.");
        return is;
    }

    /**
     * Reads the statement, runs it for one key in a transaction that is rolled back, and returns its scenario.
     */
    Scenario scenario(ServerAddress address, @Nullable Double zipf, List<String> remarks) {
        ToolCommand.refuse(
                command,
                zipf != null && hottest != null,
                "--zipf and --hottest both set how uneven the keys are. Give one of them.");
        HotStatement seen = from == null ? null : HotStatement.read(from);
        String lock = sql == null && seen != null ? seen.statement() : text("--sql", sql);
        double hold = work == null && seen != null ? seen.holdMillis() : 0;
        try (Connection connection = address.connect(BenchmarkSchema.applicationName("check"))) {
            connection.setAutoCommit(false);
            Jdbc.execute(connection, "set transaction read only");
            OwnStatement own =
                    OwnCheck.read(connection, lock, keys == null ? "" : keys, text("--work", work), hold, remarks);
            connection.rollback();
            Tried tried = tryOut(connection, address, own);
            connection.rollback();
            int rows = tried.rows();
            tried.refused()
                    .forEach((strategy, why) ->
                            remarks.add("Without " + strategy + ": " + Texts.printable(why.replaceAll("\\s+", " "))));
            statement = own;
            Double share = hottest == null && seen != null ? seen.hottestPercent() : hottest;
            double exponent = zipf != null ? zipf : share != null ? Zipf.exponent(rows, share / 100) : USUAL_ZIPF;
            Scenario scenario = Scenarios.own(
                    own.table(),
                    own.lock().sql().replaceAll("\\s+", " "),
                    String.format(
                            Locale.ROOT,
                            "%d statement(s) of yours%s",
                            own.work().size(),
                            hold > 0 ? String.format(Locale.ROOT, " and a pause of %.1f ms", hold) : ""),
                    String.format(Locale.ROOT, "zipf(1..%d, s = %.2f)", rows, exponent));
            return scenario.with(
                    scenario.points().stream()
                            .map(point -> seen == null ? point : Point.clients(seen.clients()))
                            .map(point -> point.with("zipf", String.valueOf(exponent)))
                            .toList(),
                    scenario.variants().stream()
                            .filter(variant -> !tried.refused().containsKey(Strategy.valueOf(variant.strategy())))
                            .toList());
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        }
    }

    /**
     * The result of the trial run.
     *
     * @param rows the number of keys that have a row
     * @param refused the strategies that cannot lock these rows, with the reason
     */
    private record Tried(int rows, Map<Strategy, String> refused) {}

    private static Tried tryOut(Connection connection, ServerAddress address, OwnStatement own) throws SQLException {
        try {
            Jdbc.execute(
                    connection, "create schema " + BenchmarkSchema.NAME, "set local search_path = " + own.searchPath());
            own.create(connection);
            List<List<Object>> found = own.keys(connection);
            if (found.isEmpty()) {
                throw new UserError("No key of --keys has a row in " + own.table()
                        + ". The columns of --keys are the parameters of the statement: the first column is $1. Give"
                        + " a query that returns keys of existing rows.");
            }
            Map<Strategy, String> refused =
                    OwnWork.tryOut(connection, address.dataSource("rowlock-jmh check"), own, found);
            return new Tried(found.size(), refused);
        } catch (SQLException | RowlockException | IllegalStateException | IllegalArgumentException e) {
            throw new UserError(
                    "Your statements failed in a copy of " + own.table() + ", and everything was rolled back: "
                            + ServerFailures.describe(e)
                            + " The statements run unchanged on the copy, several times, with the columns of --keys"
                            + " as $1, $2. Give statements that can run so.",
                    e);
        }
    }

    private static String text(String option, @Nullable Path file) {
        try {
            return file == null ? "" : Files.readString(file);
        } catch (IOException e) {
            throw new UserError(
                    option + ": the file " + file + " cannot be read (" + e + "). Give a file with SQL in UTF-8.", e);
        }
    }
}
