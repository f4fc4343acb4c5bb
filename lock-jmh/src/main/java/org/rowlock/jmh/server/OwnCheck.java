package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;
import org.rowlock.jmh.server.OwnSql.Names;
import org.rowlock.tool.Texts;
import org.rowlock.tool.UserError;

/**
 * Parses the user's locking statement, and reads from the server everything that a copy of its tables needs. The check
 * only reads.
 */
public final class OwnCheck {
    private final Connection connection;
    private final OwnSql lock;
    private final StatementShape shape;

    private OwnCheck(Connection connection, OwnSql lock, StatementShape shape) {
        this.connection = connection;
        this.lock = lock;
        this.shape = shape;
    }

    /**
     * Parses the statements, and checks that they can be measured.
     *
     * @param connection a connection in a read-only transaction
     * @param keys the query for the keys; its columns are the parameters of the statements
     * @param remarks receives sentences about the differences between copy and table
     */
    public static OwnStatement read(
            Connection connection, String sql, String keys, String work, double holdMillis, List<String> remarks)
            throws SQLException {
        List<OwnSql> statements = OwnSql.of(sql, "--sql");
        if (statements.size() != 1) {
            throw new UserError("--sql has " + statements.size() + " statements, and takes only the one that locks."
                    + " Give the statements between the lock and the commit with --work.");
        }
        OwnSql lock = statements.get(0);
        StatementShape shape = StatementRecogniser.recognise(lock.sql());
        if (!shape.isRecognised() || !lock.verb().equals("select")) {
            throw refused(lock, "cannot be measured");
        }
        return new OwnCheck(connection, lock, shape).read(keys, work, holdMillis, remarks);
    }

    private static UserError refused(OwnSql lock, String why) {
        return new UserError("The locking statement " + why + ": " + Texts.printable(lock.sql())
                + System.lineSeparator()
                + "Give one SELECT that locks a row of one table by its primary key, such as: select * from orders"
                + " where id = $1 for update. It must not have OR, IN, NOWAIT or SKIP LOCKED. --scenario queue measures"
                + " SKIP LOCKED.");
    }

    private OwnStatement read(String keys, String work, double holdMillis, List<String> remarks) throws SQLException {
        String path = Jdbc.text(
                connection,
                "select string_agg(quote_ident(s), ',' order by place) from unnest(current_schemas(false)) with"
                        + " ordinality as p (s, place)");
        String both = lock.sql() + "\n;" + work;
        Names names = Names.of(both);
        List<OwnTable> tables = OwnTable.named(connection, names);
        OwnTable locked = locked(tables);
        OwnSafety.refuseOthers(connection, names, tables);
        List<Integer> place = place(locked);
        List<OwnSql> statements = OwnSql.of(work, "--work");
        OwnSafety.refuseOtherWork(statements);
        Set<List<String>> copied =
                tables.stream().map(each -> List.of(each.schema(), each.name())).collect(Collectors.toSet());
        OwnSql ownLock = unqualified(lock, copied);
        OwnKeys known = OwnKeys.read(connection, keys.isEmpty() ? allKeys(locked) : keys);
        int needed = Stream.concat(Stream.of(lock), statements.stream())
                .flatMap(each -> each.columns().stream())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
        if (needed > known.columns()) {
            throw new UserError("The statements have the parameter $" + needed + ", and --keys returns "
                    + known.columns() + " column(s): the first is $1. Select there what each parameter needs.");
        }
        if (known.rows().size() > OwnKeys.MOST) {
            remarks.add("--keys returns more than " + OwnKeys.MOST + " rows; the first are used.");
        }
        String original = TableName.normalize(locked.original());
        remarks.add("It runs in a copy of " + original + " with a sample of its rows, and the table itself is only"
                + " read." + (locked.uncopied().isEmpty() ? "" : " Not copied: " + locked.uncopied() + "."));
        List<OwnTable> created = Stream.concat(
                        Stream.of(locked), tables.stream().filter(each -> each.oid() != locked.oid()))
                .toList();
        return new OwnStatement(
                original,
                locked.sql(),
                shape.mode().name(),
                ownLock,
                ownLock.withoutLock(),
                statements.stream().map(each -> unqualified(each, copied)).toList(),
                holdMillis,
                path,
                Stream.concat(created.stream().flatMap(each -> each.creation().stream()), Stream.of(known.creation()))
                        .toList(),
                created.stream().filter(OwnTable::isTable).map(OwnTable::sql).toList(),
                locked.primaryKey(),
                place,
                known.rows().stream().limit(OwnKeys.MOST).toList(),
                locked.insertion(place));
    }

    private static OwnSql unqualified(OwnSql statement, Set<List<String>> tables) {
        return new OwnSql(OwnSql.withoutSchemas(statement.sql(), tables), statement.columns());
    }

    private OwnTable locked(List<OwnTable> tables) throws SQLException {
        String oid = Jdbc.text(connection, "select to_regclass(?)::oid", TableName.quoted(shape.table()));
        String path = Jdbc.text(connection, "show search_path");
        OwnTable table = tables.stream()
                .filter(each -> String.valueOf(each.oid()).equals(oid))
                .findFirst()
                .orElseThrow(() -> refused(
                        lock,
                        "names " + shape.table() + ", and the user sees no such table (search_path is " + path
                                + "). Name it with its schema, or give another --url"));
        if (!table.isTable() || table.primaryKey().isEmpty()) {
            throw refused(
                    lock, "names " + shape.table() + ", which is no table, or has no primary key to lock rows by");
        }
        return table;
    }

    /** Returns, for each column of the primary key, the column of {@code --keys} that has its value. */
    private List<Integer> place(OwnTable table) {
        List<Value> values = shape.key(table.primaryKey());
        List<Integer> place = new ArrayList<>();
        for (Value value : values == null ? List.<Value>of() : values) {
            if (value instanceof Parameter parameter) {
                place.add(lock.columns().get(parameter.index() - 1));
            }
        }
        if (place.size() < table.primaryKey().size()) {
            throw refused(
                    lock,
                    "does not compare each column of the primary key (" + String.join(", ", table.primaryKey())
                            + ") with a parameter such as $1");
        }
        return place;
    }

    /** Returns the default query for keys. Its columns are the columns that the statement compares with parameters. */
    private String allKeys(OwnTable table) {
        int parameters =
                lock.columns().stream().mapToInt(Integer::intValue).max().orElse(0);
        String columns = IntStream.rangeClosed(1, parameters)
                .mapToObj(number -> shape.equalities().stream()
                        .filter(each -> each.value() instanceof Parameter parameter
                                && lock.columns().get(parameter.index() - 1) == number)
                        .map(each -> TableName.quoteIdentifier(each.column()))
                        .findFirst()
                        .orElseThrow(
                                () -> new UserError("--keys is missing: the statement does not show which column has"
                                        + " the values of the parameter $"
                                        + number
                                        + " of the lock. Give a query whose columns are its parameters, such"
                                        + " as --keys 'select id from orders'.")))
                .collect(Collectors.joining(", "));
        return "select " + columns + " from " + table.original();
    }
}
