package org.rowlock.jdbc;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.Write;
import org.rowlock.testing.Rooms;

/** From the text of a statement to its turn, and from there to JDBC: one direction. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.rowlock.jdbc");

    private static final String INTERNAL = "org.rowlock.jdbc.internal.";

    /** The rooms, from the ground up: what is in one knows those below it. */
    private static final Rooms ROOMS = new Rooms(
            CLASSES, INTERNAL, List.of("statement", "forward", "settings", "observe", "row", "queue", "wrap"));

    @Test
    void roomsKnowOnlyThoseBelowThem() {
        ROOMS.check();
    }

    @Test
    void nothingIsUsedButTheJdkTheDriverAndTheCore() {
        ArchRule rule = classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.rowlock..",
                        "java.io",
                        "java.lang..",
                        "java.math",
                        "java.net",
                        "java.nio.charset",
                        "java.sql",
                        "java.time.temporal",
                        "java.util..",
                        "javax.management",
                        "javax.sql",
                        "jdk.jfr",
                        "org.postgresql..",
                        "org.jspecify.annotations");
        rule.check(CLASSES);
    }

    @Test
    void ofTheCoreOnlyQueueSessionNamesEventsAndCommitsAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("org.rowlock.internal..")
                        .and(not(resideInAnyPackage(
                                        "org.rowlock.internal.queue",
                                        "org.rowlock.internal.observe",
                                        "org.rowlock.internal.text",
                                        "org.rowlock.internal.group",
                                        "org.rowlock.internal.session",
                                        "org.rowlock.internal.commit")
                                .or(simpleName("LockWait"))
                                .or(assignableTo(RowTable.class))
                                .or(assignableTo(RowTable.Column.class))
                                .or(assignableTo(Write.Bound.class))
                                .or(simpleName("Bound[]"))
                                .or(simpleName("Write")))))
                .check(CLASSES);
    }

    /** Of the driver, these packages use only its scanner and its class for values. */
    @Test
    void onlyItsScannerIsUsedWhereTextsAreRead() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        INTERNAL + "statement", INTERNAL + "forward", INTERNAL + "settings", INTERNAL + "observe")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.postgresql\\.(?!core\\.Parser$|util\\.PGobject$).*")
                .check(CLASSES);
    }

    @Test
    void nothingPrintsAndNothingReflects() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.lang.reflect")
                .check(CLASSES);
    }

    /** The rules see what they are to see: taken the wrong way round they find something. */
    @Test
    void rulesCanFail() {
        assertThatThrownBy(() -> ROOMS.areUnknownFrom(0, resideInAPackage(INTERNAL + "wrap"))
                        .check(CLASSES))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> ROOMS.areUnknownFrom(0, resideInAPackage(INTERNAL + "queue"))
                        .check(CLASSES))
                .isInstanceOf(AssertionError.class);
    }
}
