package org.rowlock.jdbc.programs;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.conf.Settings;
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

    private static void lock(DSLContext dsl, List<String> out) {
        dsl.transaction(c -> {
            DSLContext tx = DSL.using(c);
            var one = ACCOUNT.ID.eq(1L);
            out.add("update "
                    + tx.selectFrom(ACCOUNT).where(one).forUpdate().fetch().size());
            out.add("no key update "
                    + tx.selectFrom(ACCOUNT).where(one).forNoKeyUpdate().fetch().size());
            out.add("share "
                    + tx.selectFrom(ACCOUNT).where(one).forShare().fetch().size());
            out.add("key share "
                    + tx.selectFrom(ACCOUNT).where(one).forKeyShare().fetch().size());
            out.add("of "
                    + tx.select(ACCOUNT.BALANCE)
                            .from(ACCOUNT)
                            .where(one)
                            .forUpdate()
                            .of(ACCOUNT)
                            .fetch()
                            .size());
            out.add("no wait "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .forUpdate()
                            .noWait()
                            .fetch()
                            .size());
            out.add("skip locked "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .forUpdate()
                            .skipLocked()
                            .fetch()
                            .size());
            out.add("and "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .and(ACCOUNT.BALANCE.gt(0L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("or "
                    + tx.selectFrom(ACCOUNT)
                            .where(one.or(ACCOUNT.BALANCE.gt(250L)))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("range "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.between(1L, 2L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("in one "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.in(1L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("in two "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.in(1L, 2L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("in none "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.in(List.of()))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("any "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(DSL.any(1L, 2L)))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("limit "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .limit(1)
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("order "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .orderBy(ACCOUNT.BALANCE)
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("inlined "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(DSL.inline(1L)))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("cast "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(DSL.cast(val("1"), Long.class)))
                            .forUpdate()
                            .fetch()
                            .size());
            var a = ACCOUNT.as("a");
            out.add("alias "
                    + tx.select(a.field(ACCOUNT.ID))
                            .from(a)
                            .where(a.field(ACCOUNT.ID).eq(1L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("none "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(99L))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("composite "
                    + tx.selectFrom(SHELF)
                            .where(SHELF.WAREHOUSE.eq(1))
                            .and(SHELF.ITEM.eq("nut"))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("row "
                    + tx.selectFrom(SHELF)
                            .where(row(SHELF.WAREHOUSE, SHELF.ITEM).eq(1, "nut"))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("rows of one "
                    + tx.selectFrom(SHELF)
                            .where(row(SHELF.WAREHOUSE, SHELF.ITEM).in(List.of(row(1, "nut"))))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("rows of two "
                    + tx.selectFrom(SHELF)
                            .where(row(SHELF.WAREHOUSE, SHELF.ITEM).in(List.of(row(1, "nut"), row(1, "bolt"))))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("half the key "
                    + tx.selectFrom(SHELF)
                            .where(SHELF.WAREHOUSE.eq(1))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("join "
                    + tx.select()
                            .from(ACCOUNT)
                            .join(SHELF)
                            .on(SHELF.QUANTITY.cast(Long.class).ne(ACCOUNT.ID))
                            .where(one)
                            .forUpdate()
                            .of(ACCOUNT)
                            .fetch()
                            .size());
            out.add("subquery "
                    + tx.selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(select(DSL.min(ACCOUNT.ID)).from(ACCOUNT)))
                            .forUpdate()
                            .fetch()
                            .size());
            out.add("exists "
                    + tx.selectFrom(ACCOUNT)
                            .where(one)
                            .andExists(DSL.selectOne().from(SHELF).where(SHELF.WAREHOUSE.eq(1)))
                            .forUpdate()
                            .fetch()
                            .size());
        });
    }

    private static void write(DSLContext dsl, List<String> out) {
        dsl.transaction(c -> {
            DSLContext tx = DSL.using(c);
            out.add("update "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, ACCOUNT.BALANCE.plus(1L))
                            .where(ACCOUNT.ID.eq(1L))
                            .execute());
            out.add("update and "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, ACCOUNT.BALANCE.minus(1L))
                            .where(ACCOUNT.ID.eq(1L))
                            .and(ACCOUNT.BALANCE.ge(1L))
                            .execute());
            out.add("update row "
                    + tx.update(ACCOUNT)
                            .set(
                                    row(ACCOUNT.BALANCE, ACCOUNT.VERSION),
                                    row(ACCOUNT.BALANCE.plus(5L), ACCOUNT.VERSION.plus(1)))
                            .where(ACCOUNT.ID.eq(1L))
                            .execute());
            out.add("update from query "
                    + tx.update(ACCOUNT)
                            .set(
                                    row(ACCOUNT.BALANCE),
                                    select(DSL.max(ACCOUNT.BALANCE)).from(ACCOUNT))
                            .where(ACCOUNT.ID.eq(1L))
                            .execute());
            out.add("update from "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, SHELF.QUANTITY.cast(Long.class))
                            .from(SHELF)
                            .where(ACCOUNT.ID.eq(1L))
                            .and(SHELF.ITEM.eq("nut"))
                            .execute());
            out.add("returning "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, 500L)
                            .where(ACCOUNT.ID.eq(2L))
                            .returning(ACCOUNT.BALANCE)
                            .fetch()
                            .size());
            out.add("returning all "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, 501L)
                            .where(ACCOUNT.ID.eq(2L))
                            .returning()
                            .fetch()
                            .size());
            out.add("update all " + tx.update(ACCOUNT).set(ACCOUNT.VERSION, 0).execute());
            out.add("update rows "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.VERSION, 1)
                            .where(ACCOUNT.ID.in(1L, 2L))
                            .execute());
            out.add("move "
                    + tx.update(ACCOUNT)
                            .set(ACCOUNT.ID, 4L)
                            .where(ACCOUNT.ID.eq(3L))
                            .execute());
            out.add("upsert "
                    + tx.insertInto(ACCOUNT, ACCOUNT.ID, ACCOUNT.BALANCE, ACCOUNT.VERSION)
                            .values(1L, 5L, 0)
                            .onConflict(ACCOUNT.ID)
                            .doUpdate()
                            .set(ACCOUNT.BALANCE, 6L)
                            .execute());
            out.add("delete " + tx.deleteFrom(ACCOUNT).where(ACCOUNT.ID.eq(4L)).execute());
            out.add("delete returning "
                    + tx.deleteFrom(SHELF)
                            .where(SHELF.WAREHOUSE.eq(1))
                            .and(SHELF.ITEM.eq("bolt"))
                            .returning()
                            .fetch()
                            .size());
            out.add("delete using "
                    + tx.deleteFrom(ACCOUNT)
                            .using(SHELF)
                            .where(ACCOUNT.ID.eq(99L))
                            .and(SHELF.WAREHOUSE.eq(1))
                            .execute());
            out.add("composite "
                    + tx.update(SHELF)
                            .set(SHELF.QUANTITY, 7)
                            .where(SHELF.ITEM.eq("nut"))
                            .and(SHELF.WAREHOUSE.eq(1))
                            .execute());
            out.add("with "
                    + tx.with("w")
                            .as(select(DSL.cast(val(1L), Long.class).as("id")))
                            .update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, 9L)
                            .where(ACCOUNT.ID.eq(select(field("id", Long.class)).from("w")))
                            .execute());
            out.add("batch "
                    + tx.batch(tx.update(ACCOUNT)
                                    .set(ACCOUNT.BALANCE, (Long) null)
                                    .where(ACCOUNT.ID.eq((Long) null)))
                            .bind(10L, 1L)
                            .bind(20L, 2L)
                            .execute()
                            .length);
            out.add("static "
                    + DSL.using(c.derive(
                                    new Settings().withStatementType(org.jooq.conf.StatementType.STATIC_STATEMENT)))
                            .update(ACCOUNT)
                            .set(ACCOUNT.BALANCE, 11L)
                            .where(ACCOUNT.ID.eq(1L))
                            .execute());
            out.add("unquoted "
                    + DSL.using(c.derive(new Settings()
                                    .withRenderQuotedNames(org.jooq.conf.RenderQuotedNames.NEVER)
                                    .withRenderFormatted(true)))
                            .selectFrom(ACCOUNT)
                            .where(ACCOUNT.ID.eq(1L))
                            .forUpdate()
                            .fetch()
                            .size());
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
