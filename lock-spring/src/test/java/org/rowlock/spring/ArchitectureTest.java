package org.rowlock.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The core of this module depends on none of what is optional around it, and only few classes on JPA. */
class ArchitectureTest {
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
