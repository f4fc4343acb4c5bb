package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.testing.TestDatabase;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.aop.framework.Advised;
import org.springframework.context.event.EventListener;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;

/**
 * Checks that Spring's listeners call methods with {@code @RowLock} through the proxy. A method without its own
 * transaction either locks or reports why it cannot lock.
 */
class ListenerKindsTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    static class Listener extends Probing {
        final List<Integer> locks = new ArrayList<>();

        @RabbitListener(queues = "rabbit")
        @RowLock(table = "account", id = "1")
        public void onRabbit(String message) {
            locks.add(probe.locks());
        }

        @KafkaListener(topics = "kafka")
        @RowLock(table = "account", id = "1")
        public void onKafka(String message) {
            locks.add(probe.locks());
        }

        @JmsListener(destination = "jms")
        @RowLock(table = "account", id = "1")
        public void onJms(String message) {
            locks.add(probe.locks());
        }

        @EventListener
        @RowLock(table = "account", id = "1")
        public void onEvent(String message) {
            locks.add(probe.locks());
        }

        @Scheduled(fixedDelay = 1, initialDelay = 100, timeUnit = TimeUnit.DAYS)
        @RowLock(table = "account", id = "1")
        public void onTime() {
            locks.add(probe.locks());
        }
    }

    static class Asynchronous extends Probing {
        @Async
        @RowLock(table = "account", id = "1")
        public CompletableFuture<Integer> later() {
            return CompletableFuture.completedFuture(probe.locks());
        }
    }

    private void locksOrSaysWhyNot(TestContext context, Runnable call, String method) {
        Listener listener = context.target(Listener.class);
        listener.locks.clear();
        assertThatThrownBy(call::run)
                .as(method)
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContaining(method);
        context.inTransaction(status -> call.run());
        assertThat(listener.locks).as(method).containsExactly(1);
    }

    @Test
    void listenersOfEachKindCallTheProxy() throws Exception {
        var context = Contexts.start(database, Endpoints.class, Listener.class);
        Endpoints endpoints = Endpoints.of(context);
        locksOrSaysWhyNot(context, () -> endpoints.receive("rabbit", "message"), "onRabbit");
        locksOrSaysWhyNot(context, () -> endpoints.receive("kafka", "message"), "onKafka");
        locksOrSaysWhyNot(context, () -> endpoints.receive("jms", "message"), "onJms");
        locksOrSaysWhyNot(context, () -> context.publishEvent("event"), "onEvent");
        locksOrSaysWhyNot(context, scheduled(context), "onTime");
    }

    static Runnable scheduled(TestContext context) {
        AtomicReference<Runnable> found = new AtomicReference<>();
        context.getBean(ScheduledAnnotationBeanPostProcessor.class)
                .getScheduledTasks()
                .forEach(task -> {
                    Runnable runnable = task.getTask().getRunnable();
                    if (runnable.toString().contains("onTime")) {
                        found.set(runnable);
                    }
                });
        assertThat(found.get()).isNotNull();
        return found.get();
    }

    @Test
    void anAsynchronousMethodWithoutATransactionSaysSo() {
        var context = Contexts.start(database, Endpoints.class, Asynchronous.class);
        CompletableFuture<Integer> later = context.getBean(Asynchronous.class).later();
        assertThatThrownBy(() -> TestDatabase.result(later))
                .hasRootCauseInstanceOf(InvalidDataAccessApiUsageException.class);
        // One proxy has both interceptors, and the lock is acquired on the other thread.
        assertThat(((Advised) context.getBean(Asynchronous.class)).getAdvisors())
                .allSatisfy(advisor -> assertThat(advisor.getAdvice()).isInstanceOf(MethodInterceptor.class));
    }
}
