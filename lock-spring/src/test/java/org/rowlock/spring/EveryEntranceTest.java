package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockRequest.forNoKeyUpdate;

import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Select;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.rowlock.Claim;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.spring.CachedEntityTest.Account;
import org.rowlock.spring.libraries.JpaTransactions;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/**
 * Combines every way to lock with every earlier reader of the row and every phase of the transaction. After the lock,
 * the value must be the value that {@code SELECT ... FOR UPDATE} reads, and a registered write must be stored. If that
 * is impossible, the caller must get an exception, and nothing is stored.
 */
class EveryEntranceTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2, "create table ledger (entry text)");

    private static final LockRequest ONE = forNoKeyUpdate(LockKey.row("account", 1));

    interface Mapper {
        @Select("select balance from account where id = 1")
        long balance();
    }

    /** The code that reads the row before and after the lock. */
    enum Reader {
        FIRST_LEVEL,
        SECOND_LEVEL,
        MYBATIS,
        NONE
    }

    /** The phase of the transaction in which the lock is acquired. */
    enum Phase {
        WORK,
        BEFORE_COMMIT,
        AFTER_COMMIT
    }

    /** The way to acquire the lock and to run work under the lock. */
    enum Entrance {
        ANNOTATION(false),
        ANNOTATED_PLAIN(false),
        REQUIRES_NEW(true),
        KOTLIN(false),
        SEVERAL(false),
        EXPRESSION(false),
        LOCK(false),
        LOCK_ALL(false),
        TRY_LOCK(false),
        LOCK_AND_QUERY(false),
        IN_TRANSACTION(false),
        CLAIM(false),
        EVENT(false),
        BEFORE_COMMIT_EVENT(false),
        ASYNC(true),
        THREAD(true),
        SCHEDULED(true),
        RABBIT(true),
        KAFKA(true),
        JMS(false),
        BATCH(true);

        /**
         * Whether this way begins a separate transaction, and therefore works even after the commit of another
         * transaction.
         */
        private final boolean own;

        Entrance(boolean own) {
            this.own = own;
        }
    }

    record Told(Runnable inside, boolean beforeCommit) {
        public long getId() {
            return 1;
        }
    }

    /** The work of a call that has no parameter for the work. */
    static class Inbox {
        volatile Runnable inside = () -> {};
    }

    static class Service {
        private final Inbox inbox;

        Service(Inbox inbox) {
            this.inbox = inbox;
        }

        @Scheduled(fixedDelay = 1, initialDelay = 100, timeUnit = TimeUnit.DAYS)
        @Transactional
        @RowLock(table = "account", id = "1")
        public void onTime() {
            inbox.inside.run();
        }

        /** Runs in the transaction of the listener container. */
        @RabbitListener(queues = "rabbit")
        @RowLock(table = "account", id = "#id")
        public void onRabbit(long id) {
            inbox.inside.run();
        }

        @KafkaListener(topics = "kafka")
        @Transactional
        public void onKafka(@RowLock("account") long id) {
            inbox.inside.run();
        }

        @JmsListener(destination = "jms")
        @Transactional
        public void onJms(@RowLock(entity = Account.class) long id) {
            inbox.inside.run();
        }

        @Transactional
        public void lock(@RowLock("account") long id, Runnable inside) {
            inside.run();
        }

        @RowLock(table = "account", id = "#id")
        public void plain(long id, Runnable inside) {
            inside.run();
        }

        @Transactional
        public void several(@RowLock("account") List<Long> ids, Runnable inside) {
            inside.run();
        }

        @Transactional
        @RowLock(table = "account", id = "#told.id")
        public void expression(Told told) {
            told.inside().run();
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void anew(@RowLock(entity = Account.class) long id, Runnable inside) {
            inside.run();
        }

        @EventListener(condition = "!#told.beforeCommit")
        @RowLock(table = "account", id = "1")
        public void on(Told told) {
            told.inside().run();
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT, condition = "#told.beforeCommit")
        @RowLock(table = "account", id = "1")
        public void beforeCommit(Told told) {
            told.inside().run();
        }

        @Async
        @Transactional
        public CompletableFuture<Void> later(@RowLock("account") long id, Runnable inside) {
            inside.run();
            return CompletableFuture.completedFuture(null);
        }
    }

    @EnableAsync
    static class Libraries {
        @Bean
        SqlSessionFactoryBean sqlSessionFactory(DataSource dataSource) {
            SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
            factory.setDataSource(dataSource);
            return factory;
        }

        @Bean
        MapperFactoryBean<Mapper> mapper(SqlSessionFactoryBean sessions) throws Exception {
            MapperFactoryBean<Mapper> factory = new MapperFactoryBean<>(Mapper.class);
            sessions.getObject().getConfiguration().addMapper(Mapper.class);
            factory.setSqlSessionFactory(sessions.getObject());
            return factory;
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }
    }

    private TestContext start(LockStrategy strategy) {
        return Contexts.jpa(
                database,
                Contexts.pool(database),
                new Unit(JpaTransactions.CACHE, Account.class),
                beans -> Contexts.locks(beans, strategy),
                Libraries.class,
                Endpoints.class,
                Inbox.class,
                Service.class,
                PlainService.class);
    }

    /** One combination in a run. */
    private final class Case {
        private final TestContext context;
        private final Entrance entrance;
        private final Reader reader;
        private final TransactionTemplate transaction;
        private final EntityManager entities;
        private final RowLockTemplate locks;
        private final List<Long> behind = new ArrayList<>();
        private final List<Long> oracle = new ArrayList<>();

        Case(TestContext context, Entrance entrance, Reader reader) {
            this.context = context;
            this.entrance = entrance;
            this.reader = reader;
            this.transaction = context.transactions();
            this.entities = context.entities();
            this.locks = context.template();
        }

        private long read() {
            return switch (reader) {
                case FIRST_LEVEL, SECOND_LEVEL -> entities.find(Account.class, 1L).balance;
                case MYBATIS -> context.getBean(Mapper.class).balance();
                case NONE -> jdbc("select balance from account where id = 1");
            };
        }

        private long jdbc(String sql) {
            Long value = context.getBean(JdbcTemplate.class).queryForObject(sql, Long.class);
            return value == null ? -1 : value;
        }

        /**
         * The work under the lock: reads the row, and registers a write for the commit. The oracle is the value that a
         * plain locking SELECT reads.
         */
        private void inside() {
            behind.add(read());
            oracle.add(jdbc("select balance from account where id = 1 for no key update"));
            if (entrance != Entrance.CLAIM) {
                locks.requireLocked(LockKey.row("account", 1));
            }
            locks.atCommit().add("insert into ledger values ('promised')").expectOneRow();
        }

        private void enter() {
            Service service = context.getBean(Service.class);
            context.getBean(Inbox.class).inside = this::inside;
            switch (entrance) {
                case ANNOTATION -> service.lock(1, this::inside);
                case ANNOTATED_PLAIN -> service.plain(1, this::inside);
                case REQUIRES_NEW -> service.anew(1, this::inside);
                case KOTLIN -> {
                    context.getBean(PlainService.class).add(1, 0);
                    inside();
                }
                case SEVERAL -> service.several(List.of(2L, 1L), this::inside);
                case EXPRESSION -> service.expression(new Told(this::inside, false));
                case LOCK_ALL -> {
                    locks.lock(forNoKeyUpdate(LockKey.rows("account", List.of(2, 1))));
                    inside();
                }
                case LOCK -> {
                    assertThat(locks.lock(ONE).isHeld()).isTrue();
                    inside();
                }
                case TRY_LOCK -> {
                    assertThat(locks.tryLock(ONE).isHeld()).isTrue();
                    inside();
                }
                case LOCK_AND_QUERY -> {
                    assertThat(locks.lockAndRead(ONE, "select 1", row -> row.getInt(1)))
                            .containsExactly(1);
                    inside();
                }
                case IN_TRANSACTION ->
                    locks.inTransaction(ONE, () -> {
                        inside();
                        return "";
                    });
                case CLAIM -> {
                    assertThat(locks.claim(Claim.from("account").where("id = 1").limit(1), row -> row.getLong("id")))
                            .containsExactly(1L);
                    inside();
                }
                case EVENT -> context.publishEvent(new Told(this::inside, false));
                case BEFORE_COMMIT_EVENT -> context.publishEvent(new Told(this::inside, true));
                case ASYNC -> join(service.later(1, this::inside));
                case THREAD -> onAnotherThread(() -> service.lock(1, this::inside));
                case SCHEDULED -> onAnotherThread(ListenerKindsTest.scheduled(context));
                case RABBIT ->
                    onAnotherThread(() -> transaction.executeWithoutResult(
                            status -> Endpoints.of(context).receive("rabbit", 1L)));
                case KAFKA -> onAnotherThread(() -> Endpoints.of(context).receive("kafka", 1L));
                case JMS -> Endpoints.of(context).receive("jms", 1L);
                case BATCH -> onAnotherThread(() -> BatchStep.run(context, id -> service.lock(id, this::inside)));
            }
        }

        /** Runs the call on a new thread, as schedulers and containers do. */
        private void onAnotherThread(Runnable call) {
            join(Blocking.run(call));
        }

        private void join(CompletableFuture<?> later) {
            try {
                TestDatabase.result(later);
            } catch (java.util.concurrent.ExecutionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
            } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Runs the case, and returns the exception that the caller gets; null if the case succeeds. */
        RuntimeException run(Phase phase) {
            // The second-level cache now contains the row.
            transaction.executeWithoutResult(status -> entities.find(Account.class, 1L));
            RuntimeException[] refused = new RuntimeException[1];
            try {
                transaction.executeWithoutResult(status -> {
                    if (reader != Reader.SECOND_LEVEL) {
                        read();
                    }
                    RowLockTests.execute(database, "update account set balance = balance + 50 where id = 1");
                    Runnable work = () -> {
                        try {
                            enter();
                        } catch (RuntimeException e) {
                            refused[0] = e;
                            throw e;
                        }
                    };
                    switch (phase) {
                        case WORK -> work.run();
                        case BEFORE_COMMIT -> TestContext.beforeCommit(work);
                        case AFTER_COMMIT -> TestContext.afterCommit(work);
                    }
                });
            } catch (RuntimeException e) {
                return refused[0] == null ? e : refused[0];
            }
            return refused[0];
        }
    }

    private void check(TestContext context, Entrance entrance, Reader reader, Phase phase) throws SQLException {
        RowLockTests.execute(database, "delete from ledger");
        Case one = new Case(context, entrance, reader);
        RuntimeException told = one.run(phase);
        String stored = database.query("select count(*) from ledger");
        if (told != null) {
            assertThat(told).as("only behind the commit").isInstanceOf(InvalidDataAccessApiUsageException.class);
            assertThat(phase).isEqualTo(Phase.AFTER_COMMIT);
            assertThat(entrance.own).isFalse();
            assertThat(stored).as("nothing is promised that is not stored").isEqualTo("0");
            return;
        }
        assertThat(phase == Phase.AFTER_COMMIT && !entrance.own)
                .as("silent behind the commit")
                .isFalse();
        assertThat(one.behind).as("read behind the lock").hasSize(1).isEqualTo(one.oracle);
        assertThat(stored).as("stored of what was promised").isEqualTo("1");
    }

    /**
     * Whether Spring calls the listener. Spring does not call a transactional listener that is registered in the last
     * phases of the transaction. The classes of Spring Batch have other packages with Boot 4.
     */
    private static boolean isCalled(Entrance entrance, Phase phase) {
        if (entrance == Entrance.BATCH) {
            return ClassUtils.isPresent("org.springframework.batch.core.Step", null);
        }
        return entrance != Entrance.BEFORE_COMMIT_EVENT || phase == Phase.WORK;
    }

    private Stream<DynamicTest> withStrategy(LockStrategy strategy) {
        TestContext context = start(strategy);
        return Stream.of(Entrance.values())
                .flatMap(entrance -> Stream.of(Reader.values())
                        .flatMap(reader -> Stream.of(Phase.values())
                                .filter(phase -> isCalled(entrance, phase))
                                .map(phase -> DynamicTest.dynamicTest(
                                        entrance + " " + reader + " " + phase,
                                        () -> check(context, entrance, reader, phase)))));
    }

    @TestFactory
    Stream<DynamicTest> withRow() {
        return withStrategy(LockStrategy.ROW);
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> withBoth() {
        return withStrategy(LockStrategy.BOTH);
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> withAdvisory() {
        return withStrategy(LockStrategy.ADVISORY);
    }

    /** Shows that the check can fail: without the lock, each reader returns stale data. */
    @Test
    void withoutALockTheReadersAreStale() {
        var context = start(LockStrategy.ROW);
        for (Reader reader : List.of(Reader.FIRST_LEVEL, Reader.SECOND_LEVEL, Reader.MYBATIS)) {
            Case one = new Case(context, Entrance.LOCK, reader);
            one.transaction.executeWithoutResult(status -> one.entities.find(Account.class, 1L));
            one.transaction.executeWithoutResult(status -> {
                long before = one.read();
                RowLockTests.execute(database, "update account set balance = balance + 50 where id = 1");
                assertThat(one.read()).as(reader.name()).isEqualTo(before);
            });
        }
    }
}
