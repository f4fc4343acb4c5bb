package org.rowlock.spring.internal.startup;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.Reaction;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods;
import org.rowlock.spring.internal.proxy.LockChains;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Reports methods whose {@link RowLock} has no effect, even in an application context without Rowlock's beans. */
public final class UnlockedMethods {
    private static final Log LOG = LogFactory.getLog(UnlockedMethods.class);

    private static final int NAMED = 5;

    private UnlockedMethods() {}

    /**
     * Checks the definitions of all beans, without creating a bean.
     *
     * @param why the reason why {@link RowLock} has no effect, as a clause
     */
    public static void check(ConfigurableListableBeanFactory beans, Reaction reaction, String why) {
        if (beans.getBeanNamesForType(LockChains.class, true, false).length > 0) {
            return;
        }
        Set<Method> methods = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            methods.addAll(type == null ? List.of() : LockingMethods.of(type));
        }
        react(
                methods,
                reaction,
                why,
                "Switch Rowlock on, or set rowlock.unlocked-methods=warn if nothing has to be locked.");
    }

    /**
     * Checks the beans that already exist. Some of these beans may have been created before Rowlock's post-processors.
     */
    static void checkMade(ConfigurableListableBeanFactory beans, LockChains chains, Reaction reaction) {
        Set<Method> methods = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Object made = beans.getSingleton(name);
            List<Method> unlocked = made == null ? List.of() : chains.unlocked(made, name);
            if (made != null && !unlocked.isEmpty() && !isMock(made, beans.getBeanClassLoader())) {
                methods.addAll(unlocked);
            }
        }
        react(
                methods,
                reaction,
                "a BeanPostProcessor, or a similar early bean, created their beans before Rowlock could proxy them",
                "In that early bean, inject an ObjectProvider of the bean with @RowLock, or inject the bean with"
                        + " @Lazy.");
    }

    /**
     * Whether a test has replaced the bean by a mock of Mockito. Only Mockito knows this: a mock can have the class of
     * the bean itself, and Spring leaves the definition of a scanned bean as it is. A spy runs the bean's own methods.
     */
    private static boolean isMock(Object bean, @Nullable ClassLoader classLoader) {
        try {
            Method details =
                    ClassUtils.forName("org.mockito.Mockito", classLoader).getMethod("mockingDetails", Object.class);
            Object mocking = details.invoke(null, bean);
            Class<?> type = details.getReturnType();
            return Boolean.TRUE.equals(type.getMethod("isMock").invoke(mocking))
                    && Boolean.FALSE.equals(type.getMethod("isSpy").invoke(mocking));
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    private static void react(Set<Method> methods, Reaction reaction, String why, String action) {
        if (methods.isEmpty()) {
            return;
        }
        String named = methods.stream()
                .limit(NAMED)
                .map(LockingMethods::where)
                .collect(Collectors.joining(", ", "", methods.size() > NAMED ? ", ..." : ""));
        String lock = methods.size() == 1 ? " method with @RowLock locks" : " methods with @RowLock lock";
        String problem = methods.size() + lock + " nothing, because " + why + ": " + named + ".";
        if (reaction == Reaction.FAIL) {
            throw new RowLockDefinitionException(problem, action);
        }
        LOG.warn(problem);
    }
}
