package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public types and members are those that are written down: what users compile against changes on purpose. */
class PublicApiTest {
    private static final Path ACTUAL = Path.of("target", "api.txt");

    @Test
    void isTheOneWrittenDown() throws IOException {
        List<String> actual = new ArrayList<>();
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("org.rowlock").stream()
                        .filter(type -> type.getPackageName().equals("org.rowlock"))
                        .map(JavaClass::reflect)
                        .filter(PublicApiTest::isPublic)
                        .sorted((one, other) -> one.getName().compareTo(other.getName()))
                        .forEach(type -> {
                            // Newer JDKs say more.
                            actual.add(type.toGenericString().replaceAll("(non-)?sealed ", ""));
                            members(type).sorted().forEach(member -> actual.add("  " + member));
                        });
        Files.createDirectories(ACTUAL.getParent());
        Files.write(ACTUAL, actual);
        assertThat(actual)
                .as("the public API; if it is to change, copy lock-core/target/api.txt to the resources of the tests")
                .isEqualTo(writtenDown());
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static Stream<String> members(Class<?> type) {
        Stream<String> executables = Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredConstructors()), Arrays.stream(type.getDeclaredMethods()))
                .filter(member -> Modifier.isPublic(member.getModifiers()) && !member.isSynthetic())
                .map(Executable::toGenericString);
        return Stream.concat(
                executables,
                Arrays.stream(type.getDeclaredFields())
                        .filter(field -> Modifier.isPublic(field.getModifiers()))
                        .map(Field::toGenericString));
    }

    private static List<String> writtenDown() throws IOException {
        try (InputStream file = Objects.requireNonNull(PublicApiTest.class.getResourceAsStream("api.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }
}
