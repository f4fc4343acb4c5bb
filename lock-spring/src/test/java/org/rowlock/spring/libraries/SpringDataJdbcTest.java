package org.rowlock.spring.libraries;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

@Tag("long")
class SpringDataJdbcTest extends LibraryContract {
    SpringDataJdbcTest() {
        super(Library.class);
    }

    @Table("account")
    record Account(@Id long id, long balance) {}

    interface Accounts extends CrudRepository<Account, Long> {
        @Query("select pg_backend_pid()")
        int backend();
    }

    @Import(JdbcTransactions.class)
    @EnableJdbcRepositories(
            considerNestedRepositories = true,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Accounts.class))
    static class Library extends AbstractJdbcConfiguration {
        @Bean
        NamedParameterJdbcTemplate jdbc(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        AccountStore store(Accounts accounts) {
            return new AccountStore(
                    id -> accounts.findById(id).orElseThrow().balance(),
                    (id, balance) -> accounts.save(new Account(id, balance)),
                    accounts::backend);
        }
    }
}
