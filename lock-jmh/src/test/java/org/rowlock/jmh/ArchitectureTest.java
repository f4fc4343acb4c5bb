package org.rowlock.jmh;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.cli.Program;

/**
 * Checks that dependencies go one way. The benchmarks do not depend on the code that runs them, and that code does not
 * depend on the report.
 */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.rowlock.jmh");

    /**
     * Each package, with the packages that are allowed to access that package. Every package is allowed to access
     * server.
     */
    private static final Map<String, List<String>> ACCESSED_BY = Map.of(
            "cli", List.of(),
            "report", List.of("cli"),
            "run", List.of("cli", "report"),
            "bench", List.of("run", "cli"),
            "scenario", List.of("bench", "run", "cli", "report"),
            "profile", List.of("bench", "run", "cli"));

    @Test
    void packagesDependInOneDirection() {
        LayeredArchitecture layers = layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("server")
                .definedBy("org.rowlock.jmh.server");
        for (String name : ACCESSED_BY.keySet()) {
            layers = layers.layer(name).definedBy("org.rowlock.jmh." + name + "..");
        }
        for (Map.Entry<String, List<String>> each : ACCESSED_BY.entrySet()) {
            var layer = layers.whereLayer(each.getKey());
            layers = each.getValue().isEmpty()
                    ? layer.mayNotBeAccessedByAnyLayer()
                    : layer.mayOnlyBeAccessedByLayers(each.getValue().toArray(String[]::new));
        }
        layers.check(CLASSES);
    }

    /** The doctor is a separate command. Code that both the doctor and the benchmarks need is in the package tool. */
    @Test
    void onlyTheProgramKnowsTheDoctor() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(Program.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.rowlock.doctor..")
                .because("what is measured does not depend on who looks")
                .check(CLASSES);
    }

    @Test
    void everyPackageIsInALayer() {
        assertThat(CLASSES.stream()
                        .map(type -> type.getPackageName().replace("org.rowlock.jmh.", ""))
                        .map(name -> name.replace(".jmh_generated", ""))
                        .distinct())
                .allMatch(name -> name.equals("server") || ACCESSED_BY.containsKey(name));
    }
}
