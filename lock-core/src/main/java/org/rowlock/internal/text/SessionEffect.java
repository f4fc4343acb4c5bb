package org.rowlock.internal.text;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rowlock.internal.text.Token.TokenType;

/**
 * How a statement may affect its session beyond the transaction, according to the statement's text. An unknown
 * statement is assumed to alter the session. Functions that a trigger, a rule or a view calls are not detected.
 */
public enum SessionEffect {
    /**
     * The statement calls only well-known functions, and has neither a subquery nor an expression that depends on the
     * session, such as CURRENT_USER.
     */
    PURE,
    NONE,
    /** The statement may change settings, the role or temporary tables. */
    ALTERS;

    private static final Set<String> HARMLESS =
            Tokens.words("select values insert update delete merge with begin start commit end rollback abort"
                    + " savepoint release show fetch close");

    /** The words after SET for settings that apply only to the transaction. */
    private static final Set<String> OF_TRANSACTION = Tokens.words("local transaction constraints");

    /** Keywords that may precede a bracket and are no functions. */
    private static final Set<String> KEYWORDS =
            Tokens.words("in values and or not any all some exists between like ilike when then else case where set"
                    + " on by as over filter within from select having distinct using conflict returning is limit"
                    + " offset union except intersect row cast array interval numeric decimal varchar char"
                    + " character varying bit time timestamp float");

    /** Words which show that a statement reads other tables or the session. Names of functions are not included. */
    private static final Set<String> READS = Tokens.words(
            "select table current_user current_role session_user system_user user current_catalog current_schema");

    private static final Set<String> PURE_FUNCTIONS =
            Tokens.words("coalesce nullif greatest least abs ceil ceiling floor round trunc mod power sqrt sign"
                    + " lower upper length char_length octet_length trim btrim ltrim rtrim substr substring"
                    + " replace repeat reverse md5 concat concat_ws left right lpad rpad position overlay now"
                    + " clock_timestamp statement_timestamp date_trunc date_part extract age to_char to_date"
                    + " to_timestamp to_number random gen_random_uuid array_append array_remove array_cat array_length"
                    + " cardinality jsonb_set jsonb_insert jsonb_build_object jsonb_build_array to_jsonb");

    private static final Set<String> OTHER_FUNCTIONS =
            Tokens.words("count sum min max avg string_agg array_agg json_agg jsonb_agg bool_and bool_or row_number"
                    + " rank dense_rank lag lead first_value last_value unnest generate_series nextval currval"
                    + " lastval setval current_setting current_schema current_database version"
                    + " pg_advisory_xact_lock pg_try_advisory_xact_lock pg_advisory_xact_lock_shared"
                    + " pg_backend_pid txid_current pg_current_xact_id pg_is_in_recovery to_regclass pg_sleep");

    /** The words that a {@link #PURE} statement may use like functions, separated by commas. */
    static final String PURE_NAMES =
            Stream.of(KEYWORDS, PURE_FUNCTIONS).flatMap(Set::stream).sorted().collect(Collectors.joining(","));

    /** Returns the effect of a statement. Never throws an exception. */
    public static SessionEffect of(String sql) {
        if (sql.length() > Tokens.LONGEST) {
            return ALTERS;
        }
        List<Token> tokens = Tokens.of(sql);
        String first = word(tokens, 0);
        boolean harmless =
                HARMLESS.contains(first) || (first.equals("set") && OF_TRANSACTION.contains(word(tokens, 1)));
        boolean inserts = first.equals("insert") || first.equals("merge");
        SessionEffect effect = harmless ? PURE : ALTERS;
        for (int i = 1; i < tokens.size() && effect != ALTERS; i++) {
            Token token = tokens.get(i);
            if (token.isWord("temp")
                    || token.isWord("temporary")
                    || token.isSymbol("{")
                    || (token.isWord("into") && !inserts)
                    || (token.isSymbol(";") && i + 1 < tokens.size())) {
                return ALTERS;
            }
            boolean called =
                    token.isName() && i + 1 < tokens.size() && tokens.get(i + 1).isSymbol("(") && !isTarget(tokens, i);
            boolean reads = token.type() == TokenType.WORD && READS.contains(token.text());
            SessionEffect own = reads ? NONE : called ? ofFunction(token, tokens.get(i - 1)) : PURE;
            effect = own.compareTo(effect) > 0 ? own : effect;
        }
        return effect;
    }

    private static String word(List<Token> tokens, int at) {
        return at < tokens.size() && tokens.get(at).type() == TokenType.WORD
                ? tokens.get(at).text()
                : "";
    }

    private static SessionEffect ofFunction(Token name, Token before) {
        if (name.type() != TokenType.WORD || before.isSymbol(".")) {
            return ALTERS;
        }
        if (KEYWORDS.contains(name.text()) || PURE_FUNCTIONS.contains(name.text())) {
            return PURE;
        }
        return OTHER_FUNCTIONS.contains(name.text()) ? NONE : ALTERS;
    }

    /** Whether a word is the table of an INSERT INTO, and not a function. A list of columns in brackets may follow. */
    private static boolean isTarget(List<Token> tokens, int at) {
        int start = at;
        while (start > 1 && tokens.get(start - 1).isSymbol(".")) {
            start -= 2;
        }
        return start > 0 && tokens.get(start - 1).isWord("into");
    }
}
