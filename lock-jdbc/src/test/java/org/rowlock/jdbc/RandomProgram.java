package org.rowlock.jdbc;

import java.io.IOException;
import java.io.StringReader;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
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
import java.util.regex.Pattern;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** A program of JDBC calls on one connection, the same for the same seed, and what it gets to see. */
final class RandomProgram {
    private static final int CALLS = 40;

    /** The UPDATEs that other callers may join without a change of their own. */
    private static final Pattern SHARED =
            Pattern.compile("update account set balance = balance [+/] \\? where id = \\?");

    private static final Pattern WRITE = Pattern.compile("(update|delete|insert)(?!.*(;|returning)).*");
    private static final Pattern ONE_ROW_EACH = Pattern.compile("1|\\[(1(, 1)*)?]");
    private static final String REFUSED = "refused ";
    private static final String WRONG_COUNT = "a wrong count";

    /** Of two whole numbers or fewer each; no row has the number 9, and another session holds the row of number 5. */
    private static final List<String> TEXTS = List.of(
            "update account set balance = balance + ? where id = ?",
            "update account set balance = balance + ? where id = ?",
            "update account set balance = ? where id = ? returning id, balance",
            "update account set balance = balance / ? where id = ?",
            "update account set balance = balance + ? where id = ?;",
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
            "insert into note(number) values (?) returning id",
            "{call changed(?)}",
            "{? = call changed(?)}",
            "select 1; update account set balance = balance + ? where id = ?",
            "update account set balance = 8 where id = ?; commit; insert into note(number) values (?)",
            "update account set balance = 7 where id = ?; select ? + 1",
            "with changed as (update account set balance = 3 where id = ? returning id) select * from changed",
            "update nowhere set balance = 1 where id = ?",
            "select warned(?)",
            "begin",
            "commit",
            "rollback",
            "savepoint s",
            "rollback to s");

    /** Those that are kept for the COMMIT, or join groups. */
    private static final List<String> WRITES = List.of(
            "update account set balance = balance + ? where id = ?",
            "update account set balance = balance / ? where id = ?",
            "delete from account where id = ?",
            "insert into note(number) values (?)");

    private static final List<String> SETTINGS = List.of(
            "set local lock_timeout = '20ms'",
            "set local search_path = pg_catalog",
            "set search_path = pg_catalog",
            "reset search_path",
            "set local role pg_read_all_data",
            "set role pg_read_all_data",
            "set role none",
            "create temp table nowhere(id int primary key, balance int)",
            "drop table nowhere",
            "discard all");

    private final Random random;
    private final Connection connection;
    private final Kind kind;
    private final Surroundings around;

    /** What the same program has seen through the driver alone; null if this is the driver alone. */
    private final List<String> expected;

    private Xid branch;

    private final List<String> seen = new ArrayList<>();
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private Statement statement;
    private Statement last;
    private Savepoint savepoint;

    /** What a call gives, described. */
    interface Call {
        Object run() throws SQLException;
    }

    enum Kind {
        /** Beside a session that holds a row. */
        ALONE(0),
        /** The same, as a framework that lets its writes be kept for the COMMIT. */
        KEEPING(4),
        /** Beside callers with the same UPDATE. */
        SHARING(6),
        /** In transactions of a transaction manager too. */
        MANAGED(0);

        /** How many of eight texts are for this kind. */
        private final int writes;

        Kind(int writes) {
            this.writes = writes;
        }
    }

    /** What a program meets besides its connection. */
    interface Surroundings {
        /** Runs an UPDATE of one row, perhaps beside the same UPDATE of another caller. */
        Object beside(String sql, int row, Call update) throws SQLException;

        XAResource manager() throws SQLException;
    }

    private RandomProgram(Connection connection, long seed, Kind kind, Surroundings around, List<String> expected) {
        this.connection = connection;
        this.random = new Random(seed);
        this.kind = kind;
        this.around = around;
        this.expected = expected;
    }

    /** Runs a program to its end, with the connection closed. */
    static List<String> run(Connection connection, long seed, Kind kind, Surroundings around, List<String> expected)
            throws SQLException {
        RandomProgram program = new RandomProgram(connection, seed, kind, around, expected);
        try (connection) {
            program.create();
            connection.setAutoCommit(kind != Kind.KEEPING);
            for (int i = 0; i < CALLS; i++) {
                program.step();
            }
            if (program.branch != null) {
                program.branch(true);
            }
            program.saw("commit", program.call(connection::commit));
        }
        return program.seen;
    }

