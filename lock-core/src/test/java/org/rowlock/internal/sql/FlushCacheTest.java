package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.value.Insert;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/** A kept flush is that of all requests of its form, and of no other: else a wrong flush is sent. */
class FlushCacheTest {
    private static final RowTable ACCOUNT = table("account", "int4");
    private static final LockKey.Row FIRST = LockKey.row("account", 1);
    private static final LockKey.Row SECOND = LockKey.row("account", 2);
    private static final RowGroup ONE = new RowGroup(ACCOUNT, RowLockMode.FOR_UPDATE, List.of(FIRST));
    private static final RowGroup TWO = new RowGroup(ACCOUNT, RowLockMode.FOR_UPDATE, List.of(FIRST, SECOND));
    private static final Insert INSERT = new Insert(FIRST, "insert into account values (1)", List.of());

    private static RowTable table(String name, String type) {
        return new RowTable(
                name, List.of(new Column("id", type, type + "[]", IdType.INTEGER)), Identity.ONE_COLUMN, true);
    }

    private static ResolvedRequest request(RowLockMode mode, LockWait wait, List<LockKey> advisory, RowGroup... rows) {
        return request(mode, wait, advisory, List.of(rows), List.of(), List.of(), null);
    }

    private static ResolvedRequest request(
            RowLockMode mode,
            LockWait wait,
            List<LockKey> advisory,
            List<RowGroup> rows,
            List<RowTable> typed,
            List<Insert> inserts,
            @Nullable Front front) {
        RequestParts parts = new RequestParts(List.of(FIRST, SECOND), List.of(), mode, Map.of(), inserts, wait, false);
        return new ResolvedRequest(parts, LockStrategy.BOTH, advisory, rows, typed, true, front);
    }

    private static ResolvedRequest ofRows(RowGroup... rows) {
        return request(RowLockMode.FOR_UPDATE, LockWait.FOREVER, List.of(), rows);
    }

    private static ResolvedRequest ofKeys(LockKey... keys) {
        return request(RowLockMode.FOR_UPDATE, LockWait.FOREVER, List.of(keys));
    }

    private static ResolvedRequest ofOne(List<RowTable> typed, List<Insert> inserts, @Nullable Front front) {
        return request(RowLockMode.FOR_UPDATE, LockWait.FOREVER, List.of(), List.of(ONE), typed, inserts, front);
    }

    /** Each differs from the others in one thing. */
    private static List<ResolvedRequest> requests() {
        RowGroup shared = new RowGroup(ACCOUNT, RowLockMode.FOR_SHARE, List.of(FIRST));
        RowGroup retyped = new RowGroup(table("account", "int8"), RowLockMode.FOR_UPDATE, List.of(FIRST));
        return List.of(
                ofKeys(),
                ofKeys(LockKey.name("a")),
                ofKeys(LockKey.number(1)),
                ofKeys(LockKey.pair(1, 2)),
                ofKeys(FIRST),
                ofKeys(LockKey.row("account", "a")),
                ofKeys(LockKey.row("client", 1)),
                ofKeys(FIRST, SECOND),
                ofKeys(FIRST, LockKey.row("client", 1)),
                ofRows(ONE),
                ofRows(TWO),
                ofRows(shared),
                ofRows(retyped),
                ofRows(ONE, shared),
                ofRows(TWO, shared),
                ofOne(List.of(ACCOUNT), List.of(), null),
                ofOne(List.of(retyped.table()), List.of(), null),
                ofOne(List.of(), List.of(INSERT), null),
                ofOne(List.of(), List.of(new Insert(FIRST, INSERT.sql() + ", (2)", List.of())), null),
                ofOne(List.of(), List.of(), front()),
                request(RowLockMode.FOR_SHARE, LockWait.FOREVER, List.of(FIRST)),
                request(RowLockMode.FOR_UPDATE, LockWait.NO_WAIT, List.of(FIRST)),
                request(RowLockMode.FOR_UPDATE, LockWait.atMost(Duration.ofSeconds(1)), List.of(FIRST)));
    }

    private static Front front() {
        QueueEntry entry = KeyQueues.adaptive(0).entry(1, null);
        assertThat(entry.tryEnterFree()).isTrue();
        return Objects.requireNonNull(entry.front(LockFront.ALWAYS));
    }

    private static Tail query(String sql) {
        return Tail.ofQuery(BoundQuery.of(sql, row -> row.getInt(1)), new OpenRows());
    }

    private static Tail commit(Part... watch) {
        return new Tail(List.of(watch), List.of(Part.control("select 1")), true, false, null, () -> {});
    }

