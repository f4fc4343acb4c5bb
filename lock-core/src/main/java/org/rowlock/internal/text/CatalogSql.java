package org.rowlock.internal.text;

/**
 * What the catalog is asked for, in core, drop-in and Spring alike: the columns of a primary key, the root of a
 * partition, a hash.
 */
public final class CatalogSql {
    /**
     * An item of FROM: for each column {@code a} of the index {@code i} of a table its place {@code k.n}, without the
     * columns that are only included.
     */
    public static final String KEY_COLUMNS =
            "pg_catalog.pg_index as i cross join lateral pg_catalog.unnest(i.indkey[0:i.indnkeyatts - 1])"
                    + " with ordinality as k(attnum, n)"
                    + " join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum";

    /**
     * An expression of a table {@code c} of pg_class: whether a write of one of its rows counts one row. Triggers may
     * skip a row, rules may replace the write, policies apply to what is returned, and children have rows of the same
     * id. Foreign tables and those of Citus count elsewhere.
     */
    public static final String COUNTS_ITS_ROWS = "c.relkind in ('r', 'p') and not (c.relhasrules or c.relrowsecurity)"
            + " and (c.relkind = 'p' or not c.relhassubclass) and not exists (select from (select c.oid union"
            + " select relid from pg_catalog.pg_partition_tree(c.oid)) as p(oid)"
            + " join pg_catalog.pg_class as l on l.oid = p.oid where l.relkind = 'f' or exists (select"
            + " from pg_catalog.pg_trigger as t where t.tgrelid = p.oid and t.tgtype & 3 = 3 and t.tgenabled <> 'D'))";

    /** The names of the extensions that make one database of several machines: each locks for itself. */
    public static final String OF_SEVERAL_MACHINES = "('citus', 'bdr', 'pgactive', 'spock', 'shardman')";

    /** An expression: whether the database has Citus, whose tables may lie on other machines. */
    public static final String IS_CITUS = "pg_catalog.to_regproc('pg_catalog.create_intermediate_result') is not null";

    private CatalogSql() {}

    /**
     * An expression of type oid: the table that a key belongs to, which is the root of its partition tree, or itself.
     *
     * @param table an expression, the table as an oid or a regclass
     */
    public static String root(String table) {
        return "coalesce(pg_catalog.pg_partition_root(" + table + "), " + table + ")::pg_catalog.oid";
    }

    /**
     * An expression of type bigint: rule 4 of key version 1.
     *
     * @param text an expression
     */
    public static String hash(String text) {
        return "('x' || pg_catalog.substr(pg_catalog.md5(" + text + "), 1, 16))::bit(64)::bigint";
    }
}
