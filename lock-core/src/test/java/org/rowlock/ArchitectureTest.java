package org.rowlock;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
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
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rowlock.testing.Rooms;

/** The way of a key through the rooms is one direction, and what is built on a room needs nothing above it. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("lock-testing"))
            .importPackages("org.rowlock");

    private static final JavaClasses TESTS = new ClassFileImporter().importClasses(Offender.class);

    /** The rooms, from the ground up: what is in one knows those below it, and the values of the API. */
    private static final Rooms ROOMS = new Rooms(
            CLASSES,
            "org.rowlock.internal.",
            List.of(
                    "text", "value", "queue", "request", "sql", "session", "commit", "observe", "acquire", "group",
                    "verify", "access"));

    /** What of the API is started at, and so knows the rooms. The rest are values, which know the two lowest rooms. */
    private static final Set<String> DOORS = Set.of(
            "RowLocks",
            "RowLocksBuilder",
            "TransactionLocks",
            "TransactionRunner",
            "LockOperation",
            "LockInspector",
            "LockAccess",
            "CommitWrites",
            "LockedTransaction");

    private static final int MOST_TYPES = 34;
    private static final int MOST_MEMBERS = 110;

    private static final DescribedPredicate<JavaClass> DOOR = DescribedPredicate.describe(
            "are doors",
            type -> isNamed(type, DOORS) && !type.getBaseComponentType().isEnum());

    private static final DescribedPredicate<JavaClass> KNOWING_THE_DRIVER = DescribedPredicate.describe(
            "know the driver",
            type -> isNamed(type, Set.of("PgSession", "DriverSession", "LockErrors", "ServerErrors", "Tokens")));

    @Test
    void roomsKnowOnlyThoseBelowThem() {
        ROOMS.check();
    }

    @Test
    void valuesKnowOnlyTheLowestRooms() {
        ROOMS.areUnknownFrom(2, resideInAPackage("org.rowlock").and(not(DOOR))).check(CLASSES);
    }

    @Test
    void nothingButDoorsKnowsDoors() {
        noClasses().that(not(DOOR)).should().dependOnClassesThat(DOOR).check(CLASSES);
    }

    @Test
    void onlyThoseThatMustKnowTheDriver() {
        ArchRule rule = noClasses()
                .that(not(KNOWING_THE_DRIVER))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.postgresql..");
        rule.check(CLASSES);
        assertThatThrownBy(() -> rule.check(TESTS)).isInstanceOf(AssertionError.class);
    }

    /** ArchUnit does not see the types of local variables, but a class file names each type that it uses. */
    @Test
    void noLocalVariableIsOfATypeOfTheDriver() {
        for (JavaClass type : CLASSES) {
            if (!KNOWING_THE_DRIVER.test(type)) {
                assertThat(named(type)).as(type.getName()).noneMatch(name -> name.contains("org/postgresql/"));
            }
        }
        assertThat(named(TESTS.get(Offender.class))).anyMatch(name -> name.contains("org/postgresql/core/Query"));
    }

    /** The texts in the constant pool of a class file, which are the names of types among others. */
    private static List<String> named(JavaClass type) {
        URI file = type.getSource().orElseThrow().getUri();
        List<String> texts = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(file.toURL().openStream())) {
            in.skipNBytes(8);
            int constants = in.readUnsignedShort();
            for (int i = 1; i < constants; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1 -> texts.add(in.readUTF());
                    case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                    case 15 -> in.skipNBytes(3);
                    case 5, 6 -> {
                        in.skipNBytes(8);
                        i++; // A long or a double takes two places.
                    }
                    default -> in.skipNBytes(4);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    /** What pgjdbc does not call its API, and may change. */
    @Test
    void oneClassKnowsTheInsideOfTheDriver() {
        ArchRule rule = noClasses()
                .that(not(DescribedPredicate.describe(
                        "know it", type -> isNamed(type, Set.of("DriverSession", "Tokens")))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.postgresql.core..");
        rule.check(CLASSES);
        assertThatThrownBy(() -> noClasses()
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("org.postgresql.core..")
                        .check(CLASSES))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void nothingIsUsedButTheJdkTheDriverAndTheAnnotations() {
        ArchRule rule = classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.rowlock..",
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
        JavaClasses library = CLASSES.that(not(simpleName("Main")));
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
                .and(not(equivalentTo(RowlockException.class)))
                .and(not(equivalentTo(CommitOutcomeUnknownException.class)))
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
                .and()
                .resideInAPackage("org.rowlock")
                .should()
                .beAssignableTo(RowlockException.class)
                .check(CLASSES);
        classes()
                .that()
                .areAssignableTo(RowlockException.class)
                .should()
                .bePublic()
                .check(CLASSES);
    }

    /** With what is not public, as it stands in the way of who reads. */
    @Test
    void theFrontRoomStaysSmall() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getPackageName().equals("org.rowlock"))
                        .filter(type -> type.getEnclosingClass().isEmpty() && !type.isAnonymousClass()))
                .hasSizeBetween(30, MOST_TYPES);
    }

    /** What a newcomer has to read: types, and their methods and constructors, but for those that override others. */
    @Test
    void theApiStaysSmall() {
        List<Class<?>> types = new ArrayList<>();
        for (JavaClass type : CLASSES) {
            if (type.getPackageName().equals("org.rowlock") && isPublic(type.reflect())) {
                types.add(type.reflect());
            }
        }
        assertThat(types.stream().filter(type -> type.getEnclosingClass() == null))
                .contains(RowLocks.class, LockRequest.class)
                .hasSizeLessThanOrEqualTo(MOST_TYPES);
        assertThat(types.stream().flatMap(ArchitectureTest::members))
                .anyMatch(member -> member.getName().equals("lockAndRead"))
                .hasSizeLessThanOrEqualTo(MOST_MEMBERS);
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static Stream<Executable> members(Class<?> type) {
        Set<String> components = type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(RecordComponent::getName)
                        .collect(Collectors.toSet())
                : Set.of();
        return Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredMethods()),
                        type.isRecord() ? Stream.of() : Arrays.stream(type.getDeclaredConstructors()))
                .filter(member -> Modifier.isPublic(member.getModifiers()) && !member.isSynthetic())
                .filter(member -> !(type.isEnum() && Modifier.isStatic(member.getModifiers())))
                .filter(member -> !(member instanceof Method method
                        && (isOverriding(method, type)
                                || method.getParameterCount() == 0 && components.contains(method.getName()))));
    }

    private static boolean isOverriding(Method method, Class<?> type) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                .flatMap(above -> Arrays.stream(above.getMethods()))
                .anyMatch(above -> above.getName().equals(method.getName())
                        && Arrays.equals(above.getParameterTypes(), method.getParameterTypes()));
    }

    /** The rules see what they are to see: taken the wrong way round, each finds something. */
    @Test
    void rulesCanFail() {
        for (String room : ROOMS.names().subList(1, ROOMS.names().size())) {
            ArchRule upsideDown = ROOMS.areUnknownFrom(0, resideInAPackage(ROOMS.internal() + room));
            if (!Set.of("observe", "queue").contains(room)) {
                assertThatThrownBy(() -> upsideDown.check(CLASSES)).isInstanceOf(AssertionError.class);
            }
        }
        assertThatThrownBy(() -> noClasses().should().dependOnClassesThat(DOOR).check(CLASSES))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() ->
                        ROOMS.areUnknownFrom(0, resideInAPackage("org.rowlock")).check(CLASSES))
                .isInstanceOf(AssertionError.class);
    }

    private static boolean isNamed(JavaClass given, Set<String> names) {
        JavaClass type = given.getBaseComponentType();
        return type.getPackageName().startsWith("org.rowlock") && names.contains(outermost(type));
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElseGet(type::getSimpleName);
    }

    /** Breaks what a class of the library may not do. */
    private static final class Offender {
        static Object uses() {
            System.out.println();
            java.util.logging.Logger.getLogger("x").info("x");
            org.postgresql.core.Query local = null;
            Object unused = local;
            return List.of(org.postgresql.util.PSQLState.UNKNOWN_STATE, org.awaitility.Awaitility.await());
        }
    }
}
