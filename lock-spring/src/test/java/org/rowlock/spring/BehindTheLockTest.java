package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forNoKeyUpdate;
import static org.rowlock.spring.RowLockTests.assertMisuse;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.Types;
import java.util.List;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.Fetch;
import org.hibernate.annotations.FetchMode;
import org.hibernate.annotations.JavaType;
import org.hibernate.annotations.Synchronize;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.orm.ObjectRetrievalFailureException;
import org.springframework.transaction.annotation.Transactional;

/**
 * Checks that the other data of Hibernate, such as collections and query results, is no older than the lock, and
 * overwrites no newer data.
 */
@Tag("long")
class BehindTheLockTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            1,
            "create table tag (owner bigint, tag text)",
            "insert into tag values (1, 'first')",
            "create table part (kind int, number int, amount bigint not null, primary key (kind, number))",
            "insert into part values (1, 7, 0)",
            "create table coin (id bigint primary key, amount bigint not null)",
            "insert into coin values (1, 0)",
            "create table ledger (id bigint primary key)",
            "insert into ledger values (1)",
            "create table box (id bigint primary key)",
            "insert into box values (1)",
            "create table vehicle (id bigint primary key, dtype text)",
            "create table truck (id bigint primary key, axles int)");

    private static final LockKey ONE = LockKey.row("account", 1);

    @Entity(name = "Account")
    @Table(name = "account")
    static class Account {
        @Id
        Long id;

        long balance;

        @ElementCollection
        @CollectionTable(name = "tag", joinColumns = @JoinColumn(name = "owner"))
        @Column(name = "tag")
        @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
        List<String> tags;
    }

    enum Kind {
        SMALL,
        LARGE
    }

    @Embeddable
    record PartId(Kind kind, int number) implements Serializable {}

    @Entity
    @Table(name = "part")
    static class Part {
        @EmbeddedId
        PartId id;

        long amount;
    }

    record CoinId(long number) implements Serializable {}

    /** Hibernate binds the id object itself, and only this type knows the stored form of the id. */
    public static final class CoinIdType extends AbstractClassJavaType<CoinId> {
        private static final long serialVersionUID = 1;

        public CoinIdType() {
            super(CoinId.class);
        }

        @Override
        public JdbcType getRecommendedJdbcType(JdbcTypeIndicators indicators) {
            return indicators.getJdbcType(Types.BIGINT);
        }

        @Override
        public <X> X unwrap(CoinId value, Class<X> type, WrapperOptions options) {
            return type.cast(type == CoinId.class ? value : value.number());
        }

        @Override
        public <X> CoinId wrap(X value, WrapperOptions options) {
            return value instanceof CoinId id ? id : new CoinId(((Number) value).longValue());
        }
    }

    @Entity
    @Table(name = "coin")
    @Synchronize("ledger")
    static class Coin {
        @Id
        @JavaType(CoinIdType.class)
        CoinId id;

        long amount;
    }

    /** JPA's find reads the collection too, in a statement after the lock. */
    @Entity
    @Table(name = "box")
    static class Box {
        @Id
        Long id;

        @ElementCollection(fetch = FetchType.EAGER)
        @Fetch(FetchMode.SELECT)
        @CollectionTable(name = "tag", joinColumns = @JoinColumn(name = "owner"))
        @Column(name = "tag")
        @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
        List<String> tags;
    }

    @Entity
    @Table(name = "vehicle")
    @Inheritance(strategy = InheritanceType.JOINED)
    static class Vehicle {
        @Id
        Long id;
    }

    @Entity
    @Table(name = "truck")
    static class Truck extends Vehicle {
        int axles;
    }

    static class Accounts {
        @Transactional
        public void ifThere(@RowLock(value = "account", required = false) long id, Runnable work) {
            work.run();
        }
    }

    private interface Work {
        void run(RowLockTemplate locks, EntityManager entities);
    }

    private TestContext start(LockStrategy strategy) {
        return Contexts.jpa(
                database,
                Contexts.pool(database),
                new Unit(
                        JpaTransactions.CACHE,
                        Account.class,
                        Part.class,
                        Coin.class,
                        Box.class,
                        Vehicle.class,
                        Truck.class),
                beans -> Contexts.locks(beans, strategy),
                Accounts.class);
    }

    private void transaction(TestContext context, Work work) {
        context.inTransaction(status -> work.run(context.template(), context.entities()));
    }

    private void elsewhere(String sql) {
        RowLockTests.execute(database, sql);
    }

    private static Long queried(EntityManager entities) {
        return entities.createQuery("select balance from Account where id = 1", Long.class)
                .setHint("org.hibernate.cacheable", true)
                .getSingleResult();
    }

    /** In this mapping the entity itself is not cached, but its collection is. */
    @Test
    void cachedCollectionsAndQueriesAreReadFromTheDatabase() {
        var context = start(LockStrategy.ROW);
        transaction(context, (locks, entities) -> {
            assertThat(entities.find(Account.class, 1L).tags).hasSize(1);
            assertThat(queried(entities)).isZero();
        });
        elsewhere("insert into tag values (1, 'second')");
        elsewhere("update account set balance = 50");
        transaction(context, (locks, entities) -> {
            assertThat(entities.find(Account.class, 1L).tags).as("cached").hasSize(1);
            assertThat(queried(entities)).as("cached").isZero();
        });
        transaction(context, (locks, entities) -> {
            locks.lock(forNoKeyUpdate(ONE));
            assertThat(entities.find(Account.class, 1L).tags).hasSize(2);
            assertThat(queried(entities)).isEqualTo(50);
        });
    }

    @ParameterizedTest
    @EnumSource
    void cachedCollectionsThatTheLockReadsAreReadFromTheDatabase(LockStrategy strategy) {
        var context = start(strategy);
        transaction(
                context,
                (locks, entities) ->
                        assertThat(entities.find(Box.class, 1L).tags).hasSize(1));
        elsewhere("insert into tag values (1, 'second')");
        transaction(
                context,
                (locks, entities) -> assertThat(entities.find(Box.class, 1L).tags)
                        .as("cached")
                        .hasSize(1));
        transaction(context, (locks, entities) -> {
            locks.lock(forNoKeyUpdate(LockKey.row("box", 1)));
            assertThat(entities.find(Box.class, 1L).tags).hasSize(2);
        });
    }

    /**
     * The weakest lock allows changes of the row by other transactions. Data that was read under that lock can
     * therefore be stale.
     */
    @Test
    void aLockThatIsStrengthenedIsANewOne() {
        var context = start(LockStrategy.ROW);
        transaction(context, (locks, entities) -> {
            locks.lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(ONE)));
            Account account = entities.find(Account.class, 1L);
            elsewhere("update account set balance = 50");
            locks.lock(forNoKeyUpdate(ONE));
            assertThat(account.balance).isEqualTo(50);
            account.balance = 51;
            locks.lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(ONE)));
            locks.lock(forNoKeyUpdate(ONE));
            assertThat(account.balance).as("changed under the stronger lock").isEqualTo(51);
        });
        assertMisuse(() -> transaction(context, (locks, entities) -> {
                    locks.lock(LockRequest.of(RowLockMode.FOR_KEY_SHARE, List.of(ONE)));
                    entities.find(Account.class, 1L).balance += 1;
                    locks.lock(forNoKeyUpdate(ONE));
                }))
                .hasMessageContaining("has been changed since");
    }

    /**
     * Hibernate would write all elements of the collection again, and would remove elements that another transaction
     * has added meanwhile.
     */
    @Test
    void anEntityWhoseCollectionIsChangedBeforeTheLockIsRefused() throws Exception {
        var context = start(LockStrategy.ROW);
        assertMisuse(() -> transaction(context, (locks, entities) -> {
                    entities.find(Account.class, 1L).tags.remove("first");
                    elsewhere("insert into tag values (1, 'second')");
                    locks.lock(forNoKeyUpdate(ONE));
                }))
                .hasMessageContaining("has been changed since");
        assertThat(database.query("select count(*) from tag")).isEqualTo("2");
    }

    @ParameterizedTest
    @EnumSource
    void anEntityWhoseRowIsGoneIsNotTakenForThere(LockStrategy strategy) {
        var context = start(strategy);
        Accounts accounts = context.getBean(Accounts.class);
        assertThatThrownBy(() -> transaction(context, (locks, entities) -> {
                    assertThat(entities.find(Account.class, 1L)).isNotNull();
                    elsewhere("delete from account");
                    accounts.ifThere(
                            1,
                            () -> assertThat(entities.find(Account.class, 1L)).isNull());
                }))
                .isInstanceOf(ObjectRetrievalFailureException.class);
    }

    /** By default an enum is stored as its number. The key contains the stored value. */
    @Test
    void anIdIsComparedAsItIsStored() {
        var context = start(LockStrategy.ROW);
        transaction(context, (locks, entities) -> {
            Part part = entities.find(Part.class, new PartId(Kind.LARGE, 7));
            elsewhere("update part set amount = 5");
            locks.lock(forNoKeyUpdate(LockKey.row("part", List.of(1, 7))));
            assertThat(part.amount).isEqualTo(5);
        });
    }

    @Test
    void anIdOfATypeOfItsOwnIsComparedByItsFields() {
        var context = start(LockStrategy.ROW);
        transaction(context, (locks, entities) -> {
            Coin coin = entities.find(Coin.class, new CoinId(1));
            elsewhere("update coin set amount = 5");
            locks.lock(forNoKeyUpdate(LockKey.row("coin", 1)));
            assertThat(coin.amount).isEqualTo(5);
        });
        assertMisuse(() -> transaction(context, (locks, entities) -> {
                    entities.find(Coin.class, new CoinId(1)).amount += 1;
                    locks.lock(forNoKeyUpdate(LockKey.row("coin", 1)));
                }))
                .hasMessageContaining("has been changed since");
    }

    /** The entity names the table with @Synchronize, but has no row in the table. */
    @Test
    void aTableThatAnEntityOnlyReadsCanBeLocked() {
        transaction(start(LockStrategy.ROW), (locks, entities) -> {
            Coin coin = entities.find(Coin.class, new CoinId(1));
            RowLockTests.assertHeld(locks.lock(forNoKeyUpdate(LockKey.row("ledger", 1))));
            assertThat(coin.amount).isZero();
        });
    }

    @Test
    void nothingIsExecutedOrClaimedInTheTableOfAJoinedSubclass() throws Exception {
        CommitWrites writes = new CommitWrites();
        writes.add("insert into vehicle values (1, 'Truck')");
        var context = start(LockStrategy.BOTH);
        RowLockTemplate template = context.template();
        assertMisuse(() -> template.execute(forNoKeyUpdate(LockKey.row("truck", 1)), writes))
                .hasMessageContainingAll("truck", "vehicle");
        assertMisuse(() -> transaction(
                        context,
                        (locks, entities) -> locks.claim(Claim.from("truck").limit(1), row -> row.getLong(1))))
                .hasMessageContainingAll("truck", "vehicle");
        assertThat(database.query("select count(*) from vehicle")).isEqualTo("0");
        template.execute(forNoKeyUpdate(LockKey.row("vehicle", 1)).allowAbsent(), writes);
        assertThat(database.query("select count(*) from vehicle")).isEqualTo("1");
    }
}
