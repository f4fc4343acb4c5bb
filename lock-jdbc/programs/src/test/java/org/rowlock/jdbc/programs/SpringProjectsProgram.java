package org.rowlock.jdbc.programs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.springframework.batch.core.JobParametersBuilder;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.launch.support.TaskExecutorJobLauncher;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JobRepositoryFactoryBean;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.repeat.RepeatStatus;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.jdbc.store.JdbcChannelMessageStore;
import org.springframework.integration.jdbc.store.JdbcMessageStore;
import org.springframework.integration.jdbc.store.channel.PostgresChannelMessageStoreQueryProvider;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.messaging.Message;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.jdbc.JdbcIndexedSessionRepository;
import org.springframework.session.jdbc.PostgreSqlJdbcIndexedSessionRepositoryCustomizer;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Session, Spring Integration and Spring Batch: what they keep in a database. */
final class SpringProjectsProgram implements Program {
    private static final int MESSAGES = 20;

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        for (String script : List.of(
                "org/springframework/session/jdbc/schema-postgresql.sql",
                "org/springframework/integration/jdbc/schema-postgresql.sql",
                "org/springframework/batch/core/schema-postgresql.sql")) {
            new ResourceDatabasePopulator(new ClassPathResource(script)).execute(dataSource);
        }
        JdbcTransactionManager transactions = new JdbcTransactionManager(dataSource);
        List<String> out = new ArrayList<>();
        session(dataSource, new TransactionTemplate(transactions), out);
        integration(dataSource, transactions, out);
        batch(dataSource, transactions, out);
        return out;
    }

    private static void session(DataSource dataSource, TransactionTemplate transaction, List<String> out)
            throws Exception {
        JdbcIndexedSessionRepository repository =
                new JdbcIndexedSessionRepository(new JdbcTemplate(dataSource), transaction);
        sessions(repository, out);
        repository.cleanUpExpiredSessions();
        JdbcIndexedSessionRepository upserting =
                new JdbcIndexedSessionRepository(new JdbcTemplate(dataSource), transaction);
        new PostgreSqlJdbcIndexedSessionRepositoryCustomizer().customize(upserting);
        sessions(upserting, out);
    }

    private static <S extends Session> void sessions(SessionRepository<S> repository, List<String> out)
            throws Exception {
        S session = repository.createSession();
        session.setAttribute("user", "Ann");
        repository.save(session);
        S again = repository.findById(session.getId());
        again.setAttribute("user", "Ben");
        again.setAttribute("cart", 3);
        again.setMaxInactiveInterval(Duration.ofMinutes(5));
        repository.save(again);
        again.removeAttribute("cart");
        again.changeSessionId();
        repository.save(again);
        String id = again.getId();
        Concurrently.run(4, 10, () -> {
            S mine = repository.findById(id);
            mine.setLastAccessedTime(java.time.Instant.now());
            repository.save(mine);
        });
        S last = repository.findById(id);
        out.add("session " + last.getAttribute("user") + " " + last.getAttributeNames());
        repository.deleteById(id);
        out.add("deleted " + (repository.findById(id) == null));
    }

    private static void integration(DataSource dataSource, JdbcTransactionManager transactions, List<String> out)
            throws Exception {
        List<JdbcLockRegistry> registries = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            DefaultLockRepository repository = new DefaultLockRepository(dataSource);
            repository.setTransactionManager(transactions);
            // A lock must not be taken from a slow machine.
            repository.setTimeToLive((int) Duration.ofHours(1).toMillis());
            repository.afterPropertiesSet();
            repository.afterSingletonsInstantiated();
            repository.start();
            registries.add(new JdbcLockRegistry(repository));
        }
        long[] sum = {0};
        AtomicLong turn = new AtomicLong();
        Concurrently.run(4, 10, () -> {
            Lock lock = registries.get((int) (turn.getAndIncrement() % 2)).obtain("sum");
            if (!lock.tryLock(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not locked in a minute");
            }
            try {
                sum[0]++;
            } finally {
                lock.unlock();
            }
        });
        Lock held = registries.get(0).obtain("held");
        held.lock();
        registries.get(0).renewLock("held");
        out.add("held by another " + registries.get(1).obtain("held").tryLock());
        held.unlock();
        registries.get(0).expireUnusedOlderThan(0);
        out.add("sum " + sum[0]);

        JdbcMetadataStore metadata = new JdbcMetadataStore(dataSource);
        metadata.afterPropertiesSet();
        metadata.start();
        metadata.put("offset", "0");
        out.add("offset " + metadata.putIfAbsent("offset", "5") + " " + metadata.replace("offset", "0", "1"));
        metadata.put("offset", "7");
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        Concurrently.run(
                4,
                10,
                () -> transaction.executeWithoutResult(status -> {
                    String offset = metadata.get("offset");
                    metadata.replace("offset", offset, offset);
                }));
        out.add("removed " + metadata.remove("offset"));

        JdbcChannelMessageStore channel = new JdbcChannelMessageStore(dataSource);
        channel.setChannelMessageStoreQueryProvider(new PostgresChannelMessageStoreQueryProvider());
        channel.afterPropertiesSet();
        channel.start();
        for (int i = 0; i < MESSAGES; i++) {
            channel.addMessageToGroup(
                    "channel", MessageBuilder.withPayload("message " + i).build());
        }
        AtomicLong received = new AtomicLong();
        // Each skips what another has locked, and so may find nothing for a while.
        Concurrently.run(4, 1, () -> {
            while (received.get() < MESSAGES) {
                transaction.executeWithoutResult(status -> {
                    if (channel.pollMessageFromGroup("channel") != null) {
                        received.incrementAndGet();
                    }
                });
            }
        });
        out.add("received " + received + ", left " + channel.messageGroupSize("channel"));
        channel.removeMessageGroup("channel");

        JdbcMessageStore store = new JdbcMessageStore(dataSource);
        store.start();
        Message<String> message = MessageBuilder.withPayload("one").build();
        store.addMessage(message);
        store.addMessageToGroup("group", message);
        store.setLastReleasedSequenceNumberForGroup("group", 3);
        store.setGroupCondition("group", "half");
        store.completeGroup("group");
        store.removeMessagesFromGroup("group", message);
        out.add("group " + store.getMessageGroup("group").isComplete());
        store.removeMessageGroup("group");
        store.removeMessage(message.getHeaders().getId());
    }

    private static void batch(DataSource dataSource, JdbcTransactionManager transactions, List<String> out)
            throws Exception {
        JobRepositoryFactoryBean factory = new JobRepositoryFactoryBean();
        factory.setDataSource(dataSource);
        factory.setTransactionManager(transactions);
        factory.afterPropertiesSet();
        JobRepository repository = factory.getObject();
        AtomicLong turns = new AtomicLong();
        var step = new StepBuilder("step", repository)
                .tasklet(
                        (contribution, chunk) -> {
                            chunk.getStepContext()
                                    .getStepExecution()
                                    .getExecutionContext()
                                    .putLong("turns", turns.get());
                            return turns.incrementAndGet() < 3 ? RepeatStatus.CONTINUABLE : RepeatStatus.FINISHED;
                        },
                        transactions)
                .build();
        var job = new JobBuilder("job", repository).start(step).build();
        TaskExecutorJobLauncher launcher = new TaskExecutorJobLauncher();
        launcher.setJobRepository(repository);
        launcher.afterPropertiesSet();
        var execution =
                launcher.run(job, new JobParametersBuilder().addLong("day", 1L).toJobParameters());
        out.add("job " + execution.getStatus() + " " + turns);
        repository.deleteJobInstance(execution.getJobInstance());
    }
}
