package org.rowlock.spring.internal.jpa;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.jdbc.Expectation;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.mutation.EntityTableMapping;
import org.hibernate.sql.model.TableMapping.MutationDetails;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ConcurrentReferenceHashMap;

/** Determines how Hibernate checks the update counts of its own writes to a table. */
final class WriteCounts {
    /** The classes of Hibernate that check an UPDATE or DELETE only by its count, which must be 1. */
    private static final List<String> USUAL = List.of("UpdateCoordinatorStandard", "DeleteCoordinatorStandard");

    /** The cached results by factory and table. A result is the same for every transaction. */
    private static final Map<SessionFactoryImplementor, Map<String, Boolean>> OF_TABLES =
            new ConcurrentReferenceHashMap<>(4);

    private WriteCounts() {}

    /** Whether Hibernate expects each of its writes to a table to change exactly one row. */
    static boolean areOne(SessionFactoryImplementor factory, String table) {
        Map<String, Boolean> ofFactory = OF_TABLES.computeIfAbsent(factory, each -> new ConcurrentHashMap<>());
        Boolean known = ofFactory.get(table);
        return known != null ? known : ofFactory.computeIfAbsent(table, each -> find(factory, each));
    }

    private static boolean find(SessionFactoryImplementor factory, String table) {
        List<EntityPersister> mapped = HibernateEntities.of(factory, table).mapped();
        return !mapped.isEmpty()
                && mapped.stream().allMatch(entity -> isChecked(entity, table))
                && factory.getMappingMetamodel()
                        .streamCollectionDescriptors()
                        .filter(collection -> !collection.isInverse())
                        .noneMatch(collection -> Arrays.stream(collection.getCollectionSpaces())
                                .anyMatch(space -> HibernateEntities.isSame(space.toString(), table)));
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
