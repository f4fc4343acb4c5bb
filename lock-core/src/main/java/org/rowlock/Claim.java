package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.TableName;

/**
 * What a claim looks for: the rows of a table that meet a predicate, in an order, up to a limit. The SKIP LOCKED use of
 * {@code FOR UPDATE}; see {@link TransactionLocks#claim}. A value; immutable and thread-safe.
 *
 * <pre>{@code
 * Claim.from("job").where("state = ?", "ready").orderBy("priority desc, id").limit(10)
 * }</pre>
 *
 * <p>The predicate and the order are SQL, written by a programmer: never put a user's text into them, use binds.
 *
 * @param table the table in its one spelling
 * @param idColumns the columns of the id, or none if the primary key has them
 * @param predicate the condition
 * @param binds the values of the predicate's parameters
 * @param order what stands behind ORDER BY, or nothing
 * @param limit the most rows to take
 * @param mode how strongly to lock the rows
 */
public record Claim(
        String table,
        List<String> idColumns,
        String predicate,
        List<@Nullable Object> binds,
        String order,
        int limit,
        RowLockMode mode) {
    private static final String NO_BINDS = "The binds are null; give a value per parameter, or none";

    /**
     * Checks the claim; {@link #from} is the shorter way to one.
     *
     * @param table the table, as in SQL
     * @param idColumns as for {@link #idColumns}
     * @param predicate as for {@link #where}
     * @param binds as for {@link #where}
     * @param order as for {@link #orderBy}
     * @param limit as for {@link #limit}
     * @param mode as for {@link #mode}
     * @throws IllegalArgumentException as for the methods that give a value
     */
    public Claim {
        table = TableName.normalize(table);
        for (String column : given(table, idColumns, "list of id columns")) {
            requireText(table, column, "id column");
        }
        idColumns = List.copyOf(idColumns);
        requireText(table, predicate, "predicate");
        // Not List.copyOf(), as a bind may be null.
        binds = Arrays.asList(Given.notNull(binds, NO_BINDS).toArray());
        given(table, order, "order");
        if (limit < 1) {
            throw new IllegalArgumentException(
                    "The limit of a claim on " + table + " is " + limit + "; give at least 1");
        }
        given(table, mode, "mode");
    }

    /**
     * A claim of one row, any row, {@link RowLockMode#FOR_UPDATE}.
     *
     * @param table the table, as in SQL: {@code job}, {@code public.job}, {@code "Job"}
     * @return the claim
     * @throws IllegalArgumentException if the table is not a well-formed SQL name
     */
    public static Claim from(String table) {
        return new Claim(table, List.of(), "true", List.of(), "", 1, RowLockMode.FOR_UPDATE);
    }

    /**
     * With id columns. Default those given in {@link RowLocksBuilder#idColumns}, or else the primary key.
     *
     * @param columns the columns as the catalog has them (no quotes), in the order of the id's parts
     * @return the claim with them
     * @throws IllegalArgumentException if one is null or blank
     */
    public Claim idColumns(String... columns) {
        List<String> names = Arrays.asList(given(table, columns, "list of id columns"));
        return new Claim(table, names, predicate, binds, order, limit, mode);
    }

    /**
     * With a predicate. Default none: every row.
     *
     * @param predicate what stands behind WHERE, with {@code ?} for parameters; only of this table's columns
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return the claim with it
     * @throws IllegalArgumentException if the predicate is null or blank, or the binds are null
     */
    public Claim where(String predicate, @Nullable Object... binds) {
        List<@Nullable Object> values = Arrays.asList(Given.notNull(binds, NO_BINDS));
        return new Claim(table, idColumns, predicate, values, order, limit, mode);
    }

    /**
     * With an order. Default none: the server's choice.
     *
     * @param order what stands behind ORDER BY
     * @return the claim with it
     * @throws IllegalArgumentException if the order is null or blank
     */
    public Claim orderBy(String order) {
        requireText(table, order, "order");
        return new Claim(table, idColumns, predicate, binds, order, limit, mode);
    }

    /**
     * With a limit. Default 1.
     *
     * @param rows the most rows to take, at least 1
     * @return the claim with it
     * @throws IllegalArgumentException if the number is less than 1
     */
    public Claim limit(int rows) {
        return new Claim(table, idColumns, predicate, binds, order, rows, mode);
    }

    /**
     * With a mode. Default {@link RowLockMode#FOR_UPDATE}.
     *
     * @param mode how strongly to lock the rows
     * @return the claim with it
     * @throws IllegalArgumentException if the mode is null
     */
    public Claim mode(RowLockMode mode) {
        return new Claim(table, idColumns, predicate, binds, order, limit, mode);
    }

    @Override
    public String toString() {
        return "claim of " + limit + " from " + table + " where " + predicate
                + (order.isEmpty() ? "" : " order by " + order);
    }

    private static <T> T given(String table, @Nullable T value, String name) {
        if (value == null) {
            throw new IllegalArgumentException("The " + name + " of a claim on " + table + " is null");
        }
        return value;
    }

    private static void requireText(String table, @Nullable String text, String name) {
        if (given(table, text, name).isBlank()) {
            throw new IllegalArgumentException("The " + name + " of a claim on " + table + " is blank");
        }
    }
}
