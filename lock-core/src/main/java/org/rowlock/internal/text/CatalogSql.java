package org.rowlock.internal.text;

/** SQL that core, drop-in and Spring share: the columns of a primary key, the root of a partition tree, and a hash. */
public final class CatalogSql {
    /**
     * An item of a FROM clause: the key columns {@code a} of an index {@code i}, with their positions {@code k.n}.
     * Columns of INCLUDE are left out.
     */
    public static final String KEY_COLUMNS =
            "pg_catalog.pg_index as i cross join lateral pg_catalog.unnest(i.indkey[0:i.indnkeyatts - 1])"
                    + " with ordinality as k(attnum, n)"
                    + " join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum";

    /**
     * An expression for a table {@code c} of pg_class: whether a write to one of its rows always reports one row.
     * Triggers may skip a row, rules may replace the write, policies apply to returned rows, and child tables may have
     * rows with the same id. Foreign tables and tables of Citus are excluded too.
     */
    public static final String COUNTS_ITS_ROWS = "c.relkind in ('r', 'p') and not (c.relhasrules or c.relrowsecurity)"
            + " and (c.relkind = 'p' or not c.relhassubclass) and not exists (select from (select c.oid union"
            + " select relid from pg_catalog.pg_partition_tree(c.oid)) as p(oid)"
            + " join pg_catalog.pg_class as l on l.oid = p.oid where l.relkind = 'f' or exists (select"
            + " from pg_catalog.pg_trigger as t where t.tgrelid = p.oid and t.tgtype & 3 = 3 and t.tgenabled <> 'D'))";

    /** The names of extensions that make one database of several machines. Each machine has its own advisory locks. */
    public static final String OF_SEVERAL_MACHINES = "('citus', 'bdr', 'pgactive', 'spock', 'shardman')";

    /** An expression for whether the database has Citus, whose tables may be on other machines. */
    public static final String IS_CITUS = "pg_catalog.to_regproc('pg_catalog.create_intermediate_result') is not null";

    private CatalogSql() {}

    /**
     * Returns an expression of type oid for the table that a key belongs to: the root of its partition tree, or the
     * table itself.
     *
     * @param table an expression for the table, as an oid or a regclass
     */
    public static String root(String table) {
        return "coalesce(pg_catalog.pg_partition_root(" + table + "), " + table + ")::pg_catalog.oid";
    }

    /**
     * Returns an expression of type bigint for the hash of rule 4 of key version 1.
     *
     * @param text an expression
     */
    public static String hash(String text) {
        return "('x' || pg_catalog.substr(pg_catalog.md5(" + text + "), 1, 16))::bit(64)::bigint";
    }
}
