package org.rowlock.jdbc.programs;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.ExecutionInfo;
import net.ttddyy.dsproxy.QueryInfo;
import net.ttddyy.dsproxy.listener.QueryExecutionListener;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;

/** Records each statement of a program that locks rows, once. */
final class Recording {
    private static final Pattern LOCKS = Pattern.compile(
            "(?is)^\\s*(?:update|delete)\\b.*|.*\\bfor\\s+(?:no\\s+key\\s+update|update|share|key\\s+share)\\b.*"
                    + "|^\\s*with\\b.*\\b(?:update|delete)\\b.*");

    private final Set<String> statements = new ConcurrentSkipListSet<>();

    DataSource around(DataSource dataSource) {
        return ProxyDataSourceBuilder.create(dataSource)
                .listener(new QueryExecutionListener() {
                    @Override
                    public void beforeQuery(ExecutionInfo execution, List<QueryInfo> queries) {
                        for (QueryInfo query : queries) {
                            if (LOCKS.matcher(query.getQuery()).matches()) {
                                statements.add(withoutLineEnds(query.getQuery()));
                            }
                        }
                    }

                    @Override
                    public void afterQuery(ExecutionInfo execution, List<QueryInfo> queries) {}
                })
                .build();
    }

    Set<String> statements() {
        return statements;
    }

    /** Removes blanks at the ends of lines, because the corpus has none. */
    static String withoutLineEnds(String sql) {
        return sql.replaceAll("[ \\t]+(?=\\n|$)", "");
    }
}
