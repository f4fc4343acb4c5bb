package org.rowlock.internal.session;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;

/**
 * Carries what a caller's mapper threw past the code that makes sense of the server's errors: it is not about the lock,
 * whatever SQLSTATE it has.
 */
public final class MappingException extends SQLException {
    private static final long serialVersionUID = 1;

    private final SQLException failure;

    private MappingException(SQLException failure) {
        super(failure);
        this.failure = failure;
    }

    public static <T extends @Nullable Object> T map(RowMapper<T> mapper, ResultSet row) throws MappingException {
        try {
            return mapper.map(row);
        } catch (SQLException e) {
            throw new MappingException(e);
        }
    }

    public SQLException failure() {
        return failure;
    }
}
