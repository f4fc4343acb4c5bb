package org.rowlock.internal.sql;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.rowlock.LockKey.Row;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.RowKey;

/**
 * Builds the flush of a request for Citus, where a table may be on other machines.
 *
 * <p>If a statement names a table, Citus may run the statement on another machine, and would then acquire the advisory
 * lock on that machine. Therefore the statement of the advisory lock names no table, and earlier statements lock the
 * tables against DDL. The earlier statements also register the transaction with Citus, because the deadlock detection
 * of Citus treats all unregistered transactions as one transaction.
 *
 * <p>A statement can lock rows on only one machine, so the flush has a statement for each row. The function set_config
 * changes a setting only on the coordinator, but Citus sends SET LOCAL to all machines.
 */
public final class CitusForms extends FlushForms {
    private static final String KEEP = "select pg_catalog.set_config('rowlock.lock_timeout',"
            + " pg_catalog.current_setting('lock_timeout'), true), pg_catalog.set_config('rowlock.propagate',"
            + " pg_catalog.current_setting('citus.propagate_set_commands'), true),"
            + " pg_catalog.set_config('citus.propagate_set_commands', 'local', true),"
            + " pg_catalog.set_config('rowlock.deadline', (extract(epoch from pg_catalog.clock_timestamp())::numeric"
            + " * 1000 + cast(cast(? as pg_catalog.text) as integer))::pg_catalog.text, true)";

    /**
     * Registers the transaction with Citus, unless an earlier statement has already registered it by naming a table.
     * The registration is expensive.
     */
    private static final Part BEGIN =
            Part.control("select case when (pg_catalog.get_current_transaction_id()).transaction_number = 0"
                    + " then pg_catalog.create_intermediate_result('rowlock', 'select 1') end");

    /** Sets lock_timeout on all machines. SET accepts no parameters, so the statement is dynamic SQL. */
    private static final Part APPLY = Part.control(
            "do $rowlock$ begin execute 'set local lock_timeout = ' || " + WaitSql.REMAINING + "; end $rowlock$");

    /**
     * Restores the caller's lock_timeout. Other machines return to their default unless the caller propagates SET
     * LOCAL.
     */
    private static final Part RESTORE = Part.control("do $rowlock$ begin"
            + " if pg_catalog.current_setting('rowlock.propagate') = 'local' then execute pg_catalog.format("
            + "'set local lock_timeout = %L', pg_catalog.current_setting('rowlock.lock_timeout'));"
            + " else set local lock_timeout to default; end if;"
            + " perform pg_catalog.set_config('citus.propagate_set_commands',"
            + " pg_catalog.current_setting('rowlock.propagate'), true), pg_catalog.set_config('lock_timeout',"
            + " pg_catalog.current_setting('rowlock.lock_timeout'), true); end $rowlock$");

    private static final Bound BOUND =
            new Bound(List.of(new Part(KEEP, WaitSql::bindMillis, Part.UNREAD), APPLY), APPLY, RESTORE);

    /** The lock order of all callers. Positive numbers in a single id column are in the order of their values. */
    private static final Comparator<Row> ORDER = Comparator.comparing(
                    (Row row) -> String.join("\0", row.id()), RequestParts::shorterFirst)
            .thenComparing(row -> String.join("\0", RowKey.givenId(row)));

    CitusForms(ResolvedRequest asked, boolean begun, boolean anyIsolation, boolean behind) {
        super(asked, begun, anyIsolation, behind, false);
    }

    /** Whether the SQL depends on the ids. */
    static boolean isOfValues(ResolvedRequest request) {
        return !request.rows().isEmpty() && !request.isOneRow();
    }

    @Override
    boolean isRowTry() {
        // On a reference table SKIP LOCKED may wait, because Citus first waits for a lock on the whole table.
        return false;
    }

    @Override
    Bound bound() {
        return BOUND;
    }

    @Override
    boolean isArmed() {
        return wait == WaitKind.AT_MOST
                || (wait == WaitKind.NO_WAIT && !asked.rows().isEmpty());
    }

    @Override
    void addAdvisoryLock(List<Part> parts) {
        parts.addAll(hold(ResolvedRequest.tablesOf(asked.advisory()), asked.typed()));
        parts.add(AdvisorySql.lock(this, ""));
    }

    @Override
    void addRowLocks(List<Part> parts) {
        List<RowGroup> groups = asked.rows();
        for (int group = 0; group < groups.size(); group++) {
            RowGroup of = groups.get(group);
            List<Row> keys = of.keys();
            List<Integer> order = IntStream.range(0, keys.size())
                    .boxed()
                    .sorted(Comparator.comparing(keys::get, ORDER))
                    .toList();
            for (int index : order) {
                if (wait == WaitKind.AT_MOST) {
                    parts.add(APPLY);
                }
                parts.add(RowSql.oneOf(of.table(), group, index, of.mode(), wait));
            }
        }
    }

    /**
     * Returns statements that lock tables against DDL, like {@link KeySql#holding}, and register the transaction with
     * Citus.
     */
    public static List<Part> hold(List<String> tables, List<RowTable> known) {
        return tables.isEmpty()
                ? List.of(BEGIN)
                : List.of(Part.control(KeySql.holding(tables, known) + "select 1"), BEGIN);
    }
}
