package org.rowlock.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.junit.platform.commons.PreconditionViolationException;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;

/** A test of each strategy. Its first parameters are the strategy, or the locks of it, or both, and then enums. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ArgumentsSource(EveryStrategy.All.class)
public @interface EveryStrategy {
    /** A test of each strategy that locks the row. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ArgumentsSource(Rows.class)
    @interface WithRow {}

    /** A test of each strategy that locks the key. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ArgumentsSource(Keys.class)
    @interface WithKey {}

    /** All the strategies. */
    final class All extends Given {
        All() {
            super(LockStrategy.values());
        }
    }

    /** The strategies that lock the row. */
    final class Rows extends Given {
        Rows() {
            super(LockStrategy.ROW, LockStrategy.BOTH);
        }
    }

    /** The strategies that lock the key. */
    final class Keys extends Given {
        Keys() {
            super(LockStrategy.BOTH, LockStrategy.ADVISORY);
        }
    }

    /** Gives a test what it has parameters for: each value of an enum behind each of the strategies. */
    abstract class Given implements ArgumentsProvider {
        private final LockStrategy[] strategies;

        Given(LockStrategy... strategies) {
            this.strategies = strategies;
        }

        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            Class<?>[] types = context.getRequiredTestMethod().getParameterTypes();
            if (types.length == 0 || types[0] != LockStrategy.class && types[0] != RowLocks.class) {
                throw new PreconditionViolationException("no strategy in " + context.getRequiredTestMethod());
            }
            Stream<List<Object>> rows = Arrays.stream(strategies).map(List::of);
            for (Class<?> type : types) {
                if (type == RowLocks.class || type.isEnum()) {
                    rows = rows.flatMap(row -> values(type, (LockStrategy) row.get(0))
                            .map(value -> Stream.concat(row.stream(), Stream.of(value))
                                    .toList()));
                }
            }
            return rows.map(row -> Arguments.of(row.subList(1, row.size()).toArray()));
        }

        private static Stream<?> values(Class<?> type, LockStrategy strategy) {
            if (type == RowLocks.class) {
                return Stream.of(Named.of(strategy.name(), Locks.locks(strategy)));
            }
            return type == LockStrategy.class ? Stream.of(strategy) : Arrays.stream(type.getEnumConstants());
        }
    }
}
