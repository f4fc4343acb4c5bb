package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockStrategy;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.Probing;
import org.rowlock.testing.TestDatabase;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Checks that a call queues for the ids that the call locks, because the ids are evaluated only once. */
@Tag("long")
class EvaluationTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(3);

    private final List<LockKey> queued = new ArrayList<>();
    private final List<LockKey> locked = new ArrayList<>();

    static class Counter {
        private final AtomicInteger count = new AtomicInteger();

        public int next() {
            return count.incrementAndGet();
        }
    }

    static class Command {
        @Nullable
        Integer id;

        boolean fails;

        Command(@Nullable Integer id) {
            this.id = id;
        }

        public @Nullable Integer getId() {
            return id;
        }
    }

    static class Owners {
        @Transactional(propagation = Propagation.MANDATORY)
        public int accountOf(int order) {
            return order + 1;
        }
    }

    @Transactional
    static class Service extends Probing {
        @RowLock(table = "account", id = "@owners.accountOf(#order)")
        public int owned(int order) {
            return probe.locks();
        }

        public int all(@RowLock("account") Iterable<Integer> ids) {
            return probe.locks();
        }

        @RowLock(table = "account", id = "@counter.next()")
        public int next() {
            return probe.locks();
        }

        @RowLock(table = "account", id = "#command.id")
        public int command(Command command) {
            if (command.fails) {
                command.fails = false;
                throw new IllegalStateException("fails once");
            }
            return probe.locks();
        }

        @RowLock(table = "account", id = "#id == null ? {} : {#id}")
        public int optional(@Nullable Integer id) {
            return probe.locks();
        }
    }

    private TestContext start(Class<?>... more) {
        return Contexts.start(
                database,
                beans -> {
                    beans.registerBean("counter", Counter.class, Counter::new);
                    Contexts.locks(
                            beans,
                            LockAccess.builder()
                                    .strategy(LockStrategy.ADVISORY)
                                    .listener(event ->
                                            (event.kind() == Kind.ADMISSION ? queued : locked).addAll(event.keys()))
                                    .build());
                    beans.registerBean("owners", Owners.class);
                    beans.register(Service.class);
                },
                more);
    }

    private static Iterable<Integer> once(Integer... ids) {
        Iterator<Integer> left = List.of(ids).iterator();
        return () -> left;
    }

    private void reset() {
        queued.clear();
        locked.clear();
    }

    @Test
    void anIterableThatCanBeIteratedOnceIsLocked() {
        var context = start();
        reset();
        assertThat(context.getBean(Service.class).all(once(1, 2))).isEqualTo(2);
        assertThat(locked).containsExactlyElementsOf(LockKey.rows("account", List.of(1, 2)));
    }

    @Test
    void anExpressionIsEvaluatedOnce() {
        var context = start();
        reset();
        context.getBean(Service.class).next();
        assertThat(queued).containsExactly(LockKey.row("account", 1));
        assertThat(locked).containsExactly(LockKey.row("account", 1));
    }

    /** Without a transaction the expression fails, so the call does not queue. */
    @Test
    void anExpressionThatNeedsTheTransactionIsEvaluatedInTheTransaction() {
        var context = start();
        reset();
        assertThat(context.getBean(Service.class).owned(1)).isOne();
        assertThat(queued).isEmpty();
        assertThat(locked).containsExactly(LockKey.row("account", 2));
    }

    /** Puts advice around the service, before or after the advice of Rowlock and of transactions. */
    abstract static class Advising implements BeanPostProcessor, Ordered {
        abstract void advise(Advised proxy);

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof Service && bean instanceof Advised proxy) {
                advise(proxy);
            }
            return bean;
        }
    }

    /** Inside a transaction no call queues, so the ids are evaluated for the lock. */
    static class ChangesTheCommand extends Advising {
        @Override
        void advise(Advised proxy) {
            proxy.addAdvisor(new DefaultPointcutAdvisor((MethodInterceptor) invocation -> {
                if (invocation.getArguments().length == 1 && invocation.getArguments()[0] instanceof Command one) {
                    one.id = 3;
                }
                if (invocation.getArguments().length == 1 && invocation.getArguments()[0] instanceof List) {
                    invocation.getArguments()[0] = List.of();
                }
                return invocation.proceed();
            }));
        }
    }

    @Test
    void whereAdviceInTheTransactionChangesTheArgumentTheLockDecides() {
        var context = start(ChangesTheCommand.class);
        reset();
        context.getBean(Service.class).command(new Command(1));
        assertThat(queued).containsExactly(LockKey.row("account", 1));
        assertThat(locked).containsExactly(LockKey.row("account", 3));
        reset();
        assertThat(context.getBean(Service.class).all(once(1, 2)))
                .as("an Iterable that is exhausted by then")
                .isEqualTo(2);
        reset();
        assertThat(context.getBean(Service.class).all(List.of(1, 2)))
                .as("a list that was replaced by an empty list")
                .isZero();
        assertThat(queued).hasSize(2);
        assertThat(locked).isEmpty();
    }

    /** Repeats a call that has failed with another id, in a transaction of the advice. */
    static class FailsOver extends Advising {
        @Autowired
        ObjectProvider<PlatformTransactionManager> managers;

        @Override
        void advise(Advised proxy) {
            proxy.addAdvisor(0, new DefaultPointcutAdvisor((MethodInterceptor) invocation -> {
                ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
                try {
                    return call.invocableClone().proceed();
                } catch (IllegalStateException e) {
                    ((Command) call.getArguments()[0]).id = 2;
                    PlatformTransactionManager manager = managers.getObject();
                    TransactionStatus status = manager.getTransaction(null);
                    try {
                        Object result = call.invocableClone().proceed();
                        manager.commit(status);
                        return result;
                    } finally {
                        if (!status.isCompleted()) {
                            manager.rollback(status);
                        }
                    }
                }
            }));
        }
    }

    /** The second attempt is in a transaction and does not queue. */
    @Test
    void eachAttemptOfARepeatedCallLocksItsOwnIds() {
        var context = start(FailsOver.class);
        reset();
        Command command = new Command(1);
        command.fails = true;
        context.getBean(Service.class).command(command);
        assertThat(queued).containsExactly(LockKey.row("account", 1));
        assertThat(locked).containsExactly(LockKey.row("account", 1), LockKey.row("account", 2));
    }

    @Test
    void noIdsAreSaidAndNullNamesTheWayOut() {
        List<ILoggingEvent> said =
                RowLockTests.logged(database, "org.rowlock.spring.internal.proxy.LockInterceptor", Level.DEBUG);
        Service service = start().getBean(Service.class);
        assertThatThrownBy(() -> service.command(new Command(null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("Service.command(Command)", "#command.id", "is null", "? {} : {#id}");
        assertThat(service.optional(null)).isZero();
        assertThat(said)
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains("@RowLock on Service.optional(Integer): there are no ids, so nothing is locked");
        assertThat(service.optional(1)).isEqualTo(1);
    }

    @Test
    void anExpressionThatFailsNamesMethodAndParameter() {
        var context = start();
        assertThatThrownBy(() -> context.getBean(Service.class).command(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("Service.command(Command)", "id #command.id", "EL1007E", "command");
    }

    /** A single value that iterates over its own parts, as a JSON node does. A leaf has no parts. */
    static final class Node implements Iterable<Node> {
        @Override
        public Iterator<Node> iterator() {
            return Collections.emptyIterator();
        }

        public Node child() {
            return this;
        }
    }

    static class Declared {
        @Transactional
        @RowLock(table = "account", id = "#event.child()")
        public void node(Node event) {}
    }

    static class Undeclared {
        @Transactional
        public void node(@RowLock("account") Object id) {}
    }

    @Test
    void whatIteratesOverItselfIsNoIdAndNotNone() {
        var context = Contexts.start(database, Declared.class, Undeclared.class);
        assertThatThrownBy(() -> context.getBean(Declared.class).node(new Node()))
                .hasMessageContainingAll("Declared.node", "Node");
        assertThatThrownBy(() -> context.getBean(Undeclared.class).node(new Node()))
                .hasMessageContainingAll("Undeclared.node", "Node");
    }
}
