package org.rowlock.spring.test;

import java.time.Duration;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Looks before each test, and once more when JUnit closes the test's store: after all that follows a test. */
final class RowLockLeaks implements BeforeEachCallback {
    @Override
    public void beforeEach(ExtensionContext test) {
        Class<?> testClass = test.getRequiredTestClass();
        RowLockTest annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, RowLockTest.class);
        Duration grace = Duration.ofMillis(annotation == null ? 0 : annotation.graceMillis());
        String name =
                testClass.getSimpleName() + "." + test.getRequiredTestMethod().getName();
        test.getStore(Namespace.create(RowLockLeaks.class))
                .put(
                        LeakCheck.class,
                        new LeakCheck(name, TestedContext.of(SpringExtension.getApplicationContext(test)), grace));
    }
}
