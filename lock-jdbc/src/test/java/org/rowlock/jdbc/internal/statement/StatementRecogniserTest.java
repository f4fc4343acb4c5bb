package org.rowlock.jdbc.internal.statement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.RowLockMode;
import org.rowlock.jdbc.internal.statement.StatementShape.Equality;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

/** What the text of a statement says, and what is left alone. */
class StatementRecogniserTest {
    private static StatementShape recognised(String sql) {
        StatementShape shape = StatementRecogniser.recognise(sql);
        assertThat(shape.isRecognised()).as(sql).isTrue();
        return shape;
    }

    @Test
    void readsTableKeyAndMode() {
        StatementShape select = recognised("SELECT a.*, (select 1 for update) FROM shop.\"Order\" AS a"
                + " WHERE a.id = ? AND a.state <> 'x' AND (a.\"No\" = ? and a.v is not null) for no key update of a");
        assertThat(select)
                .isEqualTo(new StatementShape(
                        true,
                        "shop.\"Order\"",
                        RowLockMode.FOR_NO_KEY_UPDATE,
                        List.of(new Equality("id", new Parameter(1)), new Equality("No", new Parameter(2))),
                        true,
                        "select from shop.\"Order\" AS a  where a.id = ? AND a.state <> 'x' AND"
                                + " (a.\"No\" = ? and a.v is not null) ",
                        true,
                        2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id = ? | true",
                "(id in (?)) | true",
                "id = ? and version = ? | false",
                "id = ? and version > 5 | false",
                "id = ? and deleted is null | false",
                "(version between 1 and 2 and id = 1) | false",
                "id = ? and id in (1, 2) | false"
            })
    void tellsWhetherThereIsMoreThanTheKey(String conditions, boolean only) {
        StatementShape update = recognised("update t set a = 1 where " + conditions);
        List<Value> key = Objects.requireNonNull(update.key(List.of("id")));
        assertThat(update.hasOnly(key)).isEqualTo(only);
    }

    @Test
    void countsParametersAsJdbcDoes() {
        StatementShape update = recognised(
                "/* ? */ update t set a = '?', b = ?, c = \"?\" -- ?\n where d ??| array[?] and id = $$?$$ and k = ?");
        assertThat(update.equalities())
                .containsExactly(new Equality("id", new Literal("?")), new Equality("k", new Parameter(3)));
    }

    /** As the server and the driver have it. */
    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\r\n"})
    void aCommentEndsWithItsLine(String end) {
        StatementShape update = recognised("update t set a = 1 where id = ? -- ?" + end + " and k = ?");
        assertThat(update.equalities())
                .containsExactly(new Equality("id", new Parameter(1)), new Equality("k", new Parameter(2)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from t where id = ? for update",
                "select * from t where id = ? order by 1 limit 1 for update",
                "select * from t where id = ? for update limit 1",
                "select * from t where id = cast(? as bigint) for update",
                "select * from t where id = ?::int8 for update",
                "select substring(name for 3) from t where (id = ?) for update",
                "select * from only t x where x.id in (?) for update;",
                "update t set v = case when v = 1 then 2 else 3 end where id = ? returning *",
                "update t set v = v + 1 where case when a = 1 and b = 2 then true end and id = ?",
                "update t set v = 1 where a between 1 and 2 and id = ?",
                "update t set (a, b) = (1, 2) where id = ? and (x = 1 or y = 2)",
                "delete from t where (id) in (?)"
            })
    void findsTheKeyAmongWhatElseIsThere(String sql) {
        assertThat(recognised(sql).equalities()).as(sql).contains(new Equality("id", new Parameter(1)));
    }

    @Test
    void readsRowsOfValues() {
        List<Equality> both = List.of(new Equality("a", new Parameter(1)), new Equality("b", new Literal("7")));
        assertThat(recognised("select 1 from t where (a, b) in ((?, 7)) for update")
                        .equalities())
                .isEqualTo(both);
        assertThat(recognised("select 1 from t where (t.a, t.b) = (?, 7) for update")
                        .equalities())
                .isEqualTo(both);
    }

    @Test
    void findsTheKeyInItsOrder() {
        StatementShape update = recognised("update t set v = 1 where b = 2 and c = 3 and a = 'x'");
        assertThat(update.key(List.of("a", "b"))).isEqualTo(List.of(new Literal("x"), new Literal("2")));
        assertThat(update.key(List.of("a", "d"))).isNull();
        assertThat(update.key(List.of())).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from t where id = ?",
                "select substring(a for 3) from t where id = ?",
                "select * from t where a = 'x;' and b = ';'",
                "select 1 /* for the report */;",
                "-- nothing",
                "commit;",
                "with x as (select 1) select * from x"
            })
    void seesThatAReadLocksNothing(String sql) {
        assertThat(StatementRecogniser.recognise(sql)).isEqualTo(StatementShape.PLAIN);
    }

    /** Whoever knows no more takes it that the statement locks rows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "with x as (update t set v = 1 where id = ? returning *) select * from x",
                "with x as (select * from t where id = ? for update) select * from x",
                "insert into t values (?) on conflict do nothing",
                "select * from t, u where t.id = ? for update",
                "select * from t join u on true where t.id = ? for update",
                "select * from t natural join u where t.id = ? for update",
                "select * from t left join u on true where t.id = ? for update",
                "select * from (select 1) t where t.id = ? for update",
                "select * from f(1) t where t.id = ? for update",
                "select * from t x(a, b) where a = ? for update",
                "update t set v = 1 from u where t.id = ?",
                "delete from t using u where t.id = ?",
                "select * from t where id = ? or id = ? for update",
                "select * from t where (id = ? or id = ?) for update",
                "select * from t where id in (?, ?) for update",
                "select * from t where ? = id for update",
                "select * from t where id = (?) for update",
                "select * from t for update",
                "select a is distinct from b from t where id = ? for update",
                "update t set a = b is distinct from c where id = ?",
                "select * from t where id = ? group by id for update",
                "select * from t where id = ? union select * from t for update",
                "update t set v = 1",
                "update t set v = 1 where id > ?",
                "update t set v = 1 where id = ? + 1",
                "update t set v = 1 where id = ?::int[]",
                "update t set v = 1 where not id = ?",
                "update t set v = 1 where (not (id = ?))",
                "update t set v = 1 where case when a = 1 and id = ? and b = 2 then true end",
                "update t set v = 1 where a between 1 and (2) or id = ?",
                "update t set v = 1 where ? between id and id = ?",
                "update t set v = 1 where id = any(?)",
                "update t set v = 1 where current of c",
                "select 1; update t set v = 1 where id = ?",
                "select * from t where id = ? for update; select 1",
                "begin; update t set v = 1 where id = ?",
                "commit;/* */delete from t where id = ?",
                "{call f(?)}",
                "(select * from t where id = ? for update)",
                "select * from t where id = ? for update nowait",
                "select * from t where id = ? for update of t skip locked",
                "select * from t where id = ? for/**/update nowait",
                "select 1 from t where id = ? for update for share"
            })
    void leavesAloneWhatItDoesNotKnow(String sql) {
        assertThat(StatementRecogniser.recognise(sql)).isEqualTo(StatementShape.OTHER);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "t | 2 | insert into t values (?, ?)",
                "s.t | 1 | insert into \"s\".T(a, b) values (?, 'x;y') ;",
                "t | 1 | insert into t(a) values (coalesce(?, (select max(a) from t)))",
                "'' | -1 | insert into t(a) values (?), (?)",
                "'' | -1 | insert into t(a) values (?) on conflict do nothing",
                "'' | -1 | insert into t(a) values (?) returning a",
                "'' | -1 | insert into t(a) overriding system value values (?)",
                "'' | -1 | insert into t as u(a) values (?)",
                "'' | -1 | insert into t(a) select ?",
                "'' | -1 | insert into t default values",
                "'' | -1 | insert into t values",
                "'' | -1 | insert"
            })
    void knowsAnInsertOfOneRow(String table, int parameters, String sql) {
        StatementShape seen = StatementRecogniser.recognise(sql);
        assertThat(seen.isRecognised()).isFalse();
        assertThat(seen.mayLock()).isTrue();
        assertThat(seen.table()).isEqualTo(table);
        assertThat(seen.parameters()).isEqualTo(parameters);
    }

    @Test
    void leavesLongTextsAlone() {
        String sql = "select 1 from t where id = 1 and v <> '" + "x".repeat(20_000) + "' for update";
        assertThat(StatementRecogniser.recognise(sql)).isEqualTo(StatementShape.OTHER);
    }

    @Test
    void deepBracketsNeedNoStack() {
        String open = "(".repeat(7_000);
        String close = ")".repeat(7_000);
        assertThat(StatementRecogniser.recognise("update t set v = 1 where " + open + "id = 1" + close))
                .isNotNull();
        assertThat(StatementRecogniser.recognise("update t set v = 1 where id = " + open + "1" + close))
                .isNotNull();
    }
}
