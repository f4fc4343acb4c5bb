package org.rowlock.spring.internal.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Expressions that cannot work, and annotations of types. Needs no database. */
class DefinitionEdgesTest {
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final RowLockDefinitions definitions = new RowLockDefinitions(beans);

    static class Expressions {
        @RowLock(table = "orders", id = "#root.id")
        public void root(long id) {}

        @RowLock(table = "orders", id = "#this")
        public void self(long id) {}

        @RowLock(table = "orders", id = "#id + other")
        public void second(long id) {}

        @RowLock(table = "orders", id = "getId()")
        public void method(long id) {}

        @RowLock(table = "orders", id = "#upper(#id)")
        public void function(long id) {}

        @RowLock(table = "orders", id = "{id, #id}")
        public void inList(long id) {}

        @RowLock(table = "orders", id = "#p99999999999")
        public void position(long id) {}

        @RowLock(table = "orders", id = "#ids.![#this + longValue()]")
        public void projection(List<Long> ids) {}

        @RowLock(table = "orders", id = "#ids.?[#this > #least]")
        public void selection(List<Long> ids, long least) {}
    }

    private @Nullable MethodLocks find(Class<?> type, String name) {
        return definitions.of(
                Stream.of(type.getMethods())
                        .filter(candidate -> candidate.getName().equals(name))
                        .findFirst()
                        .orElseThrow(),
                type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "self", "second", "method", "function", "inList", "position"})
    void expressionThatCannotWorkIsRefused(String name) {
        assertThatThrownBy(() -> find(Expressions.class, name)).isInstanceOf(RowLockDefinitionException.class);
    }

    @Test
    void elementsMayBeSelectedAndProjected() {
        assertThat(find(Expressions.class, "projection")
                        .of(new Object[] {List.of(2L)})
                        .request()
                        .keys())
                .containsExactly(LockKey.row("orders", 4));
        assertThat(find(Expressions.class, "selection")
                        .of(new Object[] {List.of(2L, 3L), 2L})
                        .request()
                        .keys())
                .containsExactly(LockKey.row("orders", 3));
    }

    static class Parent {
        public void inherited() {}
    }

    interface Api {
        void ofApi(long tenant);
    }

    @RowLock(table = "tenant", id = "#p0")
    interface Generic<T> {
        void ofGeneric(T tenant);
    }

    @RowLock(table = "tenant", id = "#tenant")
    static class OfClass extends Parent implements Api {
        @Override
        public void ofApi(long tenant) {}

        @Override
        public String toString() {
            return "OfClass";
        }
    }

    static class OfInterface implements Generic<Long>, Api {
        @Override
        public void ofGeneric(Long tenant) {}

        @Override
        public void ofApi(long tenant) {}
    }

    @Test
    void annotationOfAClassIsForItsOwnMethods() {
        assertThat(find(OfClass.class, "ofApi")).isNotNull();
        assertThat(find(OfClass.class, "toString")).isNull();
        assertThat(find(OfClass.class, "inherited")).isNull();
    }

    @Test
    void annotationOfAnInterfaceIsForItsOwnMethods() {
        assertThat(find(OfInterface.class, "ofGeneric")).isNotNull();
        assertThat(find(OfInterface.class, "ofApi")).isNull();
    }

    static class Bytes {
        public void run(@RowLock("orders") byte[] id) {}
    }

    @Test
    void bytesAreNotIdsEach() {
        assertThatThrownBy(() -> find(Bytes.class, "run")
                        .of(new Object[] {new byte[] {1, 2}})
                        .keys())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be a lock key");
    }
}
