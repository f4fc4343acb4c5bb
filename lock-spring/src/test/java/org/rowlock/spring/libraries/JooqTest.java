package org.rowlock.spring.libraries;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

@Tag("long")
class JooqTest extends LibraryContract {
    JooqTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library implements AccountStore {
        private static final Field<Long> ID = field("id", Long.class);
        private static final Field<Long> BALANCE = field("balance", Long.class);

        private final DSLContext dsl;

        Library(DataSource dataSource) {
            this.dsl = DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.POSTGRES);
        }

        @Override
        public long balance(long id) {
            return dsl.select(BALANCE).from(table("account")).where(ID.eq(id)).fetchSingle(BALANCE);
        }

        @Override
        public void setBalance(long id, long balance) {
            dsl.update(table("account")).set(BALANCE, balance).where(ID.eq(id)).execute();
        }

        @Override
        public int backend() {
            return dsl.fetchSingle("select pg_backend_pid()").get(0, Integer.class);
        }
    }
}
