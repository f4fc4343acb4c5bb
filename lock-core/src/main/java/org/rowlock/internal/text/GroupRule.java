package org.rowlock.internal.text;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which writes of several callers may share a transaction on the connection of one caller. Such writes must
 * have the same effect on each caller's connection. The rule examines the text of a write, the table that the write
 * changes, and the session that sends the write. Settings outside {@link #SESSION} need not be compared, because a
 * permitted write does not read these settings.
 */
public final class GroupRule {
    private static final Set<String> OTHER_TABLES = Tokens.words("from using current");

    /**
     * The names of built-in functions that are not immutable, but depend on no settings except those in {@link
     * #SESSION}.
     */
    private static final String HARMLESS = "'^((transaction|statement|clock)_timestamp|now|random|gen_random_uuid"
            + "|uuidv[47]|nextval|timezone|to_(char|date|timestamp)|age|extract|timestamp.*|date.*|time.*"
            + "|interval.*)$'";

    /** The settings on which a permitted write may depend. */
    private static final String SETTINGS = Stream.of(("role search_path datestyle intervalstyle timezone"
                            + " timezone_abbreviations lc_monetary lc_numeric lc_time default_text_search_config"
                            + " bytea_output extra_float_digits xmloption xmlbinary array_nulls transform_null_equals"
                            + " standard_conforming_strings backslash_quote check_function_bodies row_security"
                            + " session_replication_role synchronous_commit lock_timeout statement_timeout")
                    .split(" "))
            .map(setting -> "pg_catalog.current_setting('" + setting + "')")
            .collect(Collectors.joining(", "));

    /** An expression whose value must be equal in all sessions that share a transaction. */
    public static final String SESSION = "pg_catalog.concat_ws(' ', current_user, session_user, " + SETTINGS
            + ", pg_catalog.current_setting('transaction_timeout', true))";

    /**
     * A condition: the session has not changed since its login, except for settings that do not affect writes. A
     * backslash must not begin an escape in strings, because {@link #target} knows no such escapes. The condition is
     * expensive, so its result is reused.
     */
    public static final String UNALTERED = "not exists (select from pg_catalog.pg_settings as s"
            + " where s.source = 'session'"
            + " and s.name !~ '^(application_name|client_connection_|(default_)?transaction_[dir])')"
            + " and pg_catalog.current_setting('standard_conforming_strings') = 'on'"
            + " and pg_catalog.current_setting('role') = 'none' and exists (select from"
            + " pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) as a"
            + " where pg_catalog.pg_get_userbyid(a.usesysid) = session_user)";

    public static final String READ_COMMITTED =
            "pg_catalog.current_setting('transaction_isolation') in ('read committed', 'read uncommitted')";

    /**
     * A query for the session of a group member in the drop-in. The query returns a text with the server and all
     * settings on which a write may depend. If the session was altered, or if the isolation level is stricter than READ
     * COMMITTED, the query returns no row.
     */
    public static final String MEMBER_QUERY = "select pg_catalog.concat_ws(' ', pg_catalog.current_database(),"
            + " pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(), pg_catalog.pg_postmaster_start_time(), "
            + SESSION + ") where " + UNALTERED + " and " + READ_COMMITTED;

    /**
     * A condition for a table {@code c} that a group locks or changes: an ordinary or partitioned table that is not
     * temporary and has no row security. Views are excluded, because their rows may depend on the session.
     */
    private static final String TABLE = "c.relkind in ('r', 'p') and c.relpersistence <> 't' and not c.relrowsecurity";

    /**
     * A further condition, besides {@link #TABLE}, for a table {@code c} that a group changes. The table must have no
     * user-defined triggers, rules or deferred constraints, and no parent or child tables. No foreign key may refer to
     * the table with an ON UPDATE action. The defaults, generated columns and checks of the table and of its domains
     * must not call functions that may depend on the session. The same applies to domains to which a write may cast.
     * A write must not be able to call such a function without brackets, or by the name of a built-in function.
     */
    private static final String CHANGED_TABLE = "c.relkind = 'r' and not (c.relhassubclass or c.relhasrules)"
            + " and not exists (select from pg_catalog.pg_inherits as p where p.inhrelid = c.oid)"
            + " and not exists (select from pg_catalog.pg_trigger as t where t.tgrelid = c.oid"
            + " and (not t.tgisinternal or t.tginitdeferred or " + isOneOf("1647, 1651, 1653") + "))"
            + " and not " + CatalogSql.calls("<> 'i'", SessionEffect.PURE_NAMES)
            + " and not exists (select from pg_catalog.pg_attrdef as d where d.adrelid = c.oid and "
            + looks("d.adbin") + ")"
            + " and not exists (select from pg_catalog.pg_constraint as k where k.conrelid = c.oid and k.contype = 'c'"
            + " and " + looks("k.conbin") + ")"
            + " and not exists (with recursive b(oid) as (select a.atttypid from pg_catalog.pg_attribute as a"
            + " where a.attrelid = c.oid union select d.oid from pg_catalog.pg_type as d where d.typtype = 'd'"
            + " union select case y.typtype when 'd' then y.typbasetype else y.typelem end"
            + " from b join pg_catalog.pg_type as y on y.oid = b.oid) select from b"
            + " join pg_catalog.pg_type as y on y.oid = b.oid where y.typtype = 'd' and (" + looks("y.typdefaultbin")
            + " or exists (select from pg_catalog.pg_constraint as k where k.contypid = y.oid and "
            + looks("k.conbin") + ")))";

    /** A condition: a DELETE would also delete or change rows of other tables. */
    private static final String DELETED = "exists (select from pg_catalog.pg_trigger as t where t.tgrelid = c.oid and "
            + isOneOf("1646, 1650, 1652") + ")";

    private static final char CHANGES = 'c';
    private static final char DELETES = 'd';
    private static final char LOCKS = 'l';

    /**
     * An expression for the version of a table {@code c}. The text begins with the oid of the table. The text changes
     * whenever the table, a trigger, a default or a constraint changes.
     */
    private static final String VERSION = "pg_catalog.concat_ws(' ', c.oid, c.xmin,"
            + " (select pg_catalog.string_agg(cast(t.xmin as pg_catalog.text), ',') from pg_catalog.pg_trigger as t"
            + " where t.tgrelid = c.oid),"
            + " (select pg_catalog.string_agg(cast(d.xmin as pg_catalog.text), ',') from pg_catalog.pg_attrdef as d"
            + " where d.adrelid = c.oid),"
            + " (select pg_catalog.string_agg(cast(k.xmin as pg_catalog.text), ',') from pg_catalog.pg_constraint as k"
            + " where k.conrelid = c.oid))";

    /**
     * A query that checks a table. The parameter is the result of {@link #target} or {@link #locked}. The query returns
     * the version of the table, or no row if the table is unsuitable. The query is expensive, so its result is reused.
     */
    public static final String QUERY = "select " + VERSION + " from pg_catalog.pg_class as c"
            + " cross join (select cast(? as pg_catalog.text) as n offset 0) as w"
            + " where c.oid = pg_catalog.to_regclass(pg_catalog.substr(w.n, 2)) and " + TABLE
            + " and case when w.n like '" + LOCKS + "%' then true else " + CHANGED_TABLE + " and not (w.n like '"
            + DELETES + "%' and " + DELETED + ") end";

    /**
     * A condition: the given names still mean the tables whose versions {@link #QUERY} has read, and these tables have
     * not changed. The condition is false, for example, if a temporary table of this session now has one of the names.
     * The parameters are the parameters of {@link #QUERY}, separated by {@link IdText#SEPARATOR}, and the versions in
     * the order of the oids.
     */
    public static final String VERSIONS = "(select pg_catalog.string_agg(" + VERSION + ", ';' order by c.oid)"
            + " from pg_catalog.pg_class as c where c.oid = any (array(select cast(pg_catalog.to_regclass("
            + "pg_catalog.substr(w.n, 2)) as pg_catalog.oid) from pg_catalog.unnest(pg_catalog.string_to_array("
            + "cast(? as pg_catalog.text), pg_catalog.chr(" + (int) IdText.SEPARATOR
            + "))) as w(n)))) is not distinct from cast(? as pg_catalog.text)";

    private GroupRule() {}

    /**
     * Returns a condition: the function of a foreign key's trigger has one of the given oids. PostgreSQL does not
     * change the oids of these functions.
     */
    private static String isOneOf(String functions) {
        return "t.tgfoid in (" + functions + ")";
    }

    /** Returns the condition that an expression in the catalog calls a function that may depend on the session. */
    private static String looks(String tree) {
        String text = "cast(" + tree + " as pg_catalog.text)";
        // SQL value functions from number 9 on return the name of the user, the schema or the database.
        return "(" + text + " ~ 'SQLVALUEFUNCTION :op (9|1[0-9]) ' or exists (select from pg_catalog.regexp_matches("
                + text + ", ':(?:opfuncid|funcid) ([0-9]+)', 'g') as m(id) join pg_catalog.pg_proc as f"
                + " on f.oid = cast(m.id[1] as pg_catalog.oid) where f.provolatile <> 'i'"
                + " and not (f.pronamespace = cast('pg_catalog' as pg_catalog.regnamespace)"
                + " and f.proname ~ " + HARMLESS + ")))";
    }

    /**
     * Returns the table that a write changes, for {@link #QUERY}. Returns null if the write must not run in a group,
     * because it may have a further effect, or read another table or the session.
     */
    public static @Nullable String target(String sql) {
        if (SessionEffect.of(sql) != SessionEffect.PURE) {
            return null;
        }
        List<Token> tokens = Tokens.of(sql);
        int at = startOfTable(tokens);
        if (at < 0) {
            return null;
        }
        StringBuilder table = new StringBuilder(String.valueOf(tokens.get(0).isWord("delete") ? DELETES : CHANGES));
        int end = at;
        while (end < tokens.size() && (end == at || tokens.get(end).isSymbol("."))) {
            end = end == at ? at : end + 1;
            if (end >= tokens.size() || !tokens.get(end).isName() || mayBeFolded(tokens.get(end))) {
                return null;
            }
            table.append(end == at ? "" : ".").append('"');
            table.append(tokens.get(end).text().replace("\"", "\"\"")).append('"');
            end++;
        }
        int depth = 0;
        for (Token token : tokens.subList(end, tokens.size())) {
            depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0;
            if (depth <= 0 && OTHER_TABLES.stream().anyMatch(token::isWord)) {
                return null;
            }
        }
        return table.toString();
    }

    /** Whether a write with the given {@link #target} is a DELETE. */
    public static boolean isDelete(String target) {
        return target.charAt(0) == DELETES;
    }

    /** Whether a name has upper-case letters that only servers with a single-byte encoding convert to lower case. */
    private static boolean mayBeFolded(Token name) {
        return name.type() == Token.TokenType.WORD && name.text().chars().anyMatch(Character::isUpperCase);
    }

    /**
     * Returns the index of the first token of the table's name; -1 unless the statement is an UPDATE, INSERT or DELETE.
     */
    private static int startOfTable(List<Token> tokens) {
        int at = 0;
        if (isWord(tokens, 0, "update")) {
            at = 1;
        } else if (isWord(tokens, 0, "insert") && isWord(tokens, 1, "into")) {
            at = 2;
        } else if (isWord(tokens, 0, "delete") && isWord(tokens, 1, "from")) {
            at = 2;
        }
        return at > 0 && isWord(tokens, at, "only") ? at + 1 : at == 0 ? -1 : at;
    }

    private static boolean isWord(List<Token> tokens, int at, String word) {
        return at < tokens.size() && tokens.get(at).isWord(word);
    }

    /** Returns the parameter of {@link #QUERY} for the table of a locked row. */
    public static String locked(String table) {
        return LOCKS + table;
    }
}
