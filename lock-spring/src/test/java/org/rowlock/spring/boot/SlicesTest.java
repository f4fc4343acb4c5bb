package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.spring.RowLock;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.ClassUtils;

/** Checks that a test of an application slice locks as the application does. */
class SlicesTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private static TestDatabase current;

    @ParameterizedTest
    @CsvSource({
        "test.autoconfigure.orm.jpa.DataJpaTest, data.jpa.test.autoconfigure.DataJpaTest",
        "test.autoconfigure.jdbc.JdbcTest, jdbc.test.autoconfigure.JdbcTest",
        "test.autoconfigure.data.jdbc.DataJdbcTest, data.jdbc.test.autoconfigure.DataJdbcTest",
        "test.autoconfigure.jooq.JooqTest, jooq.test.autoconfigure.JooqTest"
    })
    void aSliceLocks(String ofBoot3, String ofBoot4) throws Exception {
        current = database;
        Class<?> type = caseOf(slice("org.springframework.boot." + ofBoot3, "org.springframework.boot." + ofBoot4));
        Object test = type.getConstructor().newInstance();
        Method method = Case.class.getMethod("locks");
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        // Spring reads the generated class file through this class loader.
        Thread.currentThread().setContextClassLoader(type.getClassLoader());
        TestContextManager manager = new TestContextManager(type);
        try {
            manager.beforeTestClass();
            manager.prepareTestInstance(test);
            manager.beforeTestMethod(test, method);
            method.invoke(test);
            manager.afterTestMethod(test, method, null);
            assertThat(locks()).isEqualTo("0");
        } finally {
            manager.getTestContext().markApplicationContextDirty(null);
            manager.afterTestClass();
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static Class<? extends Annotation> slice(String... names) throws ClassNotFoundException {
        ClassLoader loader = SlicesTest.class.getClassLoader();
        for (String name : names) {
            if (ClassUtils.isPresent(name, loader)) {
                return ClassUtils.forName(name, loader).asSubclass(Annotation.class);
            }
        }
        throw new ClassNotFoundException(String.join(" or ", names));
    }

    /** Returns a test class with the slice annotation of the Spring Boot version on the class path. */
    private static Class<?> caseOf(Class<? extends Annotation> slice) {
        return new ByteBuddy()
                .subclass(Case.class)
                .name(Case.class.getName() + "Of" + slice.getSimpleName())
                .annotateType(AnnotationDescription.Builder.ofType(slice).build())
                .make()
                .load(SlicesTest.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER_PERSISTENT)
                .getLoaded();
    }

    private static String locks() throws Exception {
        return current.query("select count(*) from pg_locks where locktype = 'advisory' and granted"
                + " and classid = 'account'::regclass and objid = 1");
    }

    @SpringBootConfiguration
    @AutoConfigurationPackage
    @Import(Accounts.class)
    static class Application {}

    static class Accounts {
        @Transactional
        public void lock(@RowLock("account") long id) {}
    }

    /**
     * The test class of a user without the slice annotation. A slice annotation is also transactional, but Spring does
     * not apply the slice annotation to inherited methods.
     */
    @Transactional
    @ContextConfiguration(classes = Application.class)
    public static class Case {
        @Autowired
        private Accounts accounts;

        public Case() {}

        @DynamicPropertySource
        static void properties(DynamicPropertyRegistry registry) {
            PGSimpleDataSource dataSource = current.dataSource();
            registry.add("spring.datasource.url", dataSource::getUrl);
            registry.add("spring.datasource.username", dataSource::getUser);
            registry.add("spring.datasource.password", dataSource::getPassword);
            registry.add("spring.test.database.replace", () -> "none");
            registry.add("rowlock.strategy", () -> "both");
        }

        public void locks() throws Exception {
            accounts.lock(1);
            assertThat(SlicesTest.locks()).isEqualTo("1");
        }
    }
}
