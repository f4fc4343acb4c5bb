package org.rowlock.jmh;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.cli.Program;

/** Data flows one way: what is measured knows nothing of how it is run, and that nothing of how it is shown. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.rowlock.jmh");

    @Test
    void packagesDependInOneDirection() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("cli")
                .definedBy("org.rowlock.jmh.cli")
                .layer("doors")
                .definedBy("org.rowlock.jmh.doors")
                .layer("report")
                .definedBy("org.rowlock.jmh.report")
                .layer("run")
                .definedBy("org.rowlock.jmh.run")
                .layer("scenario")
                .definedBy("org.rowlock.jmh.scenario")
                .layer("bench")
                .definedBy("org.rowlock.jmh.bench..")
                .layer("net")
                .definedBy("org.rowlock.jmh.net")
                .layer("profile")
                .definedBy("org.rowlock.jmh.profile")
                .layer("server")
                .definedBy("org.rowlock.jmh.server")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("doors")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("report")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("run")
                .mayOnlyBeAccessedByLayers("cli", "doors", "report")
                .whereLayer("bench")
                .mayOnlyBeAccessedByLayers("run", "cli", "doors")
                .whereLayer("scenario")
                .mayOnlyBeAccessedByLayers("bench", "run", "cli", "doors", "report")
                .whereLayer("net")
                .mayOnlyBeAccessedByLayers("bench", "doors", "run", "server")
                .whereLayer("profile")
                .mayOnlyBeAccessedByLayers("bench", "run", "cli", "doors")
                .check(CLASSES);
    }

    /** The doctor is a command beside the benchmarks; what both need is in the package tool. */
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
                        .map(type -> type.getPackageName().replace("org.rowlock.jmh", ""))
                        .map(name -> name.replace(".jmh_generated", ""))
                        .distinct())
                .isSubsetOf(List.of(
                        ".cli", ".doors", ".report", ".run", ".scenario", ".bench", ".net", ".profile", ".server"));
    }
}
