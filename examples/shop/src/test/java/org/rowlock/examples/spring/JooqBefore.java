package org.rowlock.examples.spring;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.springframework.transaction.annotation.Transactional;

class JooqBefore implements Deposits {
    private static final Table<Record> ACCOUNT = table("account");
    private static final Field<Long> ID = field("id", Long.class);
    private static final Field<Long> BALANCE = field("balance", Long.class);

    private final DSLContext dsl;

    JooqBefore(DSLContext dsl) {
        this.dsl = dsl;
    }

    // snippet: before
    @Override
    @Transactional
    public void deposit(long id, long amount) {
        long balance =
                dsl.select(BALANCE).from(ACCOUNT).where(ID.eq(id)).forUpdate().fetchSingle(BALANCE);
        dsl.update(ACCOUNT).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
    }
    // end
}
