package org.rowlock.internal.text;

/** SQL that several packages share: queries of the catalog, expressions for keys, and the list of extensions. */
public final class CatalogSql {
    /** A FROM item: the key columns {@code a} of index {@code i} at positions {@code k.n}, without INCLUDE columns. */
    public static final String KEY_COLUMNS =
            "pg_catalog.pg_index as i cross join lateral pg_catalog.unnest(i.indkey[0:i.indnkeyatts - 1])"
                    + " with ordinality as k(attnum, n)"
                    + " join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum";

    /**
     * An expression for a table {@code c} of pg_class: whether a write to one row of the table always reports one
     * changed row, and a write to no row changes nothing. The expression is false for foreign tables, and for tables
     * with row-level policies, rules, triggers that may skip a row, or triggers for statements. It is also false for
     * tables with child tables or an invalid primary key, which may have rows with the same id. Finally, it is false
     * if a statement may call a volatile function without brackets. The expression does not call pg_partition_tree(),
     * which waits for locks on partitions.
     */
    public static final String COUNTS_ITS_ROWS = "c.relkind in ('r', 'p') and not (c.relhasrules or c.relrowsecurity)"
            + " and (c.relkind = 'p' or not c.relhassubclass) and not exists (with recursive p as (select c.oid"
            + " union all select i.inhrelid from p join pg_catalog.pg_inherits as i on i.inhparent = p.oid) select"
            + " from p join pg_catalog.pg_class as l on l.oid = p.oid where l.relkind = 'f' or exists (select"
            + " from pg_catalog.pg_trigger as t where t.tgrelid = p.oid and t.tgtype & 3 <> 1 and t.tgtype & 28 <> 0"
            + " and t.tgenabled <> 'D')) and not exists (select from pg_catalog.pg_index as i where i.indrelid = c.oid"
            + " and i.indisprimary and not i.indisvalid) and not " + calls("= 'v'", "");

    /** The extensions that combine several machines into one database. Each machine has its own advisory locks. */
    public static final String OF_SEVERAL_MACHINES = "('citus', 'bdr', 'pgactive', 'spock', 'shardman')";

    /** A condition: the database has Citus, whose tables may be on other machines. */
    public static final String IS_CITUS = "pg_catalog.to_regproc('pg_catalog.create_intermediate_result') is not null";

    /** An expression for the schemas in which the server looks up a table name without a schema. */
    public static final String SCHEMAS = "pg_catalog.array_to_string(pg_catalog.current_schemas(true), ',')";

    /** An expression for the type of a column {@code a}; for a domain, the base type. */
    private static final String BASE_TYPE = "(with recursive b(oid, base) as ("
            + "select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid"
            + " union all select t.oid, t.typbasetype from b join pg_catalog.pg_type t on t.oid = b.base)"
            + " select b.oid from b where b.base = 0)";

    /**
     * An expression for the suffix that turns the type of the column into an array type. The suffix is empty for
     * arrays, because in PostgreSQL an array of arrays has the same type. For vectors such as oidvector, the suffix
     * depends on the version of the server.
     */
    private static final String ARRAY_OF = "case when t.typcategory = 'A' and t.typtype <> 'd' and (t.typarray = 0 or"
            + " pg_catalog.pg_typeof(array[cast(null as pg_catalog.oidvector)])"
            + " = cast('pg_catalog.oidvector' as pg_catalog.regtype)) then '' else '[]' end";

    /**
     * The select list of the queries for id columns. If the relation exists, the query returns at least one row, which
     * contains the kind of the relation. The names of types include their schemas.
     */
    private static final String COLUMNS = "select c.relkind, a.attname, " + typeName("''", BASE_TYPE) + ", "
            + typeName(ARRAY_OF, "a.atttypid")
            + ", " + SCHEMAS
            + ", c.relnamespace, (select l.collisdeterministic from pg_catalog.pg_collation l"
            + " where l.oid = a.attcollation) is not false, exists (select from pg_catalog.pg_type t"
            + " where t.oid = " + BASE_TYPE + " and t.typtype = 'e'), " + IS_CITUS
            + ", not c.relrowsecurity and c.relkind in ('r', 'p'), c.oid, " + COUNTS_ITS_ROWS + ", ";

    private static final String FROM = " from pg_catalog.pg_class c left join (";

    private static final String OF_TABLE =
            " where c.oid = pg_catalog.to_regclass(cast(? as pg_catalog.text)) order by k.n";

    /** A query that raises the server's error for a table that does not exist. */
    public static final String NO_TABLE = "select cast(cast(? as pg_catalog.text) as pg_catalog.regclass)";

    /** A query for the columns of a primary key. The parameter is the name of the table. */
    public static final String KEY_OF_TABLE = COLUMNS + "i.indimmediate" + FROM + KEY_COLUMNS + ')'
            + " on i.indrelid = c.oid and i.indisprimary" + OF_TABLE;

    /** A query for columns with given names. The parameters are the names of the columns and the name of the table. */
    public static final String NAMED_COLUMNS = COLUMNS + "false" + FROM
            + "pg_catalog.unnest(cast(? as pg_catalog.text[])) with ordinality as k(name, n)"
            + " join pg_catalog.pg_attribute a on a.attname = k.name and not a.attisdropped)"
            + " on a.attrelid = c.oid" + OF_TABLE;

    private CatalogSql() {}

    /**
     * Returns the condition that a statement may call a user-defined function as an operator, as a cast or like a
     * column. The column may belong to a table {@code c}, to a composite value in the table, or to a type that CREATE
     * TYPE has made. Operators and casts in C are trusted.
     *
     * @param volatility a condition on the volatility of the function
     * @param names names that are separated by commas: whether the statement may call a function with such a name
     */
    static String calls(String volatility, String names) {
        return "exists (select from pg_catalog.pg_proc as f where f.oid >= 16384 and f.provolatile " + volatility
                // The oids of the languages internal and c are 12 and 13.
                + " and (f.prolang not in (12, 13) and (pg_catalog.pg_function_is_visible(f.oid)"
                + " and f.proname = any ('{" + names + "}') or exists (select from pg_catalog.pg_operator as o"
                + " where o.oprcode = f.oid and pg_catalog.pg_operator_is_visible(o.oid))"
                + " or exists (select from pg_catalog.pg_cast as k where k.castfunc = f.oid))"
                + " or exists (select from pg_catalog.pg_type as y where y.oid = f.proargtypes[0] and y.typtype = 'c'"
                + " and (y.oid = c.reltype or exists (select from pg_catalog.pg_class as r where r.oid = y.typrelid"
                + " and r.relkind = 'c') or exists (select from pg_catalog.pg_attribute as a"
                + " where a.attrelid = c.oid and a.atttypid in (y.oid, y.typarray))))))";
    }

    /** Returns an expression for the table of a key: the root of the partition tree, or the table itself. */
    public static String root(String table) {
        return "coalesce(pg_catalog.pg_partition_root(" + table + "), " + table + ")::pg_catalog.oid";
    }

    /** Returns an expression of type bigint for the hash of a text, as rule 4 of key version 1 defines it. */
    public static String hash(String text) {
        return "('x' || pg_catalog.substr(pg_catalog.md5(" + text + "), 1, 16))::bit(64)::bigint";
    }

    private static String typeName(String suffix, String type) {
        return "(select pg_catalog.format('%I.%I%s', n.nspname, t.typname, " + suffix + ") from pg_catalog.pg_type t"
                + " join pg_catalog.pg_namespace n on n.oid = t.typnamespace where t.oid = " + type + ')';
    }
}
