package org.rowlock.spring.libraries;

import com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider;
import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.Map;
import javax.sql.DataSource;
import org.rowlock.spring.CountableLocks;
import org.rowlock.spring.EnableRowLocks;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Configures Hibernate, transactions of JPA, and {@code @RowLock}. A bean of type {@link Unit} names the entities. */
@EnableRowLocks
@Import({CountableLocks.class, JpaTransactions.WithoutLocks.class})
public class JpaTransactions {
    /** The entities of a persistence unit, and its properties. */
    public record Unit(Map<String, ?> properties, Class<?>... entities) {
        public Unit(Class<?>... entities) {
            this(Map.of(), entities);
        }
    }

    /** Properties that give each factory a separate second-level cache. */
    public static final Map<String, Object> CACHE = Map.of(
            "hibernate.cache.region.factory_class",
            "jcache",
            "hibernate.javax.cache.provider",
            CaffeineCachingProvider.class.getName(),
            "hibernate.javax.cache.missing_cache_strategy",
            "create",
            "hibernate.cache.use_query_cache",
            true,
            "hibernate.generate_statistics",
            true);

    /** Configures Hibernate and transactions of JPA, without Rowlock. */
    @EnableTransactionManagement
    public static class WithoutLocks {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource, Unit unit) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setJpaPropertyMap(unit.properties());
            factory.setManagedTypes(PersistenceManagedTypes.of(
                    Arrays.stream(unit.entities()).map(Class::getName).toArray(String[]::new)));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }
}
