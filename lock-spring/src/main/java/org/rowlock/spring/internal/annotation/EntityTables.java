package org.rowlock.spring.internal.annotation;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.jpa.HibernateTables;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The tables of entities: as Hibernate maps them where there is one that knows the entity, and else by the annotations
 * of JPA or Spring Data Relational, in snake case as Spring Boot's naming strategy has it. Thread-safe.
 */
public final class EntityTables {
    private static final String JPA_ENTITY = "jakarta.persistence.Entity";
    private static final String JPA_TABLE = "jakarta.persistence.Table";
    private static final String RELATIONAL_TABLE = "org.springframework.data.relational.core.mapping.Table";
    private static final boolean HIBERNATE = ClassUtils.isPresent(
            "org.hibernate.engine.spi.SessionFactoryImplementor", EntityTables.class.getClassLoader());

    private final BeanFactory beans;

    public EntityTables(BeanFactory beans) {
        this.beans = beans;
    }

    /** Refuses a class that is no entity, without looking for its table. */
    void check(String where, Class<?> entity) {
        MergedAnnotations annotations = annotations(entity);
        if (!annotations.isPresent(JPA_ENTITY) && !annotations.isPresent(RELATIONAL_TABLE)) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names the entity " + entity.getName() + ", which has no table: it is not"
                            + " annotated with JPA's @Entity nor with Spring Data's @Table.",
                    "Name an entity class, or give the table: @RowLock(\"orders\").");
        }
    }

    /** The table of an entity, as in SQL. */
    String tableOf(String where, Class<?> entity) {
        return (HIBERNATE ? HibernateTables.tableOf(where, beans, entity) : Optional.<String>empty())
                .orElseGet(() -> annotated(entity));
    }

    /** Refuses a table that does not have each row of its entities as a whole. */
    void checkRoot(String what, String table) {
        String root = HIBERNATE ? HibernateTables.rootOf(beans, table) : "";
        if (!root.isEmpty()) {
            throw HibernateTables.notTheRoot(what, table, root);
        }
    }

    /**
     * The column of each component of an id class, as the entities of a table map it; empty if that is not known.
     *
     * @param idClass Object for whatever class there is
     */
    Map<String, String> idColumns(String table, Class<?> idClass) {
        return HIBERNATE ? HibernateTables.idColumns(beans, table, idClass) : Map.of();
    }

    private static String annotated(Class<?> entity) {
        MergedAnnotations annotations = annotations(entity);
        MergedAnnotation<?> table = annotations.get(JPA_TABLE);
        if (table.isPresent()) {
            return qualified(table.getString("schema"), named(table.getString("name"), annotations, entity));
        }
        MergedAnnotation<?> relational = annotations.get(RELATIONAL_TABLE);
        if (relational.isPresent()) {
            // Spring Data Relational quotes names, and takes those that are given as they are.
            String name = relational.getString("name");
            return qualified(
                    quoted(relational.getString("schema")),
                    name.isEmpty() ? snakeCase(entity.getSimpleName()) : quoted(name));
        }
        return named("", annotations, entity);
    }

    private static String named(String given, MergedAnnotations annotations, Class<?> entity) {
        if (!given.isEmpty()) {
            return snakeCase(given);
        }
        MergedAnnotation<?> annotation = annotations.get(JPA_ENTITY);
        String name = annotation.isPresent() ? annotation.getString("name") : "";
        return snakeCase(name.isEmpty() ? entity.getSimpleName() : name);
    }

    private static MergedAnnotations annotations(Class<?> entity) {
        return MergedAnnotations.from(entity, SearchStrategy.INHERITED_ANNOTATIONS);
    }

    private static String qualified(@Nullable String schema, String table) {
        return StringUtils.hasText(schema) ? schema + "." + table : table;
    }

    private static String quoted(String name) {
        return name.isEmpty() ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    /** What is quoted already stays as it is. */
    private static String snakeCase(String name) {
        if (name.startsWith("\"") || name.startsWith("`")) {
            return name.replace('`', '"');
        }
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }
}
