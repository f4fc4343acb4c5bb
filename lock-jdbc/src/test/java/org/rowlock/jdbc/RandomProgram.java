package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** A program of JDBC calls on one connection, the same for the same seed, and what it gets to see. */
final class RandomProgram {
    private static final int CALLS = 40;

    /** Of two whole numbers or fewer each; no row has the number 9, and another session holds the row of number 5. */
    private static final List<String> TEXTS = List.of(
            "update account set balance = balance + ? where id = ?",
            "update account set balance = balance + ? where id = ?",
            "update account set balance = ? where id = ? returning id, balance",
            "update account set balance = 60 / ? where id = ?",
            "update account set balance = ? where id = ? and no_such_column = 1",
            "update account set balance = balance - 10 where id = ? and warned(?)",
            "select balance, id from account where id = ? for update",
            "select balance, id from account where id = ? for update",
            "select balance from account where warned(?) and id = ? for no key update",
            "select balance from account where id = ? for update nowait",
            "select balance from account where id = ? for key share skip locked",
            "select balance from account where id in (?, ?) order by id for update",
            "select id, balance from account where id < ? order by id",
            "delete from account where id = ?",
            "insert into account values (?, ?)",
            "insert into note(number) values (?)",
            "update account set balance = 7 where id = ?; select ? + 1",
            "with changed as (update account set balance = 3 where id = ? returning id) select * from changed",
            "update nowhere set balance = 1 where id = ?",
            "select warned(?)",
            "set local lock_timeout = '20ms'",
            "begin",
            "commit",
            "rollback");

    private final Random random;
    private final Connection connection;
    private final List<String> seen = new ArrayList<>();
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private Statement statement;
    private Statement last;
    private Savepoint savepoint;

    /** What a call gives, described. */
    private interface Call {
        Object run() throws SQLException;
    }

    private RandomProgram(Connection connection, long seed) {
        this.connection = connection;
        this.random = new Random(seed);
    }

    /** Runs a program to its end, with the connection closed. */
    static List<String> run(Connection connection, long seed) throws SQLException {
        RandomProgram program = new RandomProgram(connection, seed);
        try (connection) {
            program.statement = connection.createStatement();
            program.last = program.statement;
            for (int i = 0; i < CALLS; i++) {
                program.step();
            }
            program.saw("commit", program.call(connection::commit));
        }
        return program.seen;
    }

    private void step() throws SQLException {
        int choice = random.nextInt(100);
        if (choice < 30) {
            executePrepared();
        } else if (choice < 50) {
            executeText();
        } else if (choice < 57) {
            batch();
        } else if (choice < 75) {
            endOrSetUp();
        } else {
            lookAtTheLast();
        }
    }

    private void executeText() throws SQLException {
        String sql = text();
        while (sql.contains("?")) {
            sql = sql.replaceFirst("\\?", String.valueOf(number()));
        }
        String text = sql;
        Statement running = statement;
        last = running;
        boolean keys = random.nextInt(6) == 0;
        saw(
                text,
                switch (random.nextInt(4)) {
                    case 0 -> () -> rows(running.executeQuery(text));
                    case 1 ->
                        () -> keys ? running.executeUpdate(text, new String[] {"id"}) : running.executeUpdate(text);
                    case 2 ->
                        () -> keys
                                ? running.executeLargeUpdate(text, Statement.RETURN_GENERATED_KEYS)
                                : running.executeLargeUpdate(text);
                    default -> () -> keys ? running.execute(text, new int[] {1}) : running.execute(text);
                });
    }

    private void executePrepared() throws SQLException {
        PreparedStatement running = prepare(text());
        if (running == null) {
            return;
        }
        last = running;
        bind(running);
        saw(
                "prepared " + running,
                switch (random.nextInt(4)) {
                    case 0 -> () -> rows(running.executeQuery());
                    case 1 -> running::executeUpdate;
                    case 2 -> running::executeLargeUpdate;
                    default -> running::execute;
                });
    }