    @Test
    void whatDiffersInAnythingThatTheTextDependsOnHasAnotherKey() {
        List<List<Object>> keys = new ArrayList<>();
        for (boolean begun : new boolean[] {false, true}) {
            for (boolean anyIsolation : new boolean[] {false, true}) {
                for (boolean behind : new boolean[] {false, true}) {
                    for (ResolvedRequest request : requests()) {
                        for (boolean required : new boolean[] {false, true}) {
                            int form = Flush.Cache.form(request, begun, anyIsolation, behind, required);
                            keys.add(List.of(Flush.Cache.locked(request), form));
                        }
                    }
                }
            }
        }
        assertThat(keys).doesNotHaveDuplicates();
    }

    @Test
    void requestsOfOneFormShareAFlush() {
        Flush.Cache flushes = new Flush.Cache(false);
        for (ResolvedRequest request : List.of(ofRows(ONE), ofRows(TWO), ofKeys(FIRST), ofKeys(FIRST, SECOND))) {
            assertThat(flushes.flush(request, true, false, null)).isSameAs(flushes.flush(request, true, false, null));
            String sql = flushes.flush(request, true, false, query("select 1")).sql();
            assertThat(flushes.flush(request, true, false, query("select 1")).sql())
                    .isSameAs(sql);
            assertThat(flushes.flush(request, true, false, query("select 2")).sql())
                    .isNotEqualTo(sql);
        }
        RowGroup others = new RowGroup(table("account", "int4"), RowLockMode.FOR_UPDATE, List.of(SECOND, FIRST));
        assertThat(flushes.flush(ofRows(others), true, false, null))
                .isSameAs(flushes.flush(ofRows(TWO), true, false, null));
    }

    /** With a bounded wait in a transaction that has begun: all that may go around what the caller sends. */
    @Test
    void whatIsTheCallersIsBehindTheLocksAndInFrontOfTheEndOfTheirSavepoint() {
        ResolvedRequest bounded =
                request(RowLockMode.FOR_UPDATE, LockWait.atMost(Duration.ofSeconds(1)), List.of(FIRST), ONE);
        Flush.Cache flushes = new Flush.Cache(false);
        String release = "\n;" + WaitSql.RELEASE.sql();
        String locks = flushes.flush(bounded, true, false, null).sql();
        assertThat(locks).startsWith(WaitSql.SAVEPOINT.sql()).endsWith(release);
        assertThat(flushes.flush(bounded, true, false, query("select 1")).sql())
                .startsWith(WaitSql.SAVEPOINT.sql())
                .endsWith("\n;select 1" + release);
        assertThat(flushes.flush(bounded, true, false, commit()).sql()).endsWith("\n;select 1");
        assertThat(flushes.flush(bounded, true, false, commit(WaitSql.WATCH)).sql())
                .startsWith(WaitSql.WATCH.sql() + "\n;" + WaitSql.SAVEPOINT.sql())
                .endsWith("\n;select 1");
    }

    @Test
    void aFlushHoldsNothingOfTheRequestThatItWasMadeFor() throws IllegalAccessException {
        for (boolean onCitus : new boolean[] {false, true}) {
            for (boolean behind : new boolean[] {false, true}) {
                for (ResolvedRequest request : requests()) {
                    Tail tail = behind ? commit() : null;
                    for (Part part : new Flush.Cache(onCitus)
                            .flush(request, true, true, tail)
                            .parts()) {
                        holdsNoValue(part, part.binder());
                        holdsNoValue(part, part.reader());
                        assertThat(part.binds()).isEmpty();
                    }
                }
            }
        }
    }

    private static void holdsNoValue(Part part, Object of) throws IllegalAccessException {
        for (Field field : of.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            assertThat(field.get(of))
                    .as(part.sql())
                    .isNotInstanceOfAny(ResolvedRequest.class, Tail.class, FlushForms.class, List.class);
        }
    }

    /** By hand, so each component is looked at. */
    @Test
    void tablesDifferInEachOfTheirComponents() throws ReflectiveOperationException {
        Map<Class<?>, List<Object>> values = Map.of(
                String.class, List.of("account", "client"),
                List.class, List.of(ACCOUNT.columns(), table("account", "int8").columns()),
                boolean.class, List.of(true, false),
                Identity.class, List.of(Identity.ONE_COLUMN, Identity.CATALOG));
        RecordComponent[] components = RowTable.class.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Object[] given = {"account", ACCOUNT.columns(), Identity.ONE_COLUMN, true};
            assertThat(RowTable.class.getDeclaredConstructors()[0].newInstance(given))
                    .isEqualTo(ACCOUNT)
                    .hasSameHashCodeAs(ACCOUNT);
            given[i] = values.get(components[i].getType()).get(1);
            assertThat(RowTable.class.getDeclaredConstructors()[0].newInstance(given))
                    .as(components[i].getName())
                    .isNotEqualTo(ACCOUNT);
        }
    }
}
