package org.rowlock.spring.libraries;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.rowlock.spring.Account;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

class HibernateTest extends LibraryContract {
    HibernateTest() {
        super(Library.class);
    }

    @Import(JpaTransactions.class)
    static class Library {
        @Bean
        JpaTransactions.Unit unit() {
            return new JpaTransactions.Unit(Account.class);
        }

        @Bean
        AccountStore store(EntityManagerFactory factory) {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            return new AccountStore(
                    id -> entities.find(Account.class, id).balance,
                    (id, balance) -> entities.find(Account.class, id).balance = balance,
                    () -> (Integer) entities.createNativeQuery("select pg_backend_pid()", Integer.class)
                            .getSingleResult());
        }
    }
}
