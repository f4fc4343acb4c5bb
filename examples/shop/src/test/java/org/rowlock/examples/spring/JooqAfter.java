package org.rowlock.examples.spring;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.rowlock.spring.RowLock;
import org.springframework.transaction.annotation.Transactional;

class JooqAfter implements Deposits {
    private static final Table<Record> ACCOUNT = table("account");
    private static final Field<Long> ID = field("id", Long.class);
    private static final Field<Long> BALANCE = field("balance", Long.class);

    private final DSLContext dsl;

    JooqAfter(DSLContext dsl) {
        this.dsl = dsl;
    }

    // snippet: after
    @Override
    @Transactional
    public void deposit(@RowLock(value = "account", mode = FOR_UPDATE) long id, long amount) {
        long balance = dsl.select(BALANCE).from(ACCOUNT).where(ID.eq(id)).fetchSingle(BALANCE);
        dsl.update(ACCOUNT).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
    }
    // end
}
