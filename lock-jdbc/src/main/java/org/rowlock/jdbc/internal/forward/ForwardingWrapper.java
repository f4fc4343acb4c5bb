package org.rowlock.jdbc.internal.forward;

import java.sql.SQLException;
import java.sql.Wrapper;

/** A wrapper that unwraps to itself or to its delegate. {@code toString} returns the text of the delegate. */
public abstract class ForwardingWrapper implements Wrapper {
    private final Wrapper delegate;

    protected ForwardingWrapper(Wrapper delegate) {
        this.delegate = delegate;
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        unwrapped();
        return type.isInstance(delegate) ? type.cast(delegate) : delegate.unwrap(type);
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || type.isInstance(delegate) || delegate.isWrapperFor(type);
    }

    /**
     * Called before {@code unwrap} returns the delegate to the application.
     *
     * @throws SQLException if the application must not get the delegate now
     */
    protected void unwrapped() throws SQLException {}

    /**
     * {@return whether the given object is the delegate of this wrapper}
     *
     * @param other a possible delegate
     */
    public final boolean wraps(Wrapper other) {
        return delegate.equals(other);
    }

    @Override
    public String toString() {
        return delegate.toString();
    }
}
