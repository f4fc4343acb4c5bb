package org.rowlock.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.AdvisoryKeys.Shape;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.RowTable.Identity;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Watch;
import org.rowlock.internal.sql.LockPlan.RowPart;
import org.rowlock.internal.text.IdType;

/** What is in the key of a kept flush compares by all of its components, though by hand: else a wrong flush is sent. */
class LockPlanTest {
    private static final RowTable ACCOUNT = table("account", "int4");
    private static final RowPart ONE = new RowPart(ACCOUNT, RowLockMode.FOR_UPDATE, true);

    /** For each type of component a value, and another. */
    private static final Map<Class<?>, List<Object>> VALUES = Map.of(
            Shape.class, List.of(Shape.NONE, Shape.NAME),
            RowLockMode.class, List.of(RowLockMode.FOR_UPDATE, RowLockMode.FOR_SHARE),
            WaitKind.class, List.of(WaitKind.FOREVER, WaitKind.NO_WAIT),
            boolean.class, List.of(false, true),
            String.class, List.of("a", "b"),
            Object.class, List.of("a", "b"),
            Watch.class, List.of(Watch.NONE, Watch.SET),
            List.class, List.of(List.of(), List.of("a")),
            RowTable.class, List.of(ACCOUNT, table("account", "int8")),
            Identity.class, List.of(Identity.GIVEN, Identity.CATALOG));

    private static RowTable table(String name, String type) {
        return new RowTable(name, List.of(new Column("id", type, type + "[]", IdType.INTEGER)), Identity.ONE_COLUMN);
    }

    @Test
    void aDifferenceInAnyComponentIsADifference() throws ReflectiveOperationException {
        for (Class<?> type : List.of(LockPlan.class, RowPart.class, RowTable.class)) {
            RecordComponent[] components = type.getRecordComponents();
            Object[] values = Arrays.stream(components)
                    .map(component -> VALUES.get(component.getType()).get(0))
                    .toArray();
            Object made = make(type, components, values);
            assertThat(make(type, components, values.clone())).isEqualTo(made).hasSameHashCodeAs(made);
            for (int i = 0; i < components.length; i++) {
                Object[] others = values.clone();
                others[i] = VALUES.get(components[i].getType()).get(1);
                assertThat(make(type, components, others))
                        .as(components[i].getName())
                        .isNotEqualTo(made);
            }
        }
    }

    @Test
    void equalPartsOfTablesLookedUpTwiceAreEqual() {
        assertThat(new RowPart(table("account", "int4"), RowLockMode.FOR_UPDATE, true))
                .isEqualTo(ONE)
                .hasSameHashCodeAs(ONE);
    }

    private static Object make(Class<?> type, RecordComponent[] components, Object... values)
            throws ReflectiveOperationException {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        return type.getDeclaredConstructor(types).newInstance(values);
    }
}
