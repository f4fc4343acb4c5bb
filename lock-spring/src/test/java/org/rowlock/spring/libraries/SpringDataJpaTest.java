package org.rowlock.spring.libraries;

import org.junit.jupiter.api.Tag;
import org.rowlock.spring.Account;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

@Tag("long")
class SpringDataJpaTest extends LibraryContract {
    SpringDataJpaTest() {
        super(Library.class);
    }

    interface Accounts extends JpaRepository<Account, Long> {
        @Query(value = "select pg_backend_pid()", nativeQuery = true)
        int backend();
    }

    @Import(JpaTransactions.class)
    @EnableJpaRepositories(
            considerNestedRepositories = true,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Accounts.class))
    static class Library {
        @Bean
        JpaTransactions.Unit unit() {
            return new JpaTransactions.Unit(Account.class);
        }

        @Bean
        AccountStore store(Accounts accounts) {
            return new AccountStore(
                    id -> accounts.findById(id).orElseThrow().balance,
                    (id, balance) -> {
                        Account account = accounts.findById(id).orElseThrow();
                        account.balance = balance;
                        accounts.save(account);
                    },
                    accounts::backend);
        }
    }
}
