package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.spring.libraries.JpaTransactions.Unit;
import org.rowlock.testing.TestDatabase;
import org.springframework.transaction.annotation.Transactional;

/** Checks that the components of an id are assigned to the columns by the entity's mapping, and not by their names. */
class MappedIdTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table pair (a int, b int, primary key (a, b))", "insert into pair values (1, 2), (2, 1)");

    @Embeddable
    static class PairId implements Serializable {
        private static final long serialVersionUID = 1;
        int a = 1;
        int b = 2;

        @Override
        public boolean equals(Object other) {
            return other instanceof PairId id && id.a == a && id.b == b;
        }

        @Override
        public int hashCode() {
            return Objects.hash(a, b);
        }
    }

    @Entity
    @Table(name = "pair")
    static class Crossed {
        @EmbeddedId
        @AttributeOverride(name = "a", column = @Column(name = "b"))
        @AttributeOverride(name = "b", column = @Column(name = "a"))
        PairId id;
    }

    @Entity
    @Table(name = "pair")
    static class Straight {
        @EmbeddedId
        PairId id;
    }

    static class Pairs {
        @Transactional
        public boolean lock(@RowLock("pair") PairId id) {
            return true;
        }
    }

    private boolean locks(Class<?> entity) {
        var context = Contexts.jpa(database, new Unit(entity), Pairs.class);
        return context.getBean(Pairs.class).lock(new PairId());
    }

    @Test
    void componentsThatTheEntityMapsToColumnsInAnotherOrderFailTheStart() {
        assertThatThrownBy(() -> locks(Crossed.class))
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContainingAll("Pairs.lock(PairId)", "[b, a]", "[a, b]", "in another order");
        assertThat(locks(Straight.class)).isTrue();
    }

    @Embeddable
    record NamedId(int first, int second) implements Serializable {}

    @Entity
    @Table(name = "pair")
    static class Named {
        @EmbeddedId
        @AttributeOverride(name = "first", column = @Column(name = "b"))
        @AttributeOverride(name = "second", column = @Column(name = "a"))
        NamedId id;
    }

    static class Parts {
        @Transactional
        @RowLock(
                table = "pair",
                id = {"#first", "#second"})
        public void lock(int first, int second) {}
    }

    /** The entity's mapping determines the column of each name. */
    @Test
    void partsThatTheEntityMapsToColumnsInAnotherOrderFailTheStart() {
        assertThatThrownBy(() -> Contexts.jpa(database, new Unit(Named.class), Parts.class))
                .isInstanceOf(RowLockDefinitionException.class)
                .hasMessageContainingAll("Parts.lock(int, int)", "[b, a]", "[a, b]", "in another order");
    }

    record Tenant(int id) {}

    record Doc(int id, int number) {}

    @Transactional
    static class Docs {
        @RowLock(
                table = "doc",
                id = {"#tenant.id", "#doc.id"})
        public boolean byIds(Tenant tenant, Doc doc) {
            return true;
        }

        @RowLock(
                table = "doc",
                id = {"#tenant.id", "#doc.number"})
        public boolean byNumber(Tenant tenant, Doc doc) {
            return true;
        }
    }

    /** The last name of an expression can match no column, or can be equal for two parts. */
    @Test
    void namesThatAreNotThoseOfAllColumnsTellNoOrder() throws Exception {
        database.execute("create table doc (tenant_id int, id int, primary key (tenant_id, id))");
        database.execute("insert into doc values (1, 2)");
        Docs docs = Contexts.start(database, Docs.class).getBean(Docs.class);
        assertThat(docs.byIds(new Tenant(1), new Doc(2, 2))).isTrue();
        assertThat(docs.byNumber(new Tenant(1), new Doc(2, 2))).isTrue();
    }
}