    private void step() throws SQLException {
        if (kind == Kind.KEEPING && random.nextInt(3) == 0) {
            CommitFlush.open(connection, table -> true);
        } else if (kind == Kind.MANAGED && random.nextInt(8) == 0) {
            branch(random.nextInt(3) > 0);
        }
        int choice = random.nextInt(100);
        if (choice < 30 + 3 * kind.writes) {
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

    /** Begins a branch as a transaction manager does, or ends it. */
    private void branch(boolean commits) throws SQLException {
        Xid ended = branch;
        Xid begun = ended == null ? new ManagedTransactionsTest.TestXid("random", seen.size()) : null;
        branch = begun;
        saw("branch", () -> {
            try {
                if (ended == null) {
                    around.manager().start(begun, XAResource.TMNOFLAGS);
                    return "begun";
                }
                around.manager().end(ended, XAResource.TMSUCCESS);
                if (commits) {
                    around.manager().commit(ended, true);
                } else {
                    around.manager().rollback(ended);
                }
                return "ended";
            } catch (XAException e) {
                return "XA " + e.errorCode;
            }
        });
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
        String sql = text();
        PreparedStatement running = prepare(sql);
        if (running == null) {
            return;
        }
        last = running;
        int row = bind(running);
        int way = random.nextInt(4);
        Call call = switch (way) {
            case 0 -> () -> rows(running.executeQuery());
            case 1 -> running::executeUpdate;
            case 2 -> running::executeLargeUpdate;
            default -> running::execute;
        };
        // Behind a BEGIN, the program may hold rows for which another caller would wait in vain.
        boolean shares = kind == Kind.SHARING
                && SHARED.matcher(sql).matches()
                && connection.getAutoCommit()
                && seen.stream().noneMatch(each -> each.contains("begin"));
        write("prepared " + running, way % 3 == 0 ? "" : sql, shares ? () -> around.beside(sql, row, call) : call);
    }

    /**
     * Runs a write as a framework does: unless it changes one row, the transaction is rolled back. A kept write is
     * refused by the next use of the connection, so the driver alone says whether it must be.
     */
    private void write(String what, String sql, Call write) throws SQLException {
        if (kind != Kind.KEEPING || !WRITE.matcher(sql).matches()) {
            saw(what, write);
            return;
        }
        String own = outcome(write);
        boolean isOne = ONE_ROW_EACH.matcher(own).matches();
        boolean refused = expected == null
                ? !isOne
                : seen.size() < expected.size() && expected.get(seen.size()).contains(REFUSED);
        String outcome = refused && isOne ? outcome(connection::getWarnings) : own;
        // A batch goes on behind a wrong count at the driver, and not where it is kept.
        String why = what.equals("batch") ? outcome.replaceAll("[0-9A-Z]{5}|" + WRONG_COUNT, "") : outcome;
        if (refused) {
            last.close();
        }
        saw(what, () -> refused ? REFUSED + why : outcome);
        if (refused) {
            saw("rollback", call(connection::rollback));
        }
    }

    /** The counts of a write, or why a framework refuses it; "null" of what was not refused although it had to be. */
    private static String outcome(Call write) {
        try {
            String counts = String.valueOf(write.run()).replace("-2", "1");
            return ONE_ROW_EACH.matcher(counts).matches() || counts.equals("null") ? counts : WRONG_COUNT;
        } catch (CommitFlushException e) {
            return e.isWrongCount() ? WRONG_COUNT : e.getSQLState();
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    /** One for each text and way to make it, so that they run again and again. */
    private PreparedStatement prepare(String sql) throws SQLException {
        int way = Math.max(0, random.nextInt(15) - 9);
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
                                        case 4 -> connection.prepareCall(sql);
                                        case 5 ->
                                            connection.prepareStatement(
                                                    sql,
                                                    ResultSet.TYPE_FORWARD_ONLY,
                                                    ResultSet.CONCUR_READ_ONLY,
                                                    ResultSet.HOLD_CURSORS_OVER_COMMIT);
                                        default -> connection.prepareStatement(sql);
                                    })
                            == null);
        }
        return prepared.get(name);
    }

