package org.rowlock.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.testing.Rooms;

/**
 * Checks that the core of this module does not depend on the optional packages, and that only few classes depend on
 * JPA.
 */
class ArchitectureTest {
    private static final String CORE = "org.rowlock.spring";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // In the run on Spring Boot 4, the tests are in a jar.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("org.rowlock.spring");

    private static final String INTERNAL = CORE + ".internal.";

    /**
     * The internal packages (rooms), the lowest first. A class is allowed to depend on its own package, on lower
     * packages, and on the types of the API.
     */
    private static final Rooms ROOMS =
            new Rooms(CLASSES, INTERNAL, List.of("pool", "jpa", "annotation", "call", "proxy", "startup"));

    /** The types of the API by which a user starts (doors). Only these types depend on the internal packages. */
    private static final List<String> DOORS = List.of(
            CORE + ".EnableRowLocks",
            CORE + ".RowLockConfiguration",
            CORE + ".RowLockTemplate",
            CORE + ".RowLockTransactionManager");

    @Test
    void coreDependsOnNothingAroundIt() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE, INTERNAL + ".")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CORE + ".boot..", "org.springframework.boot..", "io.micrometer.core..")
                .check(CLASSES);
    }

    @Test
    void roomsKnowOnlyThoseBelowThem() {
        ROOMS.check();
    }

    /**
     * Internal packages do not depend on doors, with two exceptions. The startup looks for beans of the template, and
     * the commit listener depends on Rowlock's manager.
     */
    @Test
    void doorsAreKnownFromOutside() {
        noClasses()
                .that()
                .resideInAPackage(INTERNAL + ".")
                .and()
                .resideOutsideOfPackage(INTERNAL + "startup")
                .and()
                .doNotHaveSimpleName("CommitListener")
                .should()
                .dependOnClassesThat(isDoor())
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(CORE).and(not(isDoor())))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTERNAL + ".")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> isDoor() {
        return DescribedPredicate.describe(
                "are doors", type -> DOORS.contains(type.getName().split("\\$", 2)[0]));
    }

    /** Shows that the rules can fail: a reversed rule finds violations. */
    @Test
    void rulesCanFail() {
        assertThatThrownBy(() -> ROOMS.areUnknownFrom(0, resideInAPackage(INTERNAL + "startup"))
                        .check(CLASSES))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void jpaIsBehindFewDoors() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE, INTERNAL + ".")
                .and()
                .resideOutsideOfPackage(INTERNAL + "jpa")
                .and()
                .doNotHaveFullyQualifiedName(INTERNAL + "call.DataSources$Jpa")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.persistence..", "org.hibernate..", "org.springframework.orm..")
                .check(CLASSES);
    }
}
