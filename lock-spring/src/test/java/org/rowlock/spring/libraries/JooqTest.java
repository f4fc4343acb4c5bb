package org.rowlock.spring.libraries;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

@Tag("long")
class JooqTest extends LibraryContract {
    JooqTest() {
        super(Library.class);
    }

    @Import(JdbcTransactions.class)
    static class Library {
        private static final Field<Long> ID = field("id", Long.class);
        private static final Field<Long> BALANCE = field("balance", Long.class);

        @Bean
        AccountStore store(DataSource dataSource) {
            DSLContext dsl = DSL.using(new TransactionAwareDataSourceProxy(dataSource), SQLDialect.POSTGRES);
            var account = table("account");
            return new AccountStore(
                    id -> dsl.select(BALANCE).from(account).where(ID.eq(id)).fetchSingle(BALANCE),
                    (id, balance) -> dsl.update(account)
                            .set(BALANCE, balance)
                            .where(ID.eq(id))
                            .execute(),
                    () -> dsl.fetchSingle("select pg_backend_pid()").get(0, Integer.class));
        }
    }
}