    /** Gives the last number, which is that of the row in most texts. */
    private int bind(PreparedStatement statement) throws SQLException {
        int number = 0;
        for (int i = 1; i <= 2; i++) {
            int at = i;
            number = number();
            int given = number;
            int way = random.nextInt(12);
            if (way == 11) {
                saw("clear", call(statement::clearParameters));
            } else if (way < 10) {
                saw("set", call(() -> set(statement, at, given, way)));
            } else if (statement instanceof CallableStatement call) {
                saw("out", call(() -> call.registerOutParameter(at, Types.INTEGER)));
            }
        }
        return number;
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
        String prepared = random.nextBoolean() ? single() : "";
        Statement running = prepared.isEmpty() ? statement : prepare(prepared);
        // The driver itself breaks off a batch of a call whose parameter is to be read.
        if (running == null || running instanceof CallableStatement) {
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
        write(
                "batch",
                prepared,
                () -> large ? Arrays.toString(running.executeLargeBatch()) : Arrays.toString(running.executeBatch()));
    }

    private void endOrSetUp() throws SQLException {
        switch (random.nextInt(20)) {
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
            case 13 -> saw("query timeout", call(() -> last.setQueryTimeout(random.nextInt(2) * 30)));
            case 14 -> saw("cancel", call(last::cancel));
            case 15 -> {
                int holdability =
                        random.nextBoolean() ? ResultSet.HOLD_CURSORS_OVER_COMMIT : ResultSet.CLOSE_CURSORS_AT_COMMIT;
                saw("holdability " + holdability, call(() -> connection.setHoldability(holdability)));
            }
            case 16 -> saw("schema", call(() -> connection.setSchema(random.nextBoolean() ? "public" : "pg_catalog")));
            case 17 ->
                saw("name", () -> {
                    connection.setClientInfo("ApplicationName", connection.getClientInfo("ApplicationName"));
                    return connection.isValid(30);
                });
            case 18 ->
                saw("copy", () -> copy(connection.unwrap(PGConnection.class).getCopyAPI()));
            default -> {
                saw("close on completion", call(last::closeOnCompletion));
                // It does not run again: the driver closes it with its result at the one time, and refuses at the
                // other.
                prepared.values().remove(last);
                if (last.equals(statement)) {
                    create();
                }
            }
        }
    }

    private static Object copy(CopyManager copies) throws SQLException {
        try {
            return copies.copyIn("copy note(number) from stdin", new StringReader("7\n8\n"));
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    /** Makes the statement for texts, whose results may be changed. */
    private void create() throws SQLException {
        statement = random.nextInt(3) > 0
                ? connection.createStatement()
                : connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        last = statement;
    }

    private void lookAtTheLast() throws SQLException {
        Statement looked = last;
        switch (random.nextInt(13)) {
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
                    create();
                }
            }
            case 9 -> saw("more and close all", () -> looked.getMoreResults(Statement.CLOSE_ALL_RESULTS));
            case 10 -> {
                if (looked instanceof PreparedStatement executed) {
                    saw("columns", () -> {
                        ResultSetMetaData columns = executed.getMetaData();
                        return columns == null ? "none" : columns.getColumnCount();
                    });
                }
            }
            case 11 -> {
                if (looked instanceof CallableStatement call) {
                    saw("out", () -> call.getInt(1));
                }
            }
            default -> saw("of connection", () -> warnings(connection.getWarnings()));
        }
    }

    private String text() {
        int choice = random.nextInt(8);
        List<String> texts = choice == 0 ? SETTINGS : choice <= kind.writes ? WRITES : TEXTS;
        return texts.get(random.nextInt(texts.size()));
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
        seen.add(what + " -> " + result(call) + " | " + state());
    }

    private static String result(Call call) {
        try {
            return String.valueOf(call.run());
        } catch (SQLException e) {
            return error(e);
        }
    }

    private static String error(SQLException error) {
        StringBuilder text = new StringBuilder();
        for (SQLException each = error; each != null; each = each.getNextException()) {
            ServerErrorMessage server = each instanceof PSQLException own ? own.getServerErrorMessage() : null;
            int position = server == null ? -1 : server.getPosition();
            // From PostgreSQL 19 on the number of a transaction that was waited for is in it.
            String message = String.valueOf(each.getMessage())
                    .replaceAll("transaction \\d+", "transaction")
                    .replaceAll("\\s*Position: \\d+", "");
            text.append("%s %s at %d %s; "
                    .formatted(each.getClass().getSimpleName(), each.getSQLState(), position, message));
        }
        return text.toString();
    }

    private String state() throws SQLException {
        List<Object> state = new ArrayList<>();
        state.add(connection.getAutoCommit());
        if (kind == Kind.ALONE || kind == Kind.MANAGED) {
            // With the driver's connection in its hands, the program neither keeps writes nor joins groups.
            state.add(connection.unwrap(BaseConnection.class).getTransactionState());
        }
        state.add(connection.isReadOnly());
        if (last.isClosed()) {
            state.add("closed");
        } else {
            state.add(last.getUpdateCount());
            state.add(last.getLargeUpdateCount());
            state.add(last.getFetchSize());
            state.add(last.isCloseOnCompletion());
            // The warnings of a kept write come when it is sent, and are lost.
            state.add(kind == Kind.KEEPING ? "" : warnings(last.getWarnings()));
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
        if (rows.getConcurrency() == ResultSet.CONCUR_UPDATABLE && random.nextBoolean()) {
            text.append(result(() -> change(rows)));
        }
        // A result of the driver's XA connection leads back to the physical statement.
        text.append(kind == Kind.MANAGED || rows.getStatement() == last ? "of the last " : "of another ")
                .append(warnings(rows.getWarnings()));
        if (random.nextBoolean()) {
            rows.close();
        }
        return text.toString();
    }

    private String change(ResultSet rows) throws SQLException {
        int number = number();
        switch (random.nextInt(6)) {
            case 0 -> {
                rows.updateInt("balance", number);
                rows.updateRow();
            }
            case 1 -> rows.deleteRow();
            case 2 -> {
                rows.moveToInsertRow();
                rows.updateInt("id", number);
                rows.updateInt("balance", number);
                rows.insertRow();
                rows.moveToCurrentRow();
            }
            case 3 -> rows.refreshRow();
            case 4 -> {
                rows.updateInt("balance", number);
                rows.cancelRowUpdates();
            }
            default -> rows.absolute(number);
        }
        return rows.getRow() + (rows.rowUpdated() ? " updated " : " ");
    }
}
