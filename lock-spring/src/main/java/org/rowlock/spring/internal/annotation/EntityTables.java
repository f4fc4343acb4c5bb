package org.rowlock.spring.internal.annotation;

import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.jpa.HibernateTables;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Finds the tables of entities in Hibernate's mappings. Thread-safe. */
public record EntityTables(BeanFactory beans) {
    private static final boolean HIBERNATE = ClassUtils.isPresent(
            "org.hibernate.engine.spi.SessionFactoryImplementor", EntityTables.class.getClassLoader());

    String tableOf(String where, Class<?> entity) {
        return (HIBERNATE ? HibernateTables.tableOf(where, beans, entity) : Optional.<String>empty())
                .orElseThrow(() -> new RowLockDefinitionException(
                        "@RowLock on " + where + " names the entity " + entity.getName()
                                + ", which has no table, because Hibernate does not map this class.",
                        "Name an entity of Hibernate, or give the table: @RowLock(\"orders\")."));
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
}
