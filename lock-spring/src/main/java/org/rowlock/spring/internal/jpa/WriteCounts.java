package org.rowlock.spring.internal.jpa;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.jdbc.Expectation;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.mutation.EntityTableMapping;
import org.hibernate.sql.model.TableMapping.MutationDetails;
import org.jspecify.annotations.Nullable;

/** Determines how Hibernate checks the update counts of its own writes to a table. */
final class WriteCounts {
    /** The classes of Hibernate that check an UPDATE or DELETE only by its count, which must be 1. */
    private static final List<String> USUAL = List.of("UpdateCoordinatorStandard", "DeleteCoordinatorStandard");

    private static final Log LOG = LogFactory.getLog(WriteCounts.class);

    private WriteCounts() {}

    /** Whether Hibernate expects each of its writes to the table of the given entities to change exactly one row. */
    static boolean areOne(SessionFactoryImplementor factory, String table, List<EntityPersister> mapped) {
        try {
            return !mapped.isEmpty()
                    && mapped.stream().allMatch(entity -> isChecked(entity, table))
                    && factory.getMappingMetamodel()
                            .streamCollectionDescriptors()
                            .filter(collection -> !collection.isInverse())
                            .noneMatch(collection -> Arrays.stream(collection.getCollectionSpaces())
                                    .anyMatch(space -> HibernateEntities.isSame(space.toString(), table)));
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("The writes of " + table + " are sent before the COMMIT", e);
            return false;
        }
    }

    private static boolean isChecked(EntityPersister entity, String table) {
        if (!(entity instanceof AbstractEntityPersister persister)
                || !USUAL.contains(persister.getUpdateCoordinator().getClass().getSimpleName())
                || !USUAL.contains(persister.getDeleteCoordinator().getClass().getSimpleName())) {
            return false;
        }
        boolean[] checked = {true};
        persister.forEachMutableTable(
                each -> checked[0] &= !HibernateEntities.isSame(each.getTableName(), table) || isChecked(each));
        return checked[0];
    }

    private static boolean isChecked(EntityTableMapping table) {
        return !table.isOptional() && isChecked(table.getUpdateDetails()) && isChecked(table.getDeleteDetails());
    }

    private static boolean isChecked(@Nullable MutationDetails details) {
        return details == null
                || (details.getCustomSql() == null && details.getExpectation() instanceof Expectation.RowCount);
    }
}
