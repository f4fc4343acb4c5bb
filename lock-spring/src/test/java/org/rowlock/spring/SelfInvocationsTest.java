package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.internal.proxy.SelfInvocations;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

class SelfInvocationsTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase("create table orders (id bigint primary key)");

    abstract static class Template<T> {
        private T last;

        abstract void one(T id);

        void all(List<T> ids) {
            for (T id : ids) {
                one(id);
                last = id;
            }
        }
    }

    interface Defaults {
        void ship(long id);

        default void shipTwo(long id) {
            ship(id);
        }
    }

    static class Service extends Template<Long> implements Defaults {
        private final Service self;
        private final long first = 1;

        Service(Service self) {
            this.self = self;
        }

        @Override
        @Transactional
        public void ship(@RowLock("orders") long id) {}

        @Override
        @Transactional
        public void one(@RowLock("orders") Long id) {}

        private long next() {
            return first;
        }

        public void plain() {
            ship(next());
        }

        public void reference(List<Long> ids) {
            ids.forEach(this::ship);
        }

        public Runnable lambda() {
            return () -> ship(1);
        }

        public Runnable anonymous() {
            return new Runnable() {
                @Override
                public void run() {
                    ship(1);
                }
            };
        }

        class Inner {
            void inner() {
                Service.this.ship(1);
            }
        }

        /**
         * A method as Kotlin generates it for default arguments. The method forwards the call, and its caller may be
         * the object itself.
         */
        static void ship$default(Service service, long id, int mask, Object marker) {
            service.ship(id);
        }

        public void withDefaults() {
            ship$default(this, 1, 0, null);
        }

        // The methods from here on do not bypass a proxy.
        public void throughTheProxy() {
            self.ship(next());
            self.ship(first);
            Stream.of(1L).forEach(self::ship);
            ship$default(self, 1, 0, null);
            other(new Other(), self);
        }

        public void other(Other other, Service another) {
            other.ship(1);
            another.ship(1);
        }
    }

    static class Other {
        public void ship(long id) {}
    }

    private static List<Method> methods() throws NoSuchMethodException {
        return List.of(Service.class.getMethod("ship", long.class), Service.class.getMethod("one", Long.class));
    }

    @Test
    void callsOfAnObjectToItselfAreFound() throws Exception {
        assertThat(SelfInvocations.find(methods(), Service.class))
                .map(call -> call.substring(0, call.indexOf(" of its own class")))
                .containsExactlyInAnyOrder(
                        "Service.plain calls ship",
                        "Service.reference calls ship",
                        "Service.lambda calls ship",
                        "1.run calls ship",
                        "Inner.inner calls ship",
                        "Service.withDefaults calls ship",
                        "Template.all calls one",
                        "Defaults.shipTwo calls ship");
        assertThat(SelfInvocations.find(methods(), Other.class)).isEmpty();
    }

    static class Overriding extends Service {
        Overriding(Service self) {
            super(self);
        }

        @Override
        public void ship(long id) {
            super.ship(id);
        }

        @Override
        public void one(Long id) {
            super.ship(id);
        }
    }

    /** An overriding method has the same lock as the overridden method. */
    @Test
    void aCallOfTheMethodThatIsOverriddenIsNone() throws Exception {
        assertThat(SelfInvocations.find(methods(), Overriding.class))
                .filteredOn(call -> call.startsWith("Overriding"))
                .singleElement()
                .asString()
                .startsWith("Overriding.one calls ship");
    }

    static class CallsItself {
        @Transactional
        public void ship(@RowLock("orders") long id) {}

        public void shipFirst() {
            ship(1);
        }
    }

    @Test
    void theyStopTheApplicationWhereThatIsAsked() {
        assertBadDefinition(() -> Contexts.start(
                        database,
                        beans -> Contexts.settings(beans, new TestSettings().unlockedMethods(Reaction.FAIL)),
                        CallsItself.class))
                .hasMessageContainingAll(
                        "CallsItself.shipFirst calls ship", "RowLockTemplate", "unlocked-methods=warn");
        Contexts.start(database, CallsItself.class);
    }
}
