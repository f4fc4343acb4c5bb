package org.rowlock.spring.internal.annotation;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.jpa.HibernateTables;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the tables of entities. If Hibernate maps an entity, its mapping names the table. Otherwise the name comes from
 * the annotations of JPA or Spring Data Relational. As in Spring Boot's naming strategy, JPA's names and the names of
 * classes are converted to snake case. Thread-safe.
 */
public record EntityTables(BeanFactory beans) {
    private static final String JPA_ENTITY = "jakarta.persistence.Entity";
    private static final String JPA_TABLE = "jakarta.persistence.Table";
    private static final String RELATIONAL_TABLE = "org.springframework.data.relational.core.mapping.Table";
    private static final boolean HIBERNATE = ClassUtils.isPresent(
            "org.hibernate.engine.spi.SessionFactoryImplementor", EntityTables.class.getClassLoader());

    String tableOf(String where, Class<?> entity) {
        return (HIBERNATE ? HibernateTables.tableOf(where, beans, entity) : Optional.<String>empty())
                .orElseGet(() -> annotated(where, entity));
    }

    /**
     * Rejects a DataSource if its Hibernate sessions return the connection before the transaction ends, and thereby
     * release the lock.
     */
    public static void refuseEarlyRelease(BeanFactory beans, DataSource dataSource) {
        if (HIBERNATE) {
            HibernateTables.refuseEarlyRelease(beans, dataSource);
        }
    }

    /**
     * Returns the given table. Rejects a table that contains only a part of each entity, such as the table of a joined
     * subclass.
     *
     * @param required whether an absent row is an error
     */
    String checked(String what, String table, boolean required) {
        if (HIBERNATE) {
            HibernateTables.check(beans, what, table, required);
        }
        return table;
    }

    /**
     * Returns the column to which the entities of a table map each component of an id class; empty if the mapping is
     * not known.
     *
     * @param idClass the id class; Object if it is not known
     */
    Map<String, String> idColumns(String table, Class<?> idClass) {
        return HIBERNATE ? HibernateTables.idColumns(beans, table, idClass) : Map.of();
    }

    private static String annotated(String where, Class<?> entity) {
        MergedAnnotations annotations = MergedAnnotations.from(entity, SearchStrategy.INHERITED_ANNOTATIONS);
        MergedAnnotation<?> ofRelational = annotations.get(RELATIONAL_TABLE);
        MergedAnnotation<?> ofJpa = annotations.get(JPA_ENTITY);
        if (!ofRelational.isPresent() && !ofJpa.isPresent()) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names the entity " + entity.getName() + ", which has no table: the class"
                            + " has neither JPA's @Entity nor Spring Data's @Table.",
                    "Name an entity class, or give the table: @RowLock(\"orders\").");
        }
        MergedAnnotation<?> table = ofJpa.isPresent() ? annotations.get(JPA_TABLE) : ofRelational;
        // The names of JPA are converted to snake case. Explicit names of Spring Data Relational are only quoted.
        UnaryOperator<String> given = ofJpa.isPresent() ? EntityTables::snakeCase : EntityTables::quoted;
        String schema = text(table, "schema");
        String name = text(table, "name") + (text(table, "name").isBlank() ? text(ofJpa, "name") : "");
        return (schema.isEmpty() ? "" : (ofJpa.isPresent() ? schema : quoted(schema)) + ".")
                + (name.isBlank() ? snakeCase(entity.getSimpleName()) : given.apply(name));
    }

    private static String text(MergedAnnotation<?> annotation, String attribute) {
        return annotation.getValue(attribute, String.class).orElse("");
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String snakeCase(String name) {
        if (name.startsWith("\"") || name.startsWith("`")) {
            return name.replace('`', '"');
        }
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }
}
