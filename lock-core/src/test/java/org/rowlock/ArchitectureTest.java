package org.rowlock;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.conditions.ArchConditions.onlyDependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Data flows one way: values, then SQL text, then what executes it, then the doors. So a JDBC wrapper can derive keys,
 * compose scripts and read guards without dragging the rest along.
 */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.rowlock");

    private static final JavaClasses TESTS = new ClassFileImporter().importClasses(Offender.class);

    /** What a caller gives and gets, and what keys are made of. */
    private static final Set<String> VALUES = Set.of(
            "LockKey",
            "KeyModes",
            "IdText",
            "IdType",
            "TableName",
            "RowLockMode",
            "LockWait",
            "WaitKind",
            "Waits",
            "LockStrategy",
            "LockOutcome",
            "LockResult",
            "LockAllResult",
            "LockQuery",
            "RowMapper",
            "TransactionWork",
            "Claim",
            "LockConfig",
            "LockListener",
            "LockAcquisition",
            "AdmissionWait",
            "SqlState",
            "RowTable",
            "CheckReturnValue",
            "package-info");

    /** From values to SQL text and parameters, and from a result row to what the guard saw. */
    private static final Set<String> SQL = Set.of(
            "AdvisoryKeys",
            "AdvisorySql",
            "ClaimSql",
            "Guard",
            "GuardSql",
            "KeySql",
            "LockErrors",
            "LockRequest",
            "LockScript",
            "LockScripts",
            "RowSql",
            "ScriptResult",
            "ScriptStatement",
            "ScriptValues",
            "WaitSql");

    /** What talks to the server, or waits. */
    private static final Set<String> EXECUTION = Set.of(
            "AdmissionEvent",
            "AdmissionQueues",
            "ClaimRunner",
            "Commit",
            "Handover",
            "SessionLocks",
            "LockAcquirer",
            "LockAcquisitionEvent",
            "LockObserver",
            "LockRequests",
            "PgSession",
            "PrimaryKeys",
            "Probe",
            "Probes",
            "ScriptRunner",
            "ServerExtensions");

    /** What a caller starts at. */
    private static final Set<String> ENTRY =
            Set.of("RowLocks", "TransactionLocks", "LockedTransaction", "LockVerifier", "LockInspector");

    /** The package of triggers against those who do not lock. The library gets along without it. */
    private static final String GUARD = "org.rowlock.guard";

    private static final Set<String> KNOWING_THE_DRIVER = Set.of("PgSession", "LockErrors");

    @Test
    void everyClassHasALayer() {
        Set<String> layered = Stream.of(VALUES, SQL, EXECUTION, ENTRY)
                .flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> present = CLASSES.stream()
                .filter(type -> !isException(type) && isOurs(type))
                .map(ArchitectureTest::outermost)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(present).isEqualTo(layered);
    }

    @Test
    void valuesKnowOnlyValues() {
        dependsOnlyOn(VALUES, List.of(VALUES)).check(CLASSES);
    }

    @Test
    void sqlKnowsNothingThatExecutes() {
        dependsOnlyOn(SQL, List.of(VALUES, SQL)).check(CLASSES);
    }

    @Test
    void executionDoesNotKnowTheDoors() {
        dependsOnlyOn(EXECUTION, List.of(VALUES, SQL, EXECUTION)).check(CLASSES);
    }

    @Test
    void theLibraryDoesNotKnowTheGuard() {
        noClasses()
                .that()
                .resideInAPackage("org.rowlock")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(GUARD)
                .check(CLASSES);
    }

    @Test
    void exceptionsKnowOnlyValues() {
        classes()
                .that(DescribedPredicate.describe("are exceptions", ArchitectureTest::isException))
                .should(onlyDependOnClassesThat(outsideOr(List.of(VALUES))))
                .check(CLASSES);
    }

    @Test
    void onlyThoseThatMustKnowTheDriver() {
        ArchRule rule = noClasses()
                .that(in(List.of(KNOWING_THE_DRIVER)).negate())
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.postgresql..");
        rule.check(CLASSES);
        assertThatThrownBy(() -> rule.check(TESTS)).isInstanceOf(AssertionError.class);
    }

    @Test
    void nothingIsUsedButTheJdkTheDriverAndTheAnnotations() {
        ArchRule rule = classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.rowlock",
                        GUARD,
                        "java.io",
                        "java.lang..",
                        "java.math",
                        "java.nio.charset",
                        "java.security",
                        "java.sql",
                        "java.time..",
                        "java.util..",
                        "javax.sql",
                        "jdk.jfr",
                        "org.postgresql..",
                        "org.jspecify.annotations");
        rule.check(CLASSES);
        assertThatThrownBy(() -> rule.check(TESTS)).isInstanceOf(AssertionError.class);
    }

    @Test
    void nothingPrintsOrUsesJavaUtilLogging() {
        ArchRule noJul = noClasses().should().dependOnClassesThat().resideInAPackage("java.util.logging");
        // But for the command line of the jar.
        JavaClasses library = CLASSES.that(DescribedPredicate.not(simpleName("Main")));
        for (ArchRule rule : List.of(NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS, noJul)) {
            rule.check(library);
            assertThatThrownBy(() -> rule.check(TESTS)).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void publicClassesCannotBeExtended() {
        classes()
                .that()
                .arePublic()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and(DescribedPredicate.not(equivalentTo(LockException.class)))
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(CLASSES);
    }

    @Test
    void publicExceptionsHaveOneRoot() {
        classes()
                .that()
                .areAssignableTo(Throwable.class)
                .and()
                .arePublic()
                .should()
                .beAssignableTo(LockException.class)
                .check(CLASSES);
        classes()
                .that()
                .areAssignableTo(LockException.class)
                .should()
                .bePublic()
                .check(CLASSES);
    }

    @Test
    void listsOfLayersDoNotOverlap() {
        List<String> all = new ArrayList<>();
        Stream.of(VALUES, SQL, EXECUTION, ENTRY).forEach(all::addAll);
        assertThat(all).doesNotHaveDuplicates();
    }

    /** The rules see what they are to see: taken the wrong way round, each finds something. */
    @Test
    void rulesCanFail() {
        assertThatThrownBy(() -> dependsOnlyOn(SQL, List.of(SQL)).check(CLASSES))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() ->
                        dependsOnlyOn(EXECUTION, List.of(VALUES, EXECUTION)).check(CLASSES))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(
                        () -> dependsOnlyOn(ENTRY, List.of(VALUES, SQL, ENTRY)).check(CLASSES))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() ->
                        dependsOnlyOn(Set.of("NoSuchClass"), List.of(VALUES)).check(CLASSES))
                .isInstanceOf(AssertionError.class);
        ArchRule noKeys = noClasses().should().dependOnClassesThat(simpleNameStartingWith("LockKey"));
        assertThatThrownBy(() -> noKeys.check(CLASSES)).isInstanceOf(AssertionError.class);
    }

    private static ArchRule dependsOnlyOn(Set<String> layer, List<Set<String>> allowed) {
        return classes().that(in(List.of(layer))).should(onlyDependOnClassesThat(outsideOr(allowed)));
    }

    /** Classes of these layers, with the classes nested in them. */
    private static DescribedPredicate<JavaClass> in(List<Set<String>> layers) {
        return DescribedPredicate.describe(
                "in " + layers,
                type -> isOurs(type) && layers.stream().anyMatch(layer -> layer.contains(outermost(type))));
    }

    private static DescribedPredicate<JavaClass> outsideOr(List<Set<String>> layers) {
        return DescribedPredicate.describe(
                "of other libraries, exceptions, or in " + layers,
                type -> !isOurs(type) || isException(type) || in(layers).test(type));
    }

    private static boolean isOurs(JavaClass type) {
        return type.getBaseComponentType().getPackageName().equals("org.rowlock");
    }

    private static boolean isException(JavaClass given) {
        JavaClass type = given.getBaseComponentType();
        return type.isAssignableTo(Throwable.class)
                || type.getEnclosingClass()
                        .filter(ArchitectureTest::isException)
                        .isPresent();
    }

    private static String outermost(JavaClass given) {
        JavaClass type = given.getBaseComponentType();
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElseGet(type::getSimpleName);
    }

    /** Breaks what a class of the library may not do. */
    private static final class Offender {
        static Object uses() {
            System.out.println();
            java.util.logging.Logger.getLogger("x").info("x");
            return List.of(org.postgresql.util.PSQLState.UNKNOWN_STATE, org.awaitility.Awaitility.await());
        }
    }
}
