package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.Contexts.Probe;
import org.rowlock.testing.TestDatabase;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.JmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpoint;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.config.MethodJmsListenerEndpoint;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Whatever calls a method with {@code @RowLock} and no transaction of its own calls the proxy: it locks, or says why
 * not.
 */
class ListenerKindsTest {
    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table account(id int primary key)", "insert into account values (1), (2)");

    /** What an endpoint would call, without a broker. */
    private static final Map<String, Runnable> ENDPOINTS = new java.util.concurrent.ConcurrentHashMap<>();

    static class Listener {
        private final Probe probe;
        final List<Integer> locks = new ArrayList<>();

        Listener(Probe probe) {
            this.probe = probe;
        }

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

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @RowLock(table = "account", id = "1")
        public void onTransactionalEvent(Integer message) {
            locks.add(probe.locks());
        }

        @Scheduled(fixedDelay = 1, initialDelay = 100, timeUnit = TimeUnit.DAYS)
        @RowLock(table = "account", id = "1")
        public void onTime() {
            locks.add(probe.locks());
        }
    }

    static class Asynchronous {
        private final Probe probe;

        Asynchronous(Probe probe) {
            this.probe = probe;
        }

        @Async
        @RowLock(table = "account", id = "1")
        public CompletableFuture<Integer> later() {
            return CompletableFuture.completedFuture(probe.locks());
        }
    }

    private static Runnable call(Object bean, Method method) {
        return () -> {
            try {
                method.invoke(bean, method.getParameterCount() == 0 ? new Object[0] : new Object[] {"message"});
            } catch (InvocationTargetException e) {
                throw (RuntimeException) e.getCause();
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    @EnableKafka
    @EnableJms
    @EnableScheduling
    @EnableAsync
    static class Listening {
        @Bean("org.springframework.amqp.rabbit.config.internalRabbitListenerEndpointRegistry")
        RabbitListenerEndpointRegistry rabbit() {
            return new RabbitListenerEndpointRegistry() {
                @Override
                public void registerListenerContainer(
                        RabbitListenerEndpoint endpoint, RabbitListenerContainerFactory<?> factory, boolean start) {
                    MethodRabbitListenerEndpoint method = (MethodRabbitListenerEndpoint) endpoint;
                    ENDPOINTS.put("rabbit", call(method.getBean(), method.getMethod()));
                }
            };
        }

        @Bean("org.springframework.kafka.config.internalKafkaListenerEndpointRegistry")
        KafkaListenerEndpointRegistry kafka() {
            return new KafkaListenerEndpointRegistry() {
                @Override
                public void registerListenerContainer(
                        KafkaListenerEndpoint endpoint, KafkaListenerContainerFactory<?> factory, boolean start) {
                    MethodKafkaListenerEndpoint<?, ?> method = (MethodKafkaListenerEndpoint<?, ?>) endpoint;
                    ENDPOINTS.put("kafka", call(method.getBean(), method.getMethod()));
                }
            };
        }

        @Bean("org.springframework.jms.config.internalJmsListenerEndpointRegistry")
        JmsListenerEndpointRegistry jms() {
            return new JmsListenerEndpointRegistry() {
                @Override
                public void registerListenerContainer(
                        JmsListenerEndpoint endpoint, JmsListenerContainerFactory<?> factory, boolean start) {
                    MethodJmsListenerEndpoint method = (MethodJmsListenerEndpoint) endpoint;
                    ENDPOINTS.put("jms", call(method.getBean(), method.getMethod()));
                }
            };
        }

        @Bean
        RabbitListenerContainerFactory<?> rabbitListenerContainerFactory() {
            return endpoint -> null;
        }

        @Bean
        KafkaListenerContainerFactory<?> kafkaListenerContainerFactory() {
            return none(KafkaListenerContainerFactory.class);
        }

        @Bean
        JmsListenerContainerFactory<?> jmsListenerContainerFactory() {
            return endpoint -> null;
        }
    }

    private static <T> T none(Class<T> type) {
        return type.cast(java.lang.reflect.Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                }));
    }

    private void locksOrSaysWhyNot(AnnotationConfigApplicationContext context, Runnable call, String method) {
        Listener listener = (Listener)
                org.springframework.test.util.AopTestUtils.getUltimateTargetObject(context.getBean(Listener.class));
        listener.locks.clear();
        assertThatThrownBy(call::run)
                .as(method)
                .isInstanceOf(InvalidDataAccessApiUsageException.class)
                .hasMessageContaining(method);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> call.run());
        assertThat(listener.locks).as(method).containsExactly(1);
    }

    @Test
    void listenersOfEachKindCallTheProxy() throws Exception {
        ENDPOINTS.clear();
        try (var context = Contexts.start(database, Contexts.Base.class, Listening.class, Listener.class)) {
            assertThat(ENDPOINTS).containsOnlyKeys("rabbit", "kafka", "jms");
            locksOrSaysWhyNot(context, ENDPOINTS.get("rabbit"), "onRabbit");
            locksOrSaysWhyNot(context, ENDPOINTS.get("kafka"), "onKafka");
            locksOrSaysWhyNot(context, ENDPOINTS.get("jms"), "onJms");
            locksOrSaysWhyNot(context, () -> context.publishEvent("event"), "onEvent");
            locksOrSaysWhyNot(context, scheduled(context), "onTime");
        }
    }

    private static Runnable scheduled(AnnotationConfigApplicationContext context) {
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
    void aListenerBeforeTheCommitLocksInItsTransaction() {
        try (var context = Contexts.start(database, Contexts.Base.class, Listener.class)) {
            Listener listener = context.getBean(Listener.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> context.publishEvent(7));
            Listener target =
                    (Listener) org.springframework.test.util.AopTestUtils.getUltimateTargetObject((Object) listener);
            assertThat(target.locks).containsExactly(1);
        }
    }

    @Test
    void anAsynchronousMethodWithoutATransactionSaysSo() {
        try (var context = Contexts.start(database, Contexts.Base.class, Listening.class, Asynchronous.class)) {
            CompletableFuture<Integer> later =
                    context.getBean(Asynchronous.class).later();
            assertThatThrownBy(() -> later.get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(InvalidDataAccessApiUsageException.class);
            // In one proxy, with the lock behind the hand-over to the other thread.
            assertThat(((Advised) context.getBean(Asynchronous.class)).getAdvisors())
                    .allSatisfy(advisor -> assertThat(advisor.getAdvice()).isInstanceOf(MethodInterceptor.class));
        }
    }
}
