package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import jakarta.persistence.EntityManager;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import java.util.Objects;
import org.hibernate.Hibernate;
import org.hibernate.bytecode.enhance.spi.DefaultEnhancementContext;
import org.hibernate.bytecode.enhance.spi.UnloadedClass;
import org.hibernate.bytecode.enhance.spi.UnloadedField;
import org.hibernate.bytecode.internal.bytebuddy.BytecodeProviderImpl;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks rows whose entities Hibernate has enhanced, so that attributes are read when they are needed. */
@Tag("long")
class EnhancedEntityTest {
    private static final LockRequest ONE = forNoKeyUpdate(LockKey.row("account", 1));

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2, "alter table account add note text default 'old'");

    private TestContext context;
    private EntityManager entities;
    private TransactionTemplate transaction;

    /** Defines the enhanced class instead of the class that the compiler has written. */
    @BeforeAll
    static void enhance() throws Exception {
        String name = EnhancedEntityTest.class.getPackageName() + ".LazyAccount";
        try (InputStream plain = EnhancedEntityTest.class.getResourceAsStream("LazyAccount.class")) {
            byte[] enhanced = new BytecodeProviderImpl()
                    .getEnhancer(new DefaultEnhancementContext() {
                        @Override
                        public boolean hasLazyLoadableAttributes(UnloadedClass type) {
                            return true;
                        }

                        @Override
                        public boolean doDirtyCheckingInline(UnloadedClass type) {
                            return true;
                        }

                        @Override
                        public boolean isLazyLoadable(UnloadedField field) {
                            return true;
                        }
                    })
                    .enhance(name, Objects.requireNonNull(plain).readAllBytes());
            MethodHandles.lookup().defineClass(enhanced);
        }
    }

    @BeforeEach
    void start() {
        context = Contexts.jpa(database, new Unit(LazyAccount.class));
        entities = context.entities();
        transaction = context.transactions();
    }

    private void elsewhere(String sql) {
        RowLockTests.execute(database, sql);
    }

    @Test
    void aLazyAttributeThatWasReadIsReadAgain() {
        transaction.executeWithoutResult(status -> {
            LazyAccount account = entities.find(LazyAccount.class, 1L);
            assertThat(Hibernate.isPropertyInitialized(account, "note")).isFalse();
            assertThat(account.note()).isEqualTo("old");
            elsewhere("update account set note = 'new', balance = 7 where id = 1");
            context.template().lock(ONE);
            assertThat(account.balance()).isEqualTo(7);
            assertThat(account.note()).isEqualTo("new");
        });
    }

    /** Hibernate writes the change without a read of the entity. A refresh would drop the change. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChangeOfAReferenceIsNotLost(boolean locks) throws SQLException {
        transaction.executeWithoutResult(status -> {
            LazyAccount account = entities.getReference(LazyAccount.class, 1L);
            account.balance(5);
            assertThat(Hibernate.isInitialized(account)).isFalse();
            if (locks) {
                context.template().lock(ONE);
            }
        });
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("5");
    }

    @Test
    void aReferenceIsReadBehindTheLock() {
        transaction.executeWithoutResult(status -> {
            LazyAccount account = entities.getReference(LazyAccount.class, 1L);
            context.template().lock(ONE);
            assertThat(RowLockTests.isFree(database.dataSource(), LockKey.row("account", 1)))
                    .isFalse();
            assertThat(account.balance()).isZero();
        });
    }
}