    /** One for each text and way to make it, so that they run again and again. */
    private PreparedStatement prepare(String sql) throws SQLException {
        int way = Math.max(0, random.nextInt(10) - 6);
        String name = sql + way;
        PreparedStatement known = prepared.get(name);
        if (known == null || known.isClosed()) {
            saw(
                    "prepare",
                    () -> prepared.put(
                                    name,
                                    switch (way) {
                                        case 1 -> connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
                                        case 2 -> connection.prepareStatement(sql, new String[] {"id"});
                                        case 3 ->
                                            connection.prepareStatement(
                                                    sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                                        default -> connection.prepareStatement(sql);
                                    })
                            == null);
        }
        return prepared.get(name);
    }

    private void bind(PreparedStatement statement) throws SQLException {
        for (int i = 1; i <= 2; i++) {
            int at = i;
            int number = number();
            int way = random.nextInt(12);
            if (way == 11) {
                saw("clear", call(statement::clearParameters));
            } else if (way < 10) {
                saw("set", call(() -> set(statement, at, number, way)));
            }
        }
    }

    private static void set(PreparedStatement statement, int at, int number, int way) throws SQLException {
        switch (way) {
            case 0 -> statement.setLong(at, number);
            case 1 -> statement.setObject(at, number);
            case 2 -> statement.setObject(at, String.valueOf(number), Types.INTEGER);
            case 3 -> statement.setString(at, String.valueOf(number));
            case 4 -> statement.setNull(at, Types.INTEGER);
            case 5 -> statement.setShort(at, (short) number);
            default -> statement.setInt(at, number);
        }
    }

    private void batch() throws SQLException {
        int size = random.nextInt(4);
        boolean large = random.nextBoolean();
        Statement running = random.nextBoolean() ? prepare(single()) : statement;
        if (running == null) {
            return;
        }
        last = running;
        for (int i = 0; i < size; i++) {
            if (running instanceof PreparedStatement each) {
                bind(each);
                saw("add", call(each::addBatch));
            } else {
                String sql = single().replace("?", String.valueOf(number()));
                saw("add " + sql, call(() -> running.addBatch(sql)));
            }
        }
        if (random.nextInt(8) == 0) {
            saw("clear batch", call(running::clearBatch));
        }
        saw(
                "batch",
                () -> large ? Arrays.toString(running.executeLargeBatch()) : Arrays.toString(running.executeBatch()));
    }

    private void endOrSetUp() throws SQLException {
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> saw("commit", call(connection::commit));
            case 3 -> saw("rollback", call(connection::rollback));
            case 4, 5, 6 -> {
                boolean autocommit = random.nextBoolean();
                saw("autocommit " + autocommit, call(() -> connection.setAutoCommit(autocommit)));
            }
            case 7 -> saw("savepoint", () -> (savepoint = connection.setSavepoint()) == null);
            case 8 -> {
                boolean release = random.nextInt(3) == 0;
                if (savepoint != null && release) {
                    saw("release savepoint", call(() -> connection.releaseSavepoint(savepoint)));
                } else if (savepoint != null) {
                    saw("to savepoint", call(() -> connection.rollback(savepoint)));
                }
            }
            case 9 -> {
                int isolation = 1 << (1 + random.nextInt(3));
                saw("isolation " + isolation, call(() -> connection.setTransactionIsolation(isolation)));
            }
            case 10 -> {
                boolean only = random.nextInt(3) == 0;
                saw("read only " + only, call(() -> connection.setReadOnly(only)));
            }
            case 11 -> {
                int many = random.nextInt(3);
                saw("fetch size", call(() -> last.setFetchSize(many)));
            }
            case 12 -> {
                int many = random.nextInt(2);
                saw("most rows", call(() -> last.setMaxRows(many)));
            }
            default -> {
                saw("query timeout", call(() -> last.setQueryTimeout(30)));
                saw("close on completion", call(last::closeOnCompletion));
                // It does not run again: the driver closes it with its result at the one time, and refuses at the
                // other.
                prepared.values().remove(last);
                statement = last.equals(statement) ? connection.createStatement() : statement;
            }
        }
    }

