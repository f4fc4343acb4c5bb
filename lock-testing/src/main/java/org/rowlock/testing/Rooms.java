package org.rowlock.testing;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * The internal packages (rooms) of a module. A class of a room is allowed to depend on its own room and on lower rooms.
 *
 * @param internal the package that contains the rooms, with a dot at its end
 * @param names the rooms, the lowest first
 */
public record Rooms(JavaClasses classes, String internal, List<String> names) {
    /** Checks that each internal package is listed, and that no room depends on a higher room. */
    public void check() {
        assertThat(classes.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> name.startsWith(internal))
                        .map(name -> name.substring(internal.length()))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(names);
        for (int room = 0; room < names.size(); room++) {
            areUnknownFrom(room + 1, resideInAPackage(internal + names.get(room)))
                    .check(classes);
        }
    }

    /** Returns the rule that the given classes do not depend on the rooms from the given index upwards. */
    public ArchRule areUnknownFrom(int lowest, DescribedPredicate<JavaClass> those) {
        String[] rooms = names.subList(lowest, names.size()).stream()
                .map(internal::concat)
                .toArray(String[]::new);
        return noClasses().that(those).should().dependOnClassesThat().resideInAnyPackage(rooms);
    }
}
