package org.rowlock.jdbc.programs;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.ResultQuery;
import org.jooq.SQLDialect;
import org.jooq.SelectConditionStep;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.conf.StatementType;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.CustomRecord;
import org.jooq.impl.CustomTable;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.UpdatableRecordImpl;

/** Uses jOOQ: every lock clause, updates, deletes, rows and records. */
final class JooqProgram implements Program {
    private static final AccountTable ACCOUNT = new AccountTable();
    private static final ShelfTable SHELF = new ShelfTable();

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        List<String> out = new ArrayList<>();
        DSLContext dsl = DSL.using(dataSource, SQLDialect.POSTGRES);
        dsl.createTable(ACCOUNT)
                .columns(ACCOUNT.ID, ACCOUNT.BALANCE, ACCOUNT.VERSION)
                .primaryKey(ACCOUNT.ID)
                .execute();
        dsl.createTable(SHELF)
                .columns(SHELF.WAREHOUSE, SHELF.ITEM, SHELF.QUANTITY)
                .primaryKey(SHELF.WAREHOUSE, SHELF.ITEM)
                .execute();
        dsl.insertInto(ACCOUNT, ACCOUNT.ID, ACCOUNT.BALANCE, ACCOUNT.VERSION)
                .values(1L, 100L, 0)
                .values(2L, 200L, 0)
                .values(3L, 300L, 0)
                .execute();
        dsl.insertInto(SHELF, SHELF.WAREHOUSE, SHELF.ITEM, SHELF.QUANTITY)
                .values(1, "bolt", 10)
                .values(1, "nut", 20)
                .execute();
        lock(dsl, out);
        write(dsl, out);
        records(dsl, out);
        hot(dsl, out);
        return out;
    }

    /** Runs statements in a transaction, and notes how many rows each has seen. */
    private record Noting(DSLContext tx, List<String> out) {
        void fetch(String what, ResultQuery<?> query) {
            out.add(what + " " + query.fetch().size());
        }

        void execute(String what, Query query) {
            out.add(what + " " + query.execute());
        }

        SelectConditionStep<AccountRecord> accounts(Condition which) {
            return tx.selectFrom(ACCOUNT).where(which);
        }

        void lock(String what, Condition which) {
            fetch(what, accounts(which).forUpdate());
        }

        void lockShelf(String what, Condition which) {
            fetch(what, tx.selectFrom(SHELF).where(which).forUpdate());
        }

        <T> void update(String what, Field<T> field, Field<T> value, Condition which) {
            execute(what, tx.update(ACCOUNT).set(field, value).where(which));
        }
    }

    private static void lock(DSLContext dsl, List<String> out) {
        dsl.transaction(c -> {
            DSLContext tx = DSL.using(c);
            Noting in = new Noting(tx, out);
            Condition one = ACCOUNT.ID.eq(1L);
            in.lock("update", one);
            in.fetch("no key update", in.accounts(one).forNoKeyUpdate());
            in.fetch("share", in.accounts(one).forShare());
            in.fetch("key share", in.accounts(one).forKeyShare());
            in.fetch(
                    "of",
                    tx.select(ACCOUNT.BALANCE)
                            .from(ACCOUNT)
                            .where(one)
                            .forUpdate()
                            .of(ACCOUNT));
            in.fetch("no wait", in.accounts(one).forUpdate().noWait());
            in.fetch("skip locked", in.accounts(one).forUpdate().skipLocked());
            in.lock("and", one.and(ACCOUNT.BALANCE.gt(0L)));
            in.lock("or", one.or(ACCOUNT.BALANCE.gt(250L)));
            in.lock("range", ACCOUNT.ID.between(1L, 2L));
            in.lock("in one", ACCOUNT.ID.in(1L));
            in.lock("in two", ACCOUNT.ID.in(1L, 2L));
            in.lock("in none", ACCOUNT.ID.in(List.of()));
            in.lock("any", ACCOUNT.ID.eq(DSL.any(1L, 2L)));
            in.fetch("limit", in.accounts(one).limit(1).forUpdate());
            in.fetch("order", in.accounts(one).orderBy(ACCOUNT.BALANCE).forUpdate());
            in.lock("inlined", ACCOUNT.ID.eq(DSL.inline(1L)));
            in.lock("cast", ACCOUNT.ID.eq(DSL.cast(val("1"), Long.class)));
            var a = ACCOUNT.as("a");
            Field<Long> id = a.field(ACCOUNT.ID);
            in.fetch("alias", tx.select(id).from(a).where(id.eq(1L)).forUpdate());
            in.lock("none", ACCOUNT.ID.eq(99L));
            in.lockShelf("composite", SHELF.WAREHOUSE.eq(1).and(SHELF.ITEM.eq("nut")));
            var key = row(SHELF.WAREHOUSE, SHELF.ITEM);
            in.lockShelf("row", key.eq(1, "nut"));
            in.lockShelf("rows of one", key.in(List.of(row(1, "nut"))));
            in.lockShelf("rows of two", key.in(List.of(row(1, "nut"), row(1, "bolt"))));
            in.lockShelf("half the key", SHELF.WAREHOUSE.eq(1));
            Condition joined = SHELF.QUANTITY.cast(Long.class).ne(ACCOUNT.ID);
            var join = tx.select().from(ACCOUNT).join(SHELF).on(joined).where(one);
            in.fetch("join", join.forUpdate().of(ACCOUNT));
            in.lock("subquery", ACCOUNT.ID.eq(select(DSL.min(ACCOUNT.ID)).from(ACCOUNT)));
            in.lock("exists", one.and(DSL.exists(DSL.selectOne().from(SHELF).where(SHELF.WAREHOUSE.eq(1)))));
        });
    }

    private static void write(DSLContext dsl, List<String> out) {
        dsl.transaction(c -> {
            DSLContext tx = DSL.using(c);
            Noting in = new Noting(tx, out);
            Condition one = ACCOUNT.ID.eq(1L);
            Condition two = ACCOUNT.ID.eq(2L);
            in.update("update", ACCOUNT.BALANCE, ACCOUNT.BALANCE.plus(1L), one);
            in.update("update and", ACCOUNT.BALANCE, ACCOUNT.BALANCE.minus(1L), one.and(ACCOUNT.BALANCE.ge(1L)));
            var both = row(ACCOUNT.BALANCE, ACCOUNT.VERSION);
            var raised = row(ACCOUNT.BALANCE.plus(5L), ACCOUNT.VERSION.plus(1));
            in.execute("update row", tx.update(ACCOUNT).set(both, raised).where(one));
            var most = select(DSL.max(ACCOUNT.BALANCE)).from(ACCOUNT);
            in.execute(
                    "update from query",
                    tx.update(ACCOUNT).set(row(ACCOUNT.BALANCE), most).where(one));
            var quantity = tx.update(ACCOUNT).set(ACCOUNT.BALANCE, SHELF.QUANTITY.cast(Long.class));
            in.execute("update from", quantity.from(SHELF).where(one).and(SHELF.ITEM.eq("nut")));
            var second = tx.update(ACCOUNT).set(ACCOUNT.BALANCE, 500L).where(two);
            in.fetch("returning", second.returning(ACCOUNT.BALANCE));
            var again = tx.update(ACCOUNT).set(ACCOUNT.BALANCE, 501L).where(two);
            in.fetch("returning all", again.returning());
            in.execute("update all", tx.update(ACCOUNT).set(ACCOUNT.VERSION, 0));
            in.update("update rows", ACCOUNT.VERSION, val(1), ACCOUNT.ID.in(1L, 2L));
            in.update("move", ACCOUNT.ID, val(4L), ACCOUNT.ID.eq(3L));
            var insert = tx.insertInto(ACCOUNT, ACCOUNT.ID, ACCOUNT.BALANCE, ACCOUNT.VERSION)
                    .values(1L, 5L, 0);
            in.execute("upsert", insert.onConflict(ACCOUNT.ID).doUpdate().set(ACCOUNT.BALANCE, 6L));
            in.execute("delete", tx.deleteFrom(ACCOUNT).where(ACCOUNT.ID.eq(4L)));
            var bolt = SHELF.WAREHOUSE.eq(1).and(SHELF.ITEM.eq("bolt"));
            in.fetch("delete returning", tx.deleteFrom(SHELF).where(bolt).returning());
            var beside = ACCOUNT.ID.eq(99L).and(SHELF.WAREHOUSE.eq(1));
            in.execute("delete using", tx.deleteFrom(ACCOUNT).using(SHELF).where(beside));
            var nut = SHELF.ITEM.eq("nut").and(SHELF.WAREHOUSE.eq(1));
            in.execute("composite", tx.update(SHELF).set(SHELF.QUANTITY, 7).where(nut));
            var with = tx.with("w").as(select(DSL.cast(val(1L), Long.class).as("id")));
            var named = ACCOUNT.ID.eq(select(field("id", Long.class)).from("w"));
            in.execute("with", with.update(ACCOUNT).set(ACCOUNT.BALANCE, 9L).where(named));
            var unbound = tx.update(ACCOUNT).set(ACCOUNT.BALANCE, (Long) null).where(ACCOUNT.ID.eq((Long) null));
            out.add("batch " + tx.batch(unbound).bind(10L, 1L).bind(20L, 2L).execute().length);
            Settings literal = new Settings().withStatementType(StatementType.STATIC_STATEMENT);
            new Noting(DSL.using(c.derive(literal)), out).update("static", ACCOUNT.BALANCE, val(11L), one);
            Settings bare = new Settings()
                    .withRenderQuotedNames(RenderQuotedNames.NEVER)
                    .withRenderFormatted(true);
            new Noting(DSL.using(c.derive(bare)), out).lock("unquoted", one);
        });
        try {
            dsl.transaction(c -> {
                c.dsl()
                        .update(ACCOUNT)
                        .set(ACCOUNT.BALANCE, -1L)
                        .where(ACCOUNT.ID.eq(1L))
                        .execute();
                throw new IllegalStateException("on purpose");
            });
        } catch (IllegalStateException e) {
            out.add("rolled back");
        }
        for (var account : dsl.selectFrom(ACCOUNT).orderBy(ACCOUNT.ID).fetch()) {
            out.add(account.get(ACCOUNT.ID) + " " + account.get(ACCOUNT.BALANCE) + " " + account.get(ACCOUNT.VERSION));
        }
    }

    private static void records(DSLContext dsl, List<String> out) {
        DSLContext optimistic = dsl.configuration()
                .derive(new Settings().withExecuteWithOptimisticLocking(true))
                .dsl();
        optimistic.transaction(c -> {
            AccountRecord account = c.dsl().fetchSingle(ACCOUNT, ACCOUNT.ID.eq(1L));
            account.set(ACCOUNT.BALANCE, 77L);
            out.add("stored " + account.store());
            account.refresh();
            out.add("refreshed " + account.get(ACCOUNT.BALANCE));
        });
        AccountRecord stale = optimistic.fetchSingle(ACCOUNT, ACCOUNT.ID.eq(2L));
        dsl.update(ACCOUNT).set(ACCOUNT.BALANCE, 1L).where(ACCOUNT.ID.eq(2L)).execute();
        stale.set(ACCOUNT.BALANCE, 78L);
        try {
            optimistic.transaction(c -> {
                stale.attach(c);
                stale.store();
            });
            out.add("stale stored");
        } catch (DataAccessException e) {
            out.add("stale " + e.getClass().getSimpleName());
        }
        AccountRecord fresh = dsl.fetchSingle(ACCOUNT, ACCOUNT.ID.eq(2L));
        out.add("deleted " + fresh.delete());
    }

    private static void hot(DSLContext dsl, List<String> out) throws Exception {
        Concurrently.run(
                8,
                25,
                () -> dsl.transaction(c -> {
                    long balance = c.dsl()
                            .select(ACCOUNT.BALANCE)
                            .from(ACCOUNT)
                            .where(ACCOUNT.ID.eq(1L))
                            .forUpdate()
                            .fetchSingle(ACCOUNT.BALANCE);
                    c.dsl()
                            .update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, balance + 1)
                            .where(ACCOUNT.ID.eq(1L))
                            .execute();
                }));
        Concurrently.run(
                8,
                25,
                () -> dsl.update(ACCOUNT)
                        .set(ACCOUNT.BALANCE, ACCOUNT.BALANCE.plus(1L))
                        .where(ACCOUNT.ID.eq(1L))
                        .execute());
        out.add("hot " + dsl.fetchSingle(ACCOUNT, ACCOUNT.ID.eq(1L)).get(ACCOUNT.BALANCE));
    }

    static final class AccountTable extends CustomTable<AccountRecord> {
        private static final long serialVersionUID = 1;
        final TableField<AccountRecord, Long> ID = createField(DSL.name("id"), SQLDataType.BIGINT.notNull());
        final TableField<AccountRecord, Long> BALANCE = createField(DSL.name("balance"), SQLDataType.BIGINT);
        final TableField<AccountRecord, Integer> VERSION = createField(DSL.name("version"), SQLDataType.INTEGER);

        AccountTable() {
            super(DSL.name("account"));
        }

        @Override
        public Class<? extends AccountRecord> getRecordType() {
            return AccountRecord.class;
        }

        @Override
        public UniqueKey<AccountRecord> getPrimaryKey() {
            return Internal.createUniqueKey(this, ID);
        }
    }

    static final class AccountRecord extends UpdatableRecordImpl<AccountRecord> {
        private static final long serialVersionUID = 1;

        public AccountRecord() {
            super(ACCOUNT);
        }
    }

    static final class ShelfTable extends CustomTable<ShelfRecord> {
        private static final long serialVersionUID = 1;
        final TableField<ShelfRecord, Integer> WAREHOUSE =
                createField(DSL.name("warehouse"), SQLDataType.INTEGER.notNull());
        final TableField<ShelfRecord, String> ITEM = createField(DSL.name("item"), SQLDataType.VARCHAR.notNull());
        final TableField<ShelfRecord, Integer> QUANTITY = createField(DSL.name("quantity"), SQLDataType.INTEGER);

        ShelfTable() {
            super(DSL.name("shelf"));
        }

        @Override
        public Class<? extends ShelfRecord> getRecordType() {
            return ShelfRecord.class;
        }
    }

    static final class ShelfRecord extends CustomRecord<ShelfRecord> {
        private static final long serialVersionUID = 1;

        ShelfRecord() {
            super(SHELF);
        }
    }
}