    private void lookAtTheLast() throws SQLException {
        Statement looked = last;
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> saw("result", () -> rows(looked.getResultSet()));
            case 3 ->
                saw("same result", () -> {
                    ResultSet first = looked.getResultSet();
                    return first == looked.getResultSet();
                });
            case 4 -> saw("keys", () -> rows(looked.getGeneratedKeys()));
            case 5 -> saw("more", looked::getMoreResults);
            case 6 -> saw("more and keep", () -> looked.getMoreResults(Statement.KEEP_CURRENT_RESULT));
            case 7 -> saw("clear warnings", call(looked::clearWarnings));
            case 8 -> {
                saw("close", call(looked::close));
                if (looked == statement) {
                    statement = connection.createStatement();
                    last = statement;
                }
            }
            default -> saw("of connection", () -> warnings(connection.getWarnings()));
        }
    }

    private String text() {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    /** The driver itself fails where several statements are in a batch, by a cast. */
    private String single() {
        String text = text();
        return text.contains(";") ? single() : text;
    }

    /** Mostly of a row that is there. */
    private int number() {
        int number = random.nextInt(20);
        return number < 12 ? 1 + number % 4 : number < 14 ? 5 : number < 16 ? 9 : 0;
    }

    private interface Action {
        void run() throws SQLException;
    }

    private Call call(Action action) {
        return () -> {
            action.run();
            return "done";
        };
    }

    private void saw(String what, Call call) throws SQLException {
        String result;
        try {
            result = String.valueOf(call.run());
        } catch (SQLException e) {
            result = error(e);
        }
        seen.add(what + " -> " + result + " | " + state());
    }

    private static String error(SQLException error) {
        StringBuilder text = new StringBuilder();
        for (SQLException each = error; each != null; each = each.getNextException()) {
            ServerErrorMessage server = each instanceof PSQLException own ? own.getServerErrorMessage() : null;
            int position = server == null ? -1 : server.getPosition();
            // From PostgreSQL 19 on the number of a transaction that was waited for is in it.
            String message = String.valueOf(each.getMessage()).replaceAll("transaction \\d+", "transaction");
            text.append("%s %s at %d %s; "
                    .formatted(each.getClass().getSimpleName(), each.getSQLState(), position, message));
        }
        return text.toString();
    }

    private String state() throws SQLException {
        List<Object> state = new ArrayList<>();
        state.add(connection.getAutoCommit());
        state.add(connection.unwrap(BaseConnection.class).getTransactionState());
        state.add(connection.isReadOnly());
        if (last.isClosed()) {
            state.add("closed");
        } else {
            state.add(last.getUpdateCount());
            state.add(last.getLargeUpdateCount());
            state.add(last.getFetchSize());
            state.add(last.isCloseOnCompletion());
            state.add(warnings(last.getWarnings()));
        }
        return state.toString();
    }

    private static String warnings(SQLWarning first) {
        List<String> all = new ArrayList<>();
        for (SQLWarning each = first; each != null; each = each.getNextWarning()) {
            all.add(each.getSQLState() + ' ' + each.getMessage());
        }
        return all.toString();
    }

    /** Some of the rows; then it is left open, or closed. */
    private String rows(ResultSet rows) throws SQLException {
        if (rows == null) {
            return "none";
        }
        int most = random.nextInt(4);
        StringBuilder text = new StringBuilder();
        while (most-- > 0 && rows.next()) {
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                text.append(rows.getMetaData().getColumnName(i) + '=' + rows.getString(i) + ' ');
            }
        }
        text.append(rows.getStatement() == last ? "of the last " : "of another ")
                .append(warnings(rows.getWarnings()));
        if (random.nextBoolean()) {
            rows.close();
        }
        return text.toString();
    }
}
