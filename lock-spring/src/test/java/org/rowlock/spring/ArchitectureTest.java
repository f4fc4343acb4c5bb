package org.rowlock.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The core of this module depends on none of what is optional around it, and only few classes on JPA. */
class ArchitectureTest {
    private static final String CORE = "org.rowlock.spring";

    private final JavaClasses classes = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // Where they come as a jar, for the run on Spring Boot 4.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("org.rowlock.spring");

    @Test
    void coreDependsOnNothingAroundIt() {
        noClasses()
                .that()
                .resideInAPackage("org.rowlock.spring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.rowlock.spring.*..", "org.springframework.boot..", "io.micrometer..")
                .check(classes);
    }

    /** The rooms, from the ground up: a class knows those of its own and of lower ones, and the API. */
    private static final Map<String, Set<String>> ROOMS = new LinkedHashMap<>();

    static {
        ROOMS.put("pool", Set.of("Pools", "Routes"));
        ROOMS.put("jpa", Set.of("HibernateSession", "HibernateTables", "SessionCaches"));
        ROOMS.put(
                "annotation",
                Set.of(
                        "AnnotatedMethods",
                        "CallLocks",
                        "DefinitionReader",
                        "EntityTables",
                        "IdExpressions",
                        "IdObjects",
                        "IdSource",
                        "IdTypes",
                        "LockingMethods",
                        "MethodLocks",
                        "RowLockDefinition",
                        "RowLockDefinitions"));
        ROOMS.put(
                "call",
                Set.of(
                        "BegunTransaction",
                        "CommitListener",
                        "DataSources",
                        "LockedCall",
                        "OnlyOnce",
                        "SilentRollback",
                        "SpringTransaction",
                        "TransactionDeclarations",
                        "Turn"));
        ROOMS.put(
                "proxy",
                Set.of(
                        "AdmissionInterceptor",
                        "DeferredResults",
                        "LockAdvice",
                        "LockChains",
                        "LockInterceptor",
                        "Placement",
                        "RowLockBeanPostProcessor",
                        "SelfInvocations"));
        ROOMS.put(
                "startup",
                Set.of(
                        "GuardCheck",
                        "RowLockAotProcessor",
                        "RowLockConfiguration",
                        "StartupVerification",
                        "TableCheck",
                        "VerificationSchedule"));
    }

    /** What of the API is started at, and so knows the rooms. */
    private static final Set<String> DOORS = Set.of(
            "EnableRowLocks",
            "RowLockTemplate",
            "RowLockTransactionManager",
            "RowLockUsages",
            "StrategyWatch",
            "UnlockedMethods");

    private static String outermost(JavaClass type) {
        return type.getName().substring(CORE.length() + 1).split("\\$", 2)[0];
    }

    private static Optional<String> roomOf(JavaClass type) {
        return ROOMS.keySet().stream()
                .filter(room -> ROOMS.get(room).contains(outermost(type)))
                .findFirst();
    }

    @Test
    void everyClassIsOfTheApiOrInARoom() {
        assertThat(ROOMS.values().stream().flatMap(Set::stream))
                .doesNotHaveDuplicates()
                .allMatch(name -> classes.contain(CORE + "." + name));
        for (JavaClass type : classes) {
            if (type.getPackageName().equals(CORE) && type.isTopLevelClass()) {
                boolean isPublic = type.getModifiers().contains(JavaModifier.PUBLIC);
                assertThat(roomOf(type).isPresent()
                                || isPublic
                                || type.getSimpleName().equals("package-info"))
                        .as(type.getName())
                        .isTrue();
            }
        }
    }

    @Test
    void roomsKnowOnlyThoseBelowThem() {
        List<String> upwards = new ArrayList<>();
        List<String> order = List.copyOf(ROOMS.keySet());
        for (JavaClass type : classes) {
            if (!type.getPackageName().equals(CORE)) {
                continue;
            }
            Optional<String> room = roomOf(type);
            for (Dependency each : type.getDirectDependenciesFromSelf()) {
                JavaClass other = each.getTargetClass().getBaseComponentType();
                if (!other.getPackageName().equals(CORE)) {
                    continue;
                }
                boolean known = room.isEmpty()
                        ? roomOf(other).isEmpty() || DOORS.contains(outermost(type))
                        : roomOf(other)
                                .map(of -> order.indexOf(of) <= order.indexOf(room.get()))
                                .orElse(true);
                if (!known) {
                    upwards.add(each.getDescription());
                }
            }
        }
        assertThat(upwards).isEmpty();
    }

    @Test
    void jpaIsBehindFewDoors() {
        noClasses()
                .that()
                .resideInAPackage("org.rowlock.spring")
                .and()
                .doNotHaveSimpleName("HibernateTables")
                .and()
                .haveNameNotMatching("org\\.rowlock\\.spring\\.HibernateSession.*")
                .and()
                .doNotHaveFullyQualifiedName("org.rowlock.spring.DataSources$Jpa")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.persistence..", "org.hibernate..", "org.springframework.orm..")
                .check(classes);
    }
}
